"""Online learning with local and global consistency (Gu, Aggarwal, Liu, Han 2013, Algorithm 1).

Batch LLGC is ridge regression on coordinates m_i of the nodes with m_i·m_j = (L⁺)_ij. Its online version
keeps A = μI + Σ m mᵀ and v = Σ y m over the trials it learnt from:

    predict  sign(w·m),  w = A⁻¹v
    learn    where the prediction was wrong: A += m mᵀ, v += y m          (as printed)
             or from every label (``every_round``): one A then serves all classes

The coordinates are the rank-d embedding v_k/√σ_k with a constant column √b, which carries the balance of
the classes; without rank the kernel L⁺ + b is used whole, in dual variables. It is the second-order
perceptron with a = μ and the score that leaves the current node out, so the same signs.

Cost: O(d) per prediction, O(d²) per label learnt. A label that comes again is another trial.

Bounds: Theorem 3.1 of the second-order perceptron, and Corollary 5 with its constants mended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners.base import Game, Learner, OneVsRest, columns_of, learner
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints, prepare_coordinates, prepare_kernel
from zerokelvin.learners.ridge.ridge import RidgeGame, RidgeState
from zerokelvin.learners.ridge.ridge_problem import RidgeProblem

__all__ = ["Ollgc"]


@learner("ollgc")
@dataclass(frozen=True)
class Ollgc(Learner):
    """Online learning with local and global consistency; see the module for the algorithm.

    Parameters
    ----------
    rank
        Number of coordinates, the constant one included; None for the whole kernel in dual variables.
        The vectors of a `Features` with a linear kernel are taken as they are.
    mu
        Weight of the smoothness against the squared loss, the ridge.
    b
        Squared constant column: how strongly the balance of the classes carries over.
    every_round
        Learn from every label, not only from mistakes.
    engine, tol
        How kernel columns are computed without a rank; see `zerokelvin.kernels.kernel_columns`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Ollgc(mu=0.1).start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) >= 0 for node in range(4)]
    [False, False, True, True]
    """

    purpose: ClassVar[str] = "the paper's second-order learner on the smoothest eigenvectors of the graph"
    choose: ClassVar[str] = (
        "you reproduce the paper, or classes are large regions; 'every_round' learns from right answers too"
    )
    cost: ClassVar[str] = (
        "an embedding of the graph once; then O(d) per prediction and O(d²) per label learnt, d the rank"
    )

    rank: int | None = 100
    mu: float = 1.0
    b: float = 2.0
    every_round: bool = False
    engine: str = "auto"
    tol: float = 1e-6

    has_variance: ClassVar[bool] = True
    takes_features: ClassVar[bool] = True
    dual_game: ClassVar[type[OneVsRest[Any]]] = OneVsRest
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"every_round": True}, {"rank": 3})

    def __post_init__(self) -> None:
        if self.rank is not None and not (self.rank >= 1 and int(self.rank) == self.rank):
            raise ParameterError(f"rank={self.rank} must be a whole number of at least 1, or None.")
        if not (math.isfinite(self.mu) and self.mu > 0):
            raise ParameterError(f"mu={self.mu} must be a positive, finite number.")
        if not (math.isfinite(self.b) and self.b >= 0):
            raise ParameterError(f"b={self.b} must be a finite number of at least 0.")

    @property
    def exponent(self) -> float | None:
        """κ of a selective learner; this one asks for every label."""
        return None

    @property
    def learns_always(self) -> bool:
        """Whether every label asked for is learnt from."""
        return self.every_round

    def unit_matters(self) -> str:
        """Always: μ is compared with squared coordinates."""
        return "mu and b stand beside a kernel that goes with 1/weight"

    def prepare(self, graph: Graph | Features) -> Coordinates | KernelPoints:
        """The embedding of the graph, or its kernel, shared by all classes and shuffles."""
        graph.require_positive(self.name)
        if isinstance(graph, Features):
            primal = graph.is_linear and self.rank is not None
        else:
            primal = self.rank is not None
        if primal:
            return prepare_coordinates(graph, self.rank or 1, self.b)
        return prepare_kernel(graph, "laplacian", self.b, self.engine, self.tol)

    def start(
        self,
        graph: Graph | Features,
        prepared: Coordinates | KernelPoints | None = None,
        rng: np.random.Generator | None = None,
    ) -> RidgeState | DualRidgeState:
        """Begin with A = μI and v = 0."""
        source = self.prepare(graph) if prepared is None else prepared
        if isinstance(source, Coordinates):
            return RidgeState(self.in_coordinates(source, 1))
        return self.in_dual_variables(source)

    def start_game(self, graph: Graph | Features, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems side by side; learning from every label, they share one covariance."""
        source = self.prepare(graph) if prepared is None else prepared
        if isinstance(source, Coordinates):
            return self.in_coordinates(source, columns_of(classes))
        return self.dual_game([self.in_dual_variables(source) for _ in range(columns_of(classes))])

    def in_coordinates(self, source: Coordinates, columns: int) -> RidgeGame[Any]:
        """The game of so many binary problems on an embedding."""
        terms = (self.mu, self.learns_always, self.exponent)
        return RidgeGame([RidgeProblem(source, *terms) for _ in range(columns)], shared=self.learns_always)

    def in_dual_variables(self, source: KernelPoints) -> DualRidgeState:
        """One binary problem on the whole kernel."""
        return DualRidgeState(source, self.mu, self.learns_always, self.exponent)

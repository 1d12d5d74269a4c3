"""The kernel perceptron on a graph (Herbster and Pontil 2006, "Prediction on a graph with a perceptron").

With the kernel K = G⁺ + b·11ᵀ + c·I (eq. 10), G the Laplacian, keep w = Σ y_t K e_{i_t} over the
mistaken trials (Fig. 1):

    predict  sign(w_i)            one look-up
    learn    w += y K e_i         one kernel column per mistake, nothing otherwise

b carries the balance of the classes over the whole graph (and from component to component), c makes
the learner robust against nodes that disagree with their surroundings. A node that comes again is
another trial: a contradicting label is the paper's label noise.

Cost: O(1) per prediction, one column per mistake, memory O(n) besides the kernel.

Bounds: Theorem 2.1 with the mistakes made, Theorem 4.2 and eq. (16) from the graph alone, eq. (1) for b = 0,
and eq. (4) of Herbster 2008 for b = R_G. The comparator's norm is in `learners.perceptron.perceptron_norm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.kernels.kernels import KernelColumns, has_unit, kernel_columns
from zerokelvin.learners.base import (
    Game,
    Learner,
    OneVsRest,
    columns_of,
    learner,
)
from zerokelvin.learners.base.growth import CARRIED
from zerokelvin.learners.perceptron.perceptron_state import PerceptronGame, PerceptronState
from zerokelvin.learners.perceptron.vector_perceptron import start_vectors, vector_game
from zerokelvin.learners.ridge.instances import FeatureColumns
from zerokelvin.solve.signed import require_definite

__all__ = ["Perceptron"]


@learner("perceptron")
@dataclass(frozen=True)
class Perceptron(Learner):
    """Kernel perceptron with K = G⁺ + b·11ᵀ + c·I; see the module for the algorithm.

    Parameters
    ----------
    b
        Weight of the constant 11ᵀ: how strongly the balance of the classes carries over.
    c
        Weight of the identity: robustness against nodes that disagree with their surroundings. It
        changes nothing in a single pass over distinct nodes, except the bound.
    kernel
        ``"laplacian"`` for G⁺, or a symmetric positive semi-definite matrix in its place. With
        ``"relative-laplacian"``, G⁺ of weights scaled to a mean degree of 4, their unit does not matter.
    engine, tol
        How kernel columns are computed and how exactly; see `zerokelvin.kernels.kernel_columns`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Perceptron(b=1.0).start(line)
    >>> state.update(0, -1)
    >>> [state.margin(node) >= 0 for node in range(4)]
    [False, False, False, False]
    >>> state.update(3, 1)
    >>> [state.margin(node) >= 0 for node in range(4)]
    [False, False, True, True]
    """

    purpose: ClassVar[str] = "the simplest learner with a proof, on any kernel of the graph or on vectors"
    choose: ClassVar[str] = (
        "you want the classical bound, a kernel of your own, or O(n) memory on a very large graph"
    )
    cost: ClassVar[str] = (
        "O(1) per prediction, one column of the kernel per mistake, nothing where it is right"
    )

    b: float = 1.0
    c: float = 0.0
    kernel: Any = "laplacian"
    engine: str = "auto"
    tol: float = 1e-6

    game: ClassVar[type[OneVsRest[Any]]] = PerceptronGame
    growth: ClassVar[str] = CARRIED
    takes_features: ClassVar[bool] = True
    variants: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"c": 0.5},
        {"b": 0.0, "c": 1.0},
        {"kernel": "regularized:0.1"},
    )

    def __post_init__(self) -> None:
        for name in ("b", "c"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ParameterError(f"{name}={value} must be a finite number of at least 0.")

    def unit_matters(self) -> str:
        """With b or c beside a kernel in units of the weights, or with such a kernel but the Laplacian's."""
        if not has_unit(self.kernel) or (self.kernel == "laplacian" and self.b == self.c == 0):
            return ""
        return "b and c are added to a kernel that goes with 1/weight"

    def prepare(self, graph: Graph | Features) -> KernelColumns:
        """The kernel of the graph, shared by all classes and shuffles.

        A signed graph takes its signed Laplacian, which must be positive definite.
        """
        if isinstance(graph, Features):
            return FeatureColumns(graph, self.kernel)
        if isinstance(self.kernel, str) and self.kernel == "laplacian" and self.c == 0:
            require_definite(graph, "perceptron", everywhere=True)
        else:
            graph.require_positive("perceptron with another kernel or c > 0")
        return kernel_columns(graph, self.kernel, self.engine, self.tol)

    def start(
        self,
        graph: Graph | Features,
        prepared: KernelColumns | None = None,
        rng: np.random.Generator | None = None,
    ) -> PerceptronState:
        """Begin with w = 0."""
        if isinstance(graph, Features):
            return start_vectors(graph, self)
        return PerceptronState(graph, self.prepare(graph) if prepared is None else prepared, self)

    def start_game(self, graph: Graph | Features, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems side by side; those on feature vectors have a game of their own."""
        if isinstance(graph, Features):
            return vector_game(graph, self, columns_of(classes))
        return super().start_game(graph, classes, prepared, seed)

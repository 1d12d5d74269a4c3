"""The second-order perceptron (Cesa-Bianchi, Conconi, Gentile 2005, "A second-order perceptron algorithm").

A perceptron that weighs instances by the correlation matrix of those it was wrong on:

    predict  sign(vᵀ(aI + S Sᵀ)⁻¹x),  S = [X x]       Fig. 3.1; the current instance is inside
    learn    on a mistake: v += y x, X = [X x]

``variant`` chooses what becomes of a:

    fixed          a given
    increasing     a_k = c·R²·k after k − 1 mistakes     Fig. 4.1; see `increasing`
    pseudoinverse  a = 0, inverse → pseudo-inverse       Fig. 4.2; see `pseudoinverse`
    whitened       perceptron on M^(−1/2)x, all x known  section 2; see `whitened`

On vectors it works in coordinates (primal), on kernels in dual variables (Theorem 3.3); the two are equal.
The score may leave the current instance out (``score="linear"``, w·x), with the same sign. As a → ∞ the
predictions are the perceptron's. x = 0 is predicted +1 and never learnt.

Bounds: Theorem 3.1, Corollary 3.4, Theorems 4.1 and 4.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.kernels.kernels import has_unit
from zerokelvin.learners.base import Game, Learner, OneVsRest, State, columns_of, learner
from zerokelvin.learners.ridge.dual_game import DualRidgeGame
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints, prepare_coordinates, prepare_kernel
from zerokelvin.learners.ridge.ridge import RidgeGame, RidgeState
from zerokelvin.learners.ridge.ridge_problem import RidgeProblem
from zerokelvin.learners.second_order.increasing import IncreasingState
from zerokelvin.learners.second_order.pseudoinverse import PseudoinverseState
from zerokelvin.learners.second_order.whitened import Whitened, WhitenedState, whiten

__all__ = ["SecondOrder"]


VARIANTS = ("fixed", "increasing", "pseudoinverse", "whitened")


@learner("second-order")
@dataclass(frozen=True)
class SecondOrder(Learner):
    """Second-order perceptron; see the module for the algorithm.

    Parameters
    ----------
    a
        The parameter a > 0 of the fixed variant; `zerokelvin.learners.ridge.comparators.recommended_a` gives
        the choice of Lemma 3.2.
    variant
        ``"fixed"``, ``"increasing"``, ``"pseudoinverse"`` or ``"whitened"``.
    score
        ``"forward"`` as printed, or ``"linear"``.
    c, radius
        Of the increasing variant: a_k = c·radius²·k. Without a radius, the largest norm in the domain.
    rank
        On a graph: work in coordinates of this rank; None for the whole kernel in dual variables.
    form
        ``"primal"`` or ``"dual"``; ``"auto"`` is primal for vectors with a linear kernel and for a rank.
    b
        Squared constant column, or what is added to the kernel.
    kernel, engine, tol
        The kernel of a graph; see `zerokelvin.kernels.kernel_columns`. Features bring their own.

    Examples
    --------
    >>> state = SecondOrder(a=1.0, b=0.0).start(Features([[1.0, 0.0], [0.0, 2.0]]))
    >>> state.update(0, -1)
    >>> state.margin(np.array([3.0, 1.0]))
    -0.23076923076923078
    """

    purpose: ClassVar[str] = "vectors and kernels whose directions differ much in variance"
    choose: ClassVar[str] = "data are vectors, or you reproduce the paper's variants"
    cost: ClassVar[str] = (
        "O(d²) per mistake on vectors of d numbers; O(k) columns and O(k²) per prediction for k "
        "mistakes on kernels"
    )

    a: float = 1.0
    variant: str = "fixed"
    score: str = "forward"
    c: float = 0.1
    radius: float | None = None
    rank: int | None = None
    form: str = "auto"
    b: float = 1.0
    kernel: Any = "laplacian"
    engine: str = "auto"
    tol: float = 1e-6

    has_variance: ClassVar[bool] = True
    takes_features: ClassVar[bool] = True
    variants: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"variant": "pseudoinverse"},
        {"variant": "increasing"},
        {"variant": "whitened"},
        {"score": "linear"},
        {"form": "dual"},
    )

    def __post_init__(self) -> None:
        for name, value, known in (
            ("variant", self.variant, VARIANTS),
            ("score", self.score, ("forward", "linear")),
            ("form", self.form, ("auto", "primal", "dual")),
        ):
            if value not in known:
                raise ParameterError(f"{name}='{value}' is unknown; known: {', '.join(known)}.")
        for name in ("a", "c", "radius"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ParameterError(f"{name}={value} must be a positive, finite number.")
        if not (math.isfinite(self.b) and self.b >= 0):
            raise ParameterError(f"b={self.b} must be a finite number of at least 0.")
        if self.rank is not None and not (self.rank >= 1 and int(self.rank) == self.rank):
            raise ParameterError(f"rank={self.rank} must be a whole number of at least 1, or None.")

    def unit_matters(self) -> str:
        """But for relative kernels, and for variants without a and without b."""
        whole = self.rank is None and self.form != "primal"
        adapts = self.variant in ("pseudoinverse", "whitened") or (
            self.variant == "increasing" and self.radius is None
        )
        homogeneous = self.b == 0 and (not whole or self.kernel == "laplacian")
        if (whole and not has_unit(self.kernel)) or (adapts and homogeneous):
            return ""
        return "a and b stand beside a kernel that goes with 1/weight"

    def prepare(self, graph: Graph | Features) -> Coordinates | KernelPoints:
        """Coordinates or the kernel of the domain, whitened if that is the variant."""
        graph.require_positive(self.name)
        vectors = isinstance(graph, Features) and graph.is_linear
        primal = self.form == "primal" or (self.form == "auto" and (vectors or self.rank is not None))
        source: Coordinates | KernelPoints
        if not primal:
            source = prepare_kernel(graph, self.kernel, self.b, self.engine, self.tol)
        elif isinstance(graph, Features) and not vectors:
            raise ParameterError("form='primal' needs features with a linear kernel; use form='dual'.")
        else:
            whole = graph.num_nodes + 1 if self.rank is None else self.rank
            source = prepare_coordinates(graph, whole, self.b)
        return whiten(source) if self.variant == "whitened" else source

    def start(
        self,
        graph: Graph | Features,
        prepared: Coordinates | KernelPoints | None = None,
        rng: np.random.Generator | None = None,
    ) -> State:
        """Begin with X empty and v = 0."""
        source = self.prepare(graph) if prepared is None else prepared
        ahead = self.score == "forward"
        if isinstance(source, Whitened):
            return WhitenedState(source)
        if self.variant == "pseudoinverse":
            return PseudoinverseState(source, ahead)
        if self.variant == "increasing":
            radius = source.radius if self.radius is None else self.radius
            if radius == 0 and graph.num_nodes == 0:
                raise ParameterError("an empty table has no largest norm; give radius=.")
            return IncreasingState(source, self.c, radius or 1.0, ahead)
        if isinstance(source, Coordinates):
            return RidgeState(self._ridge_game(source, 1))
        return DualRidgeState(source, self.a, forward_score=ahead, theorem="3.1")

    def start_game(self, graph: Graph | Features, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems side by side; with fixed a they play whole games at once."""
        source = self.prepare(graph) if prepared is None else prepared
        if self.variant == "fixed" and isinstance(source, Coordinates):
            return self._ridge_game(source, columns_of(classes))
        states: list[Any] = [self.start(graph, source) for _ in range(columns_of(classes))]
        return DualRidgeGame(states) if isinstance(states[0], DualRidgeState) else OneVsRest(states)

    def _ridge_game(self, source: Coordinates, columns: int) -> RidgeGame[RidgeProblem]:
        ahead = self.score == "forward"
        problems = [RidgeProblem(source, self.a, forward_score=ahead, theorem="3.1") for _ in range(columns)]
        return RidgeGame(problems)

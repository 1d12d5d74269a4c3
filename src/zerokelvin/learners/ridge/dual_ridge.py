"""Ridge regression on a kernel, online: the second-order perceptron in dual variables.

Over the trials learnt, with Gram matrix G and labels y (Cesa-Bianchi, Conconi, Gentile 2005, Theorem 3.3),

    linear score    Σ α_t K(x_t, x),  α = (aI + G)⁻¹y
    forward score   linear score · a / (a + s),  s = K(x, x) − k_xᵀ(aI + G)⁻¹k_x

The Cholesky factor L of aI + G grows by one row per learnt trial: O(k²) for the k-th. A forward score takes
one half solve w = L⁻¹k_x, of which the linear score w·z, z = L⁻¹y, and s = K(x, x) − w·w come together. The
variance is r_t = s / (a + s), the same as in coordinates.

On a graph the column of the kernel at a learnt node is kept, as long as all of them take at most
`KEPT_BYTES`: a prediction then looks k_x up and solves nothing. Beyond, k_x comes from the column of x for
the nodes learnt later. Predictions of many points at once share every pass over L (`DualRidgeState.margins`),
and so does a game whose order is known (`zerokelvin.learners.ridge.dual_game`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.learners.base import sign
from zerokelvin.learners.base.ties import settle, settled_dot
from zerokelvin.learners.ridge.instances import KernelPoints
from zerokelvin.learners.ridge.ridge_bounds import ridge_bound
from zerokelvin.learners.ridge.ridge_fit import RidgeFit
from zerokelvin.learners.ridge.trial_log import LoggedState
from zerokelvin.least_squares.growing_cholesky import (
    GrowingCholesky,
    HalfSolved,
    dot_in_order,
    products_with,
)

__all__ = ["BLOCK", "KEPT_BYTES", "DualRidgeState"]


BLOCK = 128
"""Points that are predicted together."""

KEPT_BYTES = 2**30
"""Most memory for the columns at the learnt nodes of one problem; problems share what they have in common."""


class DualRidgeState(RidgeFit, LoggedState):
    """One binary problem in dual variables; the parameters are those of `RidgeFit`."""

    source: KernelPoints

    fields: ClassVar[tuple[str, ...]] = ("points", "labels", "lower", "duals", *LoggedState.log)

    def __init__(self, source: KernelPoints, *parameters: Any, **named: Any) -> None:
        super().__init__(*parameters, **named)
        self.source = source
        self.factor = GrowingCholesky()
        self.z = np.zeros(0)  # L⁻¹y
        self.length = 0.0  # z·z
        self._points = np.zeros((8, source.width))
        self._columns: list[Floats] = []  # of the first points learnt, as far as they were needed
        self.labels = np.zeros(0)
        self._duals: Floats | None = np.zeros(0)

    @property
    def points(self) -> Floats:
        """The points learnt, one row each."""
        return self._points[: self.factor.size]

    @property
    def duals(self) -> Floats:
        """α, one number per point learnt."""
        if self._duals is None:
            self._duals = self.factor.back_solve(self.z)
        return self._duals

    def margin(self, node: Any) -> float:
        """The linear or forward score of a node index or a new vector."""
        if not self.factor.size:
            return 0.0
        point = self.source.point(node)
        cross = self.cross(point)
        if not self.forward_score:
            return float(settled_dot(cross, self.duals))
        half = self.factor.half_solve(cross)
        square = dot_in_order(half, half)
        return self.forward(
            self.score_of(dot_in_order(half, self.z), square), self.source.norm(point), square
        )

    def margins(self, nodes: Ints) -> Floats:
        """The same for several nodes, `BLOCK` of them at a time."""
        if not (self.forward_score and self.factor.size):
            return np.array([self.margin(int(node)) for node in nodes], dtype=np.float64)
        found = np.zeros(len(nodes))
        for start in range(0, len(nodes), BLOCK):
            chosen = nodes[start : start + BLOCK]
            solved = self.half_solved(chosen)
            for c, node in enumerate(chosen.tolist()):
                score = self.score_of(float(solved.scores[c]), float(solved.squares[c]))
                norm = self.source.norm(self.source.point(node))
                found[start + c] = self.forward(score, norm, float(solved.squares[c]))
        return found

    def cross(self, point: Floats) -> Floats:
        """The kernel of a point with every point learnt, k_x."""
        if not self.source.keeps:
            return self.source.cross(self.points, point)
        node, columns = int(point[0]), self._kept()
        cross = np.array([column[node] for column in columns], dtype=np.float64)
        rest = self.points[len(columns) :]
        if len(rest):
            return np.concatenate([cross + self.source.b, self.source.cross(rest, point)])
        return cross + self.source.b

    def half_solved(self, nodes: Ints, room: int = 0) -> HalfSolved:
        """The half solves of several nodes, as columns, with room for so many rows more."""
        columns = self._kept() if self.source.keeps else []
        size, kept = self.factor.size, len(columns)
        half = np.empty((size + room, len(nodes)))
        for row, column in zip(half, columns, strict=False):
            column.take(nodes, out=row, mode="clip")  # nodes are within; other modes go through a copy
        half[:kept] += self.source.b
        if kept < size:
            for c, node in enumerate(nodes.tolist()):
                half[kept:size, c] = self.source.cross(self.points[kept:], self.source.point(node))
        self.factor.half_solve_block(half)
        return products_with(half, self.z)

    def last_cross(self, nodes: Ints) -> Floats:
        """The kernel of several nodes with the point learnt last."""
        columns = self._kept()
        if len(columns) == self.factor.size:
            return columns[-1].take(nodes) + self.source.b
        points = self.points[-1:]
        crosses = [self.source.cross(points, self.source.point(node)) for node in nodes.tolist()]
        return np.array(crosses, dtype=np.float64).reshape(-1)

    def score_of(self, product: float, square: float) -> float:
        """The linear score w·z, 0 where it is a tie; `square` is w·w."""
        return float(settle(product, math.sqrt(square) * math.sqrt(self.length)))

    def forward(self, score: float, norm: float, square: float) -> float:
        """The forward score from the linear one; s is what the learnt points leave of K(x, x)."""
        return score * self.a / (self.a + max(norm - square, 0.0))

    def learn_point(self, point: Floats, row: Floats, norm: float, label: int) -> None:
        """Add a point whose half solve is `row` to those learnt."""
        if self.factor.size == len(self._points):
            self._points = np.vstack([self._points, np.zeros_like(self._points)])
        self._points[self.factor.size] = point
        self.factor.append_row(row, self.a + norm)
        self.labels = np.append(self.labels, float(label))
        last = self.factor.last_of(float(label), self.z)
        self.z = np.append(self.z, last)
        self.length += last * last
        self._duals = None

    def _kept(self) -> list[Floats]:
        """The columns of the first points learnt, as many as may be kept."""
        most = min(self.factor.size, KEPT_BYTES // (8 * self.source.columns.num_nodes))
        for point in self.points[len(self._columns) : most]:
            self._columns.append(self.source.kept_column(int(point[0])))
        return self._columns

    def variance(self, node: Any) -> float:
        """r_t = s / (a + s)."""
        point = self.source.point(node)
        rest = self._rest(point, self.cross(point))
        return rest / (self.a + rest)

    def update(self, node: Any, label: int) -> None:
        """Learn the point if it was predicted wrong (or in every round); K(x, x) = 0 changes nothing."""
        point = self.source.point(node)
        norm, cross = self.source.norm(point), self.cross(point)
        half: Floats | None = None
        if self.forward_score:
            half = self.factor.half_solve(cross)
            score = self.score_of(dot_in_order(half, self.z), dot_in_order(half, half))
        else:
            score = float(settled_dot(cross, self.duals))
        learnt = bool((self.every_round or sign(score) != label) and norm > 0)
        if learnt:
            self.learn_point(point, self.factor.half_solve(cross) if half is None else half, norm, label)
        self.note(node, label, learnt)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share α_t K(x_t, x) of the score."""
        point = self.source.point(node)
        cross = self.cross(point)
        scale = self.a / (self.a + self._rest(point, cross)) if self.forward_score else 1.0
        return self.explain_from(cross, scale * self.duals)

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """Theorem ``"3.1"``, ``"4"`` (a regret), ``"5"``, or the smaller of 3.1 and 5; see `ridge_bounds`."""
        return ridge_bound(self, labels, theorem or self.theorem)

    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""
        innovations = self.z * np.diag(self.factor.lower)
        return np.asarray(innovations**2)

    def log_determinant(self) -> float:
        """The value ln det(I + G/a) = Σ ln(1 + λ_i/a) with λ_i the eigenvalues of the Gram matrix G."""
        return float((2 * np.log(np.diag(self.factor.lower)) - math.log(self.a)).sum())

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of everything that `update` changes, as arrays."""
        own = {"points": self.points, "labels": self.labels, "lower": self.factor.lower, "duals": self.duals}
        return self.saved_log() | {name: array.copy() for name, array in own.items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh state to where `snapshot` was taken."""
        self.restore_log(arrays)
        self.labels, self._duals = arrays["labels"].copy(), arrays["duals"].copy()
        self.factor.set(arrays["lower"])
        self.z, self._columns = self.factor.half_solve(self.labels), []
        self.length = float(dot_in_order(self.z, self.z))
        self._points = np.zeros((max(8, len(arrays["points"])), self.source.width))
        self._points[: len(arrays["points"])] = arrays["points"]

    def _rest(self, point: Floats, cross: Floats) -> float:
        """s, what the learnt points leave unexplained of K(x, x)."""
        half = self.factor.half_solve(cross)
        return max(self.source.norm(point) - dot_in_order(half, half), 0.0)

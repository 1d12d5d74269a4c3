"""Means and variances of feature vectors, those of a table and new ones.

The rows of a table are kept current (`learners.gaussian.covariance`). For labelled points s_1 … s_t with
heights d_k and innovations z_k, a vector x from outside the table has

    V_k(x) = (K(s_k, x) + b − Σ_{j<k} V_j(s_k) V_j(x)) / d_k,    v(x) = K(x, x) + b − Σ_k V_k(x)²,
    m(x) = Σ_k z_k V_k(x) = Σ_k α_k (K(s_k, x) + b),             α = (K_SS + b + μI)⁻¹ y;

α is kept between labels, so that a prediction costs t kernel values. A vector that is learnt takes a place
behind the rows, and from then on is treated like one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.jit import kernel
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT, Covariance
from zerokelvin.learners.ridge.instances import is_vector

__all__ = ["GrowingTable", "VectorCovariance"]


LARGEST = 1e12
"""Kernel values above this many times μ leave too few digits to the noise."""


class GrowingTable:
    """The kernel of a table that vectors join; `num_nodes` counts places still free, whose kernel is 0."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self.points = features.X
        self.used = features.num_nodes

    @property
    def num_nodes(self) -> int:
        """Number of rows of the table and of vectors from outside it."""
        return len(self.points)

    def column(self, node: int) -> Floats:
        """The kernel of a place with every place."""
        return self.column_of(self.points[node])

    def column_of(self, x: Floats) -> Floats:
        """The kernel of a vector with every place."""
        column = np.zeros(self.num_nodes)
        column[: self.used] = self.between(self.points[: self.used], x)
        return column

    def between(self, points: Floats, x: Floats) -> Floats:
        """The kernel of a vector with several, checked."""
        if len(points) == 0:
            return np.zeros(0)
        values = self.features.cross(points, x)
        if not np.isfinite(values).all():
            raise ParameterError(
                "the kernel gave NaN or infinite values; scale the vectors or mend the kernel."
            )
        return values

    def norm(self, x: Floats) -> float:
        """The kernel of a vector with itself."""
        return float(self.between(x[None, :], x)[0])

    def gram(self, places: Ints) -> Floats:
        """The kernel between several places, exactly symmetric."""
        points = self.points[places]
        matrix = np.zeros((len(points), len(points)))
        for k, x in enumerate(points):
            matrix[k] = self.between(points, x)
        return 0.5 * (matrix + matrix.T)

    def join(self, x: Floats) -> int:
        """Give a vector the next place."""
        if self.used == len(self.points):
            self.points = np.vstack([self.points, np.zeros((max(8, self.used), len(x)))])
        self.points[self.used] = x
        self.used += 1
        return self.used - 1


class VectorCovariance(Covariance):
    """Means and variances of a table's rows, of vectors that joined them, and of any other vector."""

    def __init__(self, features: Features, problems: int, mu: float, b: float) -> None:
        if features.num_nodes > EXACT_LIMIT:
            raise ParameterError(
                f"gaussian keeps the mean of every row, too much for {features.num_nodes} rows (limit "
                f"{EXACT_LIMIT}); give a shorter table: vectors outside it can be predicted and learnt too."
            )
        self.table = GrowingTable(features)
        super().__init__(self.table, problems, mu, b)
        self._innovations: list[Floats] = []  # z_t of every class
        self._duals = np.zeros((0, max(2, problems)))  # α

    @property
    def variances(self) -> Floats:
        """The predictive variance of every place, its noise left out."""
        self._settle()
        if self._variances is None:
            self._variances = np.full(self.table.num_nodes, self.b)
            for place in range(self.table.used):
                self._variances[place] += self.table.norm(self.table.points[place])
            for row in self.rows[: len(self.heights)]:
                self._variances -= row**2
        return self._variances

    def values(self, node: Any) -> Floats:
        """The value of every class at a row or a vector."""
        if not is_vector(node):
            return super().values(node)
        x = self.table.features.vector(node)
        self._settle()
        if len(self._duals) < len(self.heights):
            self._duals = np.array(self._innovations)
            _solve_back(*self._factor(), self._duals)
        values: Floats = self._cross(x) @ self._duals
        return values

    def variance(self, node: Any) -> float:
        """The predictive variance of a row or a vector, its noise left out."""
        if not is_vector(node):
            return float(self.variances[node])
        x = self.table.features.vector(node)
        reach = self.reach(x)
        return self.table.norm(x) + self.b - float(reach @ reach)

    def reach(self, node: Any) -> Floats:
        """V_1 … V_t at a row or a vector."""
        self._settle()
        if not is_vector(node):
            return self.rows[: len(self.heights), node].copy()
        column = self._cross(self.table.features.vector(node))
        _solve(*self._factor(), column)
        return column

    def shares(self, node: Any) -> Floats:
        """What each label adds to the value of a row or a vector."""
        shares = self.reach(node)[:, None]
        _solve_back(*self._factor(), shares)
        return shares[:, 0]

    def column_of(self, node: Any) -> Floats:
        """The posterior covariance of a vector with every place."""
        reach = self.reach(node)
        column = self.table.column_of(self.table.features.vector(node)) + self.b
        return column - reach @ self.rows[: len(reach)]

    def learn(self, node: Any, code: int) -> None:
        """Reveal that a row or a vector has class `code`."""
        super().learn(self._join(self.table.features.vector(node)) if is_vector(node) else node, code)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """As in `Covariance`; a kernel that cannot be factorised is refused."""
        for node in nodes.tolist():
            self._check(self.table.points[node])
        return super().learn_in_order(nodes, codes)

    def _learn(self, node: int, code: int) -> None:
        point, reach = self.table.points[node], self.rows[: len(self.heights), node]
        self._check(point)
        if self.table.norm(point) + self.b - float(reach @ reach) + self.mu <= 0:
            raise _indefinite()
        target = (np.arange(len(self._means)) == code) - self._means[:, node]
        super()._learn(node, code)
        self._innovations.append(target / self.heights[-1])

    def _join(self, x: Floats) -> int:
        if self.table.used >= EXACT_LIMIT:
            raise ParameterError(
                f"gaussian holds at most {EXACT_LIMIT} rows and vectors; start again with fewer, or take "
                "ollgc with a linear kernel, whose cost does not grow."
            )
        self._check(x)
        values, reach = self.values(x), self.reach(x)
        place = self.table.join(x)
        more = self.table.num_nodes - self.rows.shape[1]
        if more > 0:
            self.rows = np.hstack([self.rows, np.zeros((len(self.rows), more))])
            self._means = np.hstack([self._means, np.zeros((len(self._means), more))])
            self._variances = None
        self.rows[: len(reach), place] = reach
        self._means[:, place] = values
        if self._variances is not None:
            self._variances[place] = self.table.norm(x) + self.b - float(reach @ reach)
        return place

    def _check(self, x: Floats) -> None:
        norm = self.table.norm(x)
        if norm + self.b > LARGEST * self.mu:
            raise ParameterError(
                f"the kernel of a vector with itself is {norm:.3g}, too large beside mu={self.mu}; "
                "scale the vectors or raise mu."
            )

    def _cross(self, x: Floats) -> Floats:
        return self.table.between(self.table.points[self.nodes], x) + self.b

    def _factor(self) -> tuple[Floats, Ints, Floats]:
        return self.rows[: len(self.heights)], np.array(self.nodes, dtype=np.int64), np.array(self.heights)


def _indefinite() -> ParameterError:
    return ParameterError(
        "the kernel is not positive semi-definite on these vectors; take another or raise mu."
    )


@kernel
def _solve(rows: Any, nodes: Any, heights: Any, column: Any) -> None:
    """L⁻¹ column in place; row k of the transposed factor is rows[k, nodes]."""
    for k in range(len(heights)):
        column[k] /= heights[k]
        for j in range(k + 1, len(heights)):
            column[j] -= rows[k, nodes[j]] * column[k]


@kernel
def _solve_back(rows: Any, nodes: Any, heights: Any, columns: Any) -> None:
    """Overwrite each column x of a block by L⁻ᵀ x, L the lower factor."""
    for k in range(len(heights) - 1, -1, -1):
        for j in range(k + 1, len(heights)):
            factor = rows[k, nodes[j]]
            for c in range(columns.shape[1]):
                columns[k, c] -= factor * columns[j, c]
        for c in range(columns.shape[1]):
            columns[k, c] /= heights[k]

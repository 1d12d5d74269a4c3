"""Exact ridge / Gaussian-process regression on any kernel, by a Cholesky factor that grows with the labels.

For labelled nodes s_1 … s_t and the kernel K + b, keep the rows

    V_t = (K e_{s_t} + b − Σ_{k<t} V_k(s_t) V_k) / d_t,   d_t² = K(s_t, s_t) + b − Σ_{k<t} V_k(s_t)² + μ,

which are the Cholesky factor of K_SS + μI extended to all nodes. With z_t = (y_t − m(s_t)) / d_t the means
m += z_t V_t and the variances v −= V_t² are current at every node, so a prediction is a look-up and a label
costs O(t·n) for all classes together.

A game whose order is known needs V only at nodes still to come: the same numbers, as one blocked Cholesky
factorisation of the permuted K + μI with mean y_t − L_tt z_t. Sums run in the same order, so both agree to
the last bit.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.kernels.kernels import KernelColumns
from zerokelvin.learners.base import Trials
from zerokelvin.learners.gaussian.columns_together import ColumnsTogether

__all__ = ["EXACT_LIMIT", "Covariance", "all_revealed"]


EXACT_LIMIT = 20_000
"""Above this many nodes the rows V no longer fit; kernels that relax locally have no such limit."""


PIVOTS, WIDTH = 32, 128
"""Rows and columns that a factorisation works on at a time; a block fits the innermost cache."""

ROUNDING = 1e-9
"""A variance below 0 by less than this part of K_ii is rounding; by more, the kernel is not positive."""


class Covariance:
    """Means and variances of every node, for several problems on one covariance."""

    def __init__(self, columns: KernelColumns, problems: int, mu: float, b: float) -> None:
        count = columns.num_nodes
        if count > EXACT_LIMIT:
            raise ParameterError(
                f"this kernel needs a column per label, too much for {count} nodes (limit {EXACT_LIMIT}); "
                'use kernel="normalized:0.1", which always works locally.'
            )
        self.columns = columns
        self._together = ColumnsTogether(columns)
        self.problems = problems
        self.mu = mu
        self.b = b
        self.rows = np.empty((8, count))
        self.heights: list[float] = []  # d_t
        self.nodes: list[int] = []
        self.codes: list[int] = []
        self._means = np.zeros((max(2, problems), count))
        self._variances: Floats | None = None
        self._pending: list[tuple[int, int]] = []

    @property
    def has_begun(self) -> bool:
        """Whether a label is known, be it one of a known order that the rows have not learnt yet."""
        return bool(self.nodes or self._pending)

    @property
    def means(self) -> Floats:
        """The value of every class at every node."""
        self._settle()
        return self._means

    @property
    def variances(self) -> Floats:
        """The predictive variance of every node, its noise left out."""
        self._settle()
        if self._variances is None:
            count = self.columns.num_nodes
            self._variances = np.array([self._together.column(i)[i] for i in range(count)]) + self.b
            for row in self.rows[: len(self.heights)]:
                self._variances -= row**2
        return self._variances

    def twin(self) -> Covariance:
        """Another factor of the same answers, which grows on its own."""
        self._settle()
        other = copy.copy(self)
        other.rows, other._means = self.rows[: max(8, len(self.heights))].copy(), self._means.copy()
        other.heights, other.nodes, other.codes = self.heights.copy(), self.nodes.copy(), self.codes.copy()
        other._variances = None if self._variances is None else self._variances.copy()
        other._pending = []
        return other

    def values(self, node: int) -> Floats:
        """The value of every class at a node."""
        return self.means[:, node]

    def learn(self, node: int, code: int) -> None:
        """Reveal that a node has class `code`."""
        self._settle()
        self._learn(node, code)

    def column(self, node: int) -> Floats:
        """The posterior covariance of a node with every node."""
        self._settle()
        rows = self.rows[: len(self.heights)]
        column: Floats = self._together.column(node) + self.b - rows[:, node] @ rows
        return column

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """The values, classes by trials, before each trial when every label is revealed at once after it."""
        self._settle()
        if self.nodes or len(np.unique(nodes)) < len(nodes):
            raise ParameterError("a known order needs a fresh state and distinct nodes.")
        matrix = np.empty((len(nodes), len(nodes)))
        for t in np.argsort(nodes, kind="stable").tolist():
            matrix[t] = self._together.column(int(nodes[t]))[nodes] + self.b
        values = np.zeros((len(self._means), len(nodes)))
        with np.errstate(invalid="ignore"):
            _factorise(matrix, self.mu)
            _online_means(matrix, codes, values)
        if not (np.isfinite(values).all() and (matrix.diagonal() > 0).all()):
            raise _indefinite()
        self._pending = list(zip(nodes.tolist(), codes.tolist(), strict=True))
        return values

    def weights(self) -> Floats:
        """(K_SS + b + μI)⁻¹ applied to the columns K(S, ·): what each label adds to every node."""
        self._settle()
        t = len(self.heights)
        factor = np.tril(self.rows[:t][:, self.nodes].T, -1) + np.diag(self.heights)
        solved: Floats = scipy.linalg.solve_triangular(factor, self.rows[:t], lower=True, trans=1)
        return solved

    def _settle(self) -> None:
        pending, self._pending = self._pending, []
        for node, code in pending:
            self._learn(node, code)

    def _learn(self, node: int, code: int) -> None:
        t = len(self.heights)
        if t == len(self.rows):
            self.rows = np.concatenate([self.rows, np.empty_like(self.rows)])
        row = self.rows[t]
        row[...] = self._together.column(node) + self.b
        with np.errstate(invalid="ignore"):
            height = _extend(self.rows[:t], row, node, self.mu)
        if not height > 0:
            raise _indefinite()
        for c, mean in enumerate(self._means):
            mean += ((c == code) - mean[node]) / height * row
        if self._variances is not None:
            self._variances -= row**2
        self.heights.append(float(height))
        self.nodes.append(node)
        self.codes.append(code)


def _indefinite() -> ParameterError:
    return ParameterError("the kernel is not positive semi-definite; take another or raise mu.")


def all_revealed(trials: Trials) -> bool:
    """Whether every label is revealed right after its trial and no node comes twice."""
    total = len(trials.nodes)
    asked = trials.gains is None and bool(np.isinf(trials.limits).all()) and trials.budget >= total
    return asked and trials.delay == 0 and len(np.unique(trials.nodes)) == total


@inner_kernel
def _variance(left: float, whole: float) -> float:
    """What is left of a variance: 0 where rounding alone puts it below."""
    return 0.0 if -ROUNDING * whole <= left < 0.0 else left


@kernel
def _extend(rows: Any, row: Any, node: int, mu: float) -> float:
    """Turn the column of a node into its row V in place; the height d, NaN where K is not positive."""
    whole = row[node]
    for k in range(len(rows)):
        factor = rows[k, node]
        for j in range(len(row)):
            row[j] -= factor * rows[k, j]
    height = np.sqrt(_variance(row[node], whole) + mu)
    for j in range(len(row)):
        row[j] /= height
    return height


@kernel
def _factorise(matrix: Any, mu: float) -> None:
    """Upper rows V at later trials, in place, the height on the diagonal; `PIVOTS` rows at a time."""
    n = len(matrix)
    wholes = np.diag(matrix).copy()
    pivots, first, second = np.empty((PIVOTS, WIDTH)), np.empty(WIDTH), np.empty(WIDTH)
    for start in range(0, n, PIVOTS):
        stop = min(start + PIVOTS, n)
        for i in range(start, stop):
            for k in range(start, i):
                factor = matrix[k, i]
                for j in range(i, n):
                    matrix[i, j] -= factor * matrix[k, j]
            height = np.sqrt(_variance(matrix[i, i], wholes[i]) + mu)
            for j in range(i + 1, n):
                matrix[i, j] /= height
            matrix[i, i] = height
        for left in range(stop, n, WIDTH):
            right = min(left + WIDTH, n)
            pivots[:, : right - left] = matrix[start:stop, left:right]
            for i in range(stop, right, 2):
                after = min(i + 1, right - 1)
                _eliminate(matrix, start, i, after, left, right, pivots, first, second)


@inner_kernel
def _eliminate(
    matrix: Any, start: int, i: int, after: int, left: int, right: int, pivots: Any, first: Any, second: Any
) -> None:
    """Take all pivots, one after the other, out of two rows (or one twice) between two columns.

    The columns are worked on in copies that stay in the innermost cache.
    """
    width = right - left
    first[:width], second[:width] = matrix[i, left:right], matrix[after, left:right]
    for k in range(0, PIVOTS, 4):
        four = matrix[start + k : start + k + 4]
        f0, f1, f2, f3 = four[0, i], four[1, i], four[2, i], four[3, i]
        s0, s1, s2, s3 = four[0, after], four[1, after], four[2, after], four[3, after]
        p0, p1, p2, p3 = pivots[k], pivots[k + 1], pivots[k + 2], pivots[k + 3]
        for j in range(width):
            first[j] = (((first[j] - f0 * p0[j]) - f1 * p1[j]) - f2 * p2[j]) - f3 * p3[j]
            second[j] = (((second[j] - s0 * p0[j]) - s1 * p1[j]) - s2 * p2[j]) - s3 * p3[j]
    for j in range(max(i, left), right):
        matrix[i, j] = first[j - left]
    for j in range(max(after, left), right):
        matrix[after, j] = second[j - left]


@kernel
def _online_means(matrix: Any, codes: Any, values: Any) -> None:
    """values[c, t] = Σ_{k<t} z_k V_k(t), z_k = (y_k − values[c, k]) / d_k."""
    for k in range(len(matrix)):
        for c in range(len(values)):
            z = ((1.0 if c == codes[k] else 0.0) - values[c, k]) / matrix[k, k]
            for j in range(k + 1, len(matrix)):
                values[c, j] += z * matrix[k, j]

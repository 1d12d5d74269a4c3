"""Sparse Cholesky factorisation M = L Lᵀ of a symmetric positive definite matrix, multifrontal.

Columns with (nearly) the same structure are held together as a *supernode*: a dense panel of the
columns and the rows below them. Each supernode is factored in a dense frontal matrix to which its
children in the assembly tree have passed their updates (Duff and Reid 1983; Liu 1992), so almost all
arithmetic is dense. Supernodes come from `solve.engines.direct.ordering`; small ones are merged with their
parent where that stores few zeros. A solve reads the factor twice.

Of a Laplacian with excess, D − A + E with A ≥ 0, no pivot needs a subtraction (Grassmann, Taksar and Heyman
1985; Alfa, Xue and Ye 2002): it is what column j still has below its diagonal plus its excess, which
eliminating j hands on to the later nodes in the same shares,

    p_j = Σ_{i>j} a_ij + e_j,      a_ik += a_ij a_kj / p_j,      e_i += a_ij e_j / p_j.

All terms are positive, so the factor is right to a few ulps in every entry, whatever the weights span; from
the diagonal D + E, in which small weights drown, it could not be.

Above 300 lines: a factorisation and its solves, for one column and for blocks, share the layout of
panels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError
from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import WIDTHS, in_lanes, lanes_of
from zerokelvin.machine.panels import PAST, gather_rows, scatter_rows, take_row
from zerokelvin.machine.rows import add_run, put, spread_run
from zerokelvin.solve.engines.direct.ordering import EliminationOrder
from zerokelvin.solve.engines.direct.supernodes import find_structure, merge_pivots, number_in_postorder

__all__ = ["SparseCholesky", "Supernodes"]


class Supernodes(NamedTuple):
    """Where a factor's panels and the rows below them lie; see `SparseCholesky` for the arrays."""

    columns: Ints
    parent: Ints
    row_starts: Ints
    rows: Ints
    panel_starts: Ints


class Permuted(NamedTuple):
    """A matrix in elimination order, row by row, and its excess in that order, or an empty array."""

    indptr: Ints
    indices: Ints
    data: Floats
    surplus: Floats


@dataclass(frozen=True)
class SparseCholesky:
    """The factor of a permuted matrix; make one with `factor`.

    Attributes
    ----------
    order
        The node at every position of the elimination order.
    columns, parent
        First position of every supernode, and its parent in the assembly tree.
    row_starts, rows
        The positions of the rows below every supernode, concatenated.
    panel_starts, panels
        The dense panels, row by row: the diagonal block first, then the rows below.
    """

    order: Ints
    columns: Ints
    parent: Ints
    row_starts: Ints
    rows: Ints
    panel_starts: Ints
    panels: Floats

    @classmethod
    def factor(
        cls, matrix: sp.csr_array, elimination: EliminationOrder, excess: Floats | None = None
    ) -> SparseCholesky:
        """Factor a symmetric positive definite matrix in the given elimination order.

        With `excess`, its row sums, all entries off the diagonal must be at most 0: then nothing is
        subtracted.
        """
        pivots = elimination.pivot
        sizes = np.bincount(pivots, minlength=len(elimination.parent))
        group = merge_pivots(elimination.parent, sizes, elimination.rows)
        rank, parent = number_in_postorder(elimination.parent, group)
        supernode = rank[group[pivots]]
        order = np.argsort(supernode, kind="stable")
        columns = np.concatenate([[0], np.cumsum(np.bincount(supernode, minlength=len(parent)))])
        permuted = sp.csr_array(matrix[order][:, order])
        indptr, indices = permuted.indptr.astype(np.int64), permuted.indices.astype(np.int64)
        row_starts, rows = find_structure(indptr, indices, columns, parent)
        width, height = np.diff(columns), np.diff(row_starts)
        panel_starts = np.concatenate([[0], np.cumsum(width * (width + height))])
        panels = np.zeros(panel_starts[-1] + PAST)
        surplus = np.zeros(0) if excess is None else np.ascontiguousarray(excess[order], dtype=np.float64)
        supernodes = Supernodes(columns, parent, row_starts, rows, panel_starts)
        bad = _factor(Permuted(indptr, indices, permuted.data, surplus), supernodes, panels)
        if bad >= 0:
            raise GraphError(
                "the Laplacian is numerically singular beyond its components; "
                "edge weights differ too much in size, so rescale or drop the smallest ones."
            )
        return cls(order, columns, parent, row_starts, rows, panel_starts, panels)

    def solve(self, right: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k)."""
        if right.ndim == 2 and right.shape[1] not in WIDTHS:
            return in_lanes(self.solve, right)
        value = right[self.order]
        self.sweep(value)
        result = np.empty_like(value)
        result[self.order] = value
        return result

    def sweep(self, value: Floats) -> None:
        """Solve in place for right-hand sides that are in elimination order already.

        A vector, or a block of one of the widths of `zerokelvin.machine.blocks`.
        """
        if value.ndim == 1:
            _solve_one(self.supernodes, self.panels, value)
        else:
            _solve_block(lanes_of(value), self.supernodes, self.panels, value)

    @cached_property
    def supernodes(self) -> Supernodes:
        """The structure as kernels take it."""
        return Supernodes(self.columns, self.parent, self.row_starts, self.rows, self.panel_starts)


@kernel
def _factor(matrix: Permuted, supernodes: Supernodes, panels: Any) -> Any:
    """Fill the panels, supernode by supernode; the first column whose pivot is not positive, or −1.

    What a supernode passes on to its parent waits on a stack.
    """
    indptr, indices, data, surplus = matrix
    columns, parent, row_starts, rows, panel_starts = supernodes
    count = len(parent)
    local = np.empty(len(indptr), np.int64)
    children = np.zeros(count, np.int64)
    for s in range(count):
        if parent[s] >= 0:
            children[parent[s]] += 1
    stack = np.empty(_stack_peak(children, row_starts))
    held = np.empty(count, np.int64)
    depth = 0
    top = 0
    for s in range(count):
        begin, end = columns[s], columns[s + 1]
        wide = end - begin
        below = rows[row_starts[s] : row_starts[s + 1]]
        high = wide + len(below)
        for i in range(wide):
            local[begin + i] = i
        for i in range(len(below)):
            local[below[i]] = wide + i
        # -- the front: the supernode's own columns of the matrix ...
        front = np.zeros((high, high))
        for j in range(begin, end):
            for p in range(indptr[j], indptr[j + 1]):
                i = indices[p]
                if i >= j:
                    front[local[i], j - begin] = data[p]
        # -- ... and what its children pass on
        for _ in range(children[s]):
            depth -= 1
            child = held[depth]
            first, last = row_starts[child], row_starts[child + 1]
            size = last - first
            top -= size * size
            for a in range(size):
                row = front[local[rows[first + a]]]
                offset = top + a * size
                for b in range(a + 1):
                    row[local[rows[first + b]]] += stack[offset + b]
        # -- factor its columns, keep them, and pass the rest on
        if not _partial_cholesky(front, wide, surplus, begin, below):
            return begin
        offset = panel_starts[s]
        for i in range(high):
            for j in range(min(wide, i + 1)):
                panels[offset + j] = front[i, j]
            offset += wide
        for a in range(wide, high):
            for b in range(wide, a + 1):
                stack[top + b - wide] = front[a, b]
            top += high - wide
        held[depth] = s
        depth += 1
    return -1


@kernel
def _stack_peak(children: Any, row_starts: Any) -> Any:
    """The most numbers that lie on the stack of updates at a time."""
    peak = 0
    top = 0
    held = np.empty(len(children), np.int64)
    depth = 0
    for s in range(len(children)):
        for _ in range(children[s]):
            depth -= 1
            top -= held[depth]
        size = (row_starts[s + 1] - row_starts[s]) ** 2
        held[depth] = size
        depth += 1
        top += size
        peak = max(peak, top)
    return peak


@kernel
def _partial_cholesky(front: Any, wide: Any, surplus: Any, first: Any, below: Any) -> Any:
    """Factor the first `wide` columns of a symmetric matrix (lower part) and update the rest.

    With a `surplus`, pivots come from it and the column; `first` and `below` are where its rows lie in it.
    """
    high = len(front)
    summed = len(surplus) > 0
    step = 32
    for begin in range(0, wide, step):
        end = min(begin + step, wide)
        for j in range(begin, end):
            if summed:
                own = surplus[first + j]
                total = own
                for i in range(j + 1, high):
                    total -= front[i, j]
                front[j, j] = total
                if own > 0.0:
                    for i in range(j + 1, high):
                        place = first + i if i < wide else below[i - wide]
                        surplus[place] -= own * (front[i, j] / total)
            if not front[j, j] > 0.0:
                return False
            pivot = np.sqrt(front[j, j])
            front[j, j] = pivot
            for i in range(j + 1, high):
                front[i, j] /= pivot
            for i in range(j + 1, high):
                value = front[i, j]
                if value != 0.0:
                    for k in range(j + 1, min(i + 1, end)):
                        front[i, k] -= value * front[k, j]
        rest = high - end
        if rest == 0:
            continue
        if rest * (end - begin) < 256:
            for i in range(end, high):
                for k in range(begin, end):
                    value = front[i, k]
                    for j in range(end, i + 1):
                        front[i, j] -= value * front[j, k]
        else:
            panel = front[end:, begin:end].copy()
            front[end:, end:] -= np.dot(panel, panel.T)
    return True


@kernel
def _solve_one(supernodes: Supernodes, panels: Any, value: Any) -> None:
    """Solve in place for one right-hand side (n,) in elimination order; zeros in it are passed over."""
    columns, _, row_starts, rows, panel_starts = supernodes
    count = len(columns) - 1
    widest = 0
    for s in range(count):
        widest = max(widest, columns[s + 1] - columns[s])
    own = np.zeros(widest + 8)
    # -- forward: a supernode whose entries are all 0 changes nothing below it
    for s in range(count):
        begin = columns[s]
        wide = columns[s + 1] - begin
        leading = 0
        while leading < wide and value[begin + leading] == 0.0:
            leading += 1
        if leading == wide:
            continue
        at = panel_starts[s]
        if wide == 1:
            known = value[begin] / panels[at]
            value[begin] = known
            for r in range(row_starts[s], row_starts[s + 1]):
                at += 1
                value[rows[r]] -= panels[at] * known
            continue
        for i in range(wide):
            total = value[begin + i]
            for j in range(leading, i):
                total -= panels[at + j] * own[j]
            own[i] = total / panels[at + i]
            value[begin + i] = own[i]
            at += wide
        for i in range(wide, (wide + 7) // 8 * 8):
            own[i] = 0.0
        scatter_rows(panels, at, wide, rows, row_starts[s], row_starts[s + 1], value, own)
    # -- backward
    for s in range(count - 1, -1, -1):
        begin = columns[s]
        wide = columns[s + 1] - begin
        start = panel_starts[s]
        if wide == 1:
            total, at = value[begin], start
            for r in range(row_starts[s], row_starts[s + 1]):
                at += 1
                total -= panels[at] * value[rows[r]]
            value[begin] = total / panels[start]
            continue
        for i in range(wide):
            own[i] = value[begin + i]
        gather_rows(panels, start + wide * wide, wide, rows, row_starts[s], row_starts[s + 1], value, own)
        for i in range(wide - 1, -1, -1):
            at = start + i * wide
            known = own[i] / panels[at + i]
            value[begin + i] = known
            take_row(panels, at, i, known, own)


@kernel
def _solve_block(lanes: Any, supernodes: Supernodes, panels: Any, value: Any) -> None:
    """The same for a block (n, k) of as many columns as `lanes` has entries."""
    columns, _, row_starts, rows, panel_starts = supernodes
    count = len(columns) - 1
    # -- forward
    for s in range(count):
        begin = columns[s]
        wide = columns[s + 1] - begin
        if _all_zero(value, begin, begin + wide):
            continue
        at = panel_starts[s]
        for i in range(begin, begin + wide):
            add_run(lanes, value, i, begin, panels, at, at + i - begin)
            put(lanes, value, i, 1.0 / panels[at + i - begin], value, i)
            at += wide
        for r in range(row_starts[s], row_starts[s + 1]):
            add_run(lanes, value, rows[r], begin, panels, at, at + wide)
            at += wide
    # -- backward
    for s in range(count - 1, -1, -1):
        begin = columns[s]
        wide = columns[s + 1] - begin
        at = panel_starts[s] + wide * wide
        for r in range(row_starts[s], row_starts[s + 1]):
            spread_run(lanes, value, rows[r], begin, panels, at, at + wide)
            at += wide
        for i in range(begin + wide - 1, begin - 1, -1):
            at = panel_starts[s] + (i - begin) * wide
            put(lanes, value, i, 1.0 / panels[at + i - begin], value, i)
            spread_run(lanes, value, i, begin, panels, at, at + i - begin)


@kernel
def _all_zero(value: Any, start: int, stop: int) -> bool:
    """Whether rows start to stop of a block hold nothing but 0."""
    for i in range(start, stop):
        for c in range(value.shape[1]):
            if value[i, c] != 0.0:
                return False
    return True

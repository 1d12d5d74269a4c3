"""What `propagation` and `gaussian` share: one relaxation, a field per class, all classes at once.

Each class c has a field, the solution x_c of a system (D − A + E) x_c = b_c that is kept current by local
relaxation (`zerokelvin.kernels.relaxation`). A revealed label changes

    propagation   b_c(i) += s_i                                    one field, E stays
    gaussian      b_c(i) += s_i h,  e_i += s_i² h,  h = 1/μ        every field, by what was wrong

and the value of class c at node i is v_c = o_i x_c(i) plus the constant term below. The margin of the
problem of class c is v_c − max_{k≠c} v_k, its lead over the best rival, so that the class predicted is the
one of positive margin; two classes are one problem on two fields. With the constant b·11ᵀ added to the
kernel, n_c labels of class c and g = Σ_c o x_c:

    propagation   v_c += b n_c
    gaussian      v_c += β_c (1 − g_i),  β_c = A_c / (μ/b + Σ_k A_k),  A_c = Σ_{s labelled c} (1 − g_s),

the latter being Sherman–Morrison on (K + b·11ᵀ)_SS + μI: β is a class prior that counts a labelled
node by how little its surroundings already said about it.

Above 300 lines: the fields of a game and the kernels that read and change them share their arrays.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.kernels.overwritten import begin_notes, new_notes, note_pair
from zerokelvin.kernels.relaxation import NodeRules, Relaxation, Watch, read, relax
from zerokelvin.kernels.relaxation_queue import Queue, new_queue
from zerokelvin.learners.base.ties import settle
from zerokelvin.learners.gaussian.field_system import System
from zerokelvin.undo import Undo

__all__ = [
    "Diffusion",
    "FieldArrays",
    "FieldTerms",
    "Frame",
    "contradiction",
    "dense_norm",
    "lead_shares",
    "learn_label",
    "read_table",
    "read_values",
    "targets_of",
    "to_margins",
]


COARSE, REACHED = (1e-2, 1e-3, 1e-4), 1024
"""Errors of a vote that are tried before the finest, and how many nodes a column may reach for another try:
on 100,000 points the finest column of the kernel that reaches furthest takes more than a second."""

EXPLAINED = 1e-5
"""Tolerance of the column behind an explanation, where the learner's own is coarser."""


class FieldArrays(NamedTuple):
    """The system (D − A + E) x_c = b_c as it stands, for compiled code.

    `x` and the residuals `r` have a row per class, (classes, nodes); `excess` is E, `inverse` 1/(D + E) and
    `limits` the residual that is left alone, one number per node.
    """

    x: Floats
    r: Floats
    excess: Floats
    inverse: Floats
    limits: Floats


class Frame(NamedTuple):
    """What stands around the system: the scales s and o of every node, and the labels so far.

    `counts` has the labels of each class at each node, (classes, nodes); `sums` and `totals` have Σ g over
    the labels of each class (kept only where a constant shares the weight, b > 0), and how many there are.
    """

    into: Floats
    out: Floats
    counts: Floats
    sums: Floats
    totals: Floats


class FieldTerms(NamedTuple):
    """The precision h = 1/μ, or 0 for propagation, the weight b of the constant, and the tolerance."""

    precision: float
    b: float
    tol: float


class Diffusion:
    """The fields of one game, and everything that a label changes.

    `precision` is h = 1/μ, or 0 for propagation; `b` the weight of the constant.
    """

    def __init__(self, system: System, problems: int, precision: float, b: float, tol: float) -> None:
        fields = max(2, problems)
        count = system.graph.num_nodes
        self.system = system
        self.problems = problems
        self.relaxation = Relaxation(system.graph, system.excess, fields, tol)
        self.terms = FieldTerms(float(precision), float(b), float(tol))
        self.counts = np.zeros((fields, count))  # labels of each class at each node
        self.sums = np.zeros(fields)  # Σ over those of g
        self.totals = np.zeros(fields)  # n_c
        self._bind()

    def _bind(self) -> None:
        """Put the arrays together for compiled code."""
        solve, system = self.relaxation, self.system
        self.arrays = FieldArrays(solve.x, solve.r, solve.excess, *solve.rules)
        self.frame = Frame(system.into, system.out, self.counts, self.sums, self.totals)

    def move_to(self, x: Floats, r: Floats, inverse: Floats) -> None:
        """Go on in other arrays, which hold what x, r and 1 / (D + E) are now."""
        solve = self.relaxation
        solve.x, solve.r, solve.rules = x, r, solve.rules._replace(inverse=inverse)
        self._bind()

    def twin(self) -> Diffusion:
        """Other fields at the same place on the same system."""
        other, solve = copy.copy(self), copy.copy(self.relaxation)
        solve.x, solve.r, solve.excess = solve.x.copy(), solve.r.copy(), solve.excess.copy()
        solve.rules = NodeRules(solve.rules.inverse.copy(), solve.rules.limits.copy())
        solve.scratch = new_queue(self.system.graph.num_nodes)
        other.relaxation = solve
        other.counts, other.sums, other.totals = self.counts.copy(), self.sums.copy(), self.totals.copy()
        other._bind()
        return other

    @property
    def labels(self) -> int:
        """How many labels were learnt so far, repeats among them."""
        return int(self.totals.sum())

    def values(self, node: int) -> Floats:
        """The value of every field at a node."""
        result = np.full(len(self.totals), np.nan)
        read_values(self.relaxation.csr, self.arrays, self.frame, self.terms, node, result)
        return result

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes in every problem, (nodes, problems)."""
        result = np.full((len(nodes), self.problems), np.nan)
        _all_margins(self.relaxation.csr, self.arrays, self.frame, self.terms, nodes, result)
        return result

    def learn(self, node: int, code: int) -> None:
        """Reveal that a node has class `code`."""
        solve = self.relaxation
        learn_label(solve.csr, self.arrays, self.frame, self.terms, solve.scratch, node, code)
        self.system.graph.touched()

    def learn_reversibly(self, node: int, code: int) -> Undo:
        """The same, and what takes it back."""
        solve, undo = self.relaxation, Undo()
        undo.keep(self.counts, (code, node))
        undo.keep(self.sums)
        undo.keep(self.totals)
        for array in (solve.excess, *solve.rules):
            undo.keep(array, node)
        notes = new_notes(solve.x.size, 2)
        learn_label(solve.csr, self.arrays, self.frame, self.terms, solve.scratch, node, code, notes)
        count = notes.used[0]
        places, old = notes.places[:count].copy(), notes.values[:count].copy()
        undo.put(solve.x.reshape(-1), places, old[:, 0])
        undo.put(solve.r.reshape(-1), places, old[:, 1])
        return undo

    def column(self, node: int) -> Floats:
        """The posterior covariance of a node with every node, without the constant term."""
        system = self.system
        solution = self.relaxation.column(node, self.terms.tol / system.unit)
        column: Floats = system.out * solution * system.into[node]
        return column

    def prior_weight(self) -> float:
        """1 / (μ/b + Σ A), the weight of the constant in `gaussian`."""
        precision, b = self.terms.precision, self.terms.b
        left = max(float((self.totals - self.sums).sum()), 0.0)  # below 0 only by the tolerance
        return 1.0 / (1.0 / (precision * b) + left) if b > 0 else 0.0

    def votes(self, node: int) -> Floats:
        """What one label of value 1 at each node adds to the value of `node`, by a column relaxed anew."""
        return self._votes(node, self.relaxation.column(node, self._finest))

    def main_votes(self, node: int) -> Floats:
        """The same as far as it takes to see whose labels matter most: relaxed more and more finely.

        It ends at the tolerance of `votes`, on a large graph when a column has reached `REACHED` nodes: the
        votes are then within a hundredth or a thousandth.
        """
        scale = (self.terms.precision or 1.0) * self.system.unit**2
        for level in COARSE:
            tol = max(level / scale, self._finest)
            column = self.relaxation.column(node, tol)
            if tol == self._finest or np.count_nonzero(column) > REACHED:
                return self._votes(node, column)
        return self.votes(node)

    @property
    def _finest(self) -> float:
        """The tolerance of a column behind an explanation."""
        return min(self.terms.tol, EXPLAINED / self.system.unit) / self.system.unit

    def _votes(self, node: int, solution: Floats) -> Floats:
        precision, b = self.terms.precision, self.terms.b
        system = self.system
        column: Floats = system.out[node] * solution * system.into
        if precision == 0:
            return column + b
        shares: Floats = precision * column
        seen = np.flatnonzero(self.counts.sum(axis=0))
        left = 1.0 - float(self.counts.sum(axis=0)[seen] @ shares[seen])
        weight = self.prior_weight()
        if weight > 0:
            nodes = self._masses(seen)
            shares[seen] += left * weight * nodes
        return shares

    def _masses(self, nodes: Ints) -> Floats:
        """1 − g at the given nodes."""
        plain = self.terms._replace(b=0.0)
        result = np.empty(len(self.totals))
        masses = np.full(len(nodes), np.nan)
        for k, node in enumerate(nodes.tolist()):
            read_values(self.relaxation.csr, self.arrays, self.frame, plain, node, result)
            masses[k] = 1.0 - result.sum()
        return masses


def targets_of(labels: Ints) -> Floats:
    """What each field should be under a comparator: 0 or 1, from one row of ±1 per problem."""
    rows = np.concatenate([-labels, labels]) if len(labels) == 1 else labels
    return (rows > 0).astype(np.float64)


def contradiction(counts: Floats, targets: Floats) -> float:
    """Σ over all labels and fields of (label − target)²: 2 per label that contradicts the comparator."""
    misses = counts * (1.0 - targets) ** 2 + (counts.sum(axis=0) - counts) * targets**2
    return float(misses.sum())


def dense_norm(matrix: Floats, target: Floats) -> float:
    """‖f‖² in the space of a kernel matrix, infinite where f is not in it."""
    powers, directions = np.linalg.eigh(matrix)
    parts = directions.T @ target
    kept = powers > 1e-6 * max(float(powers[-1]), 0.0)  # below, the columns' own error decides
    if float(np.abs(parts[~kept]).max(initial=0.0)) > 1e-6:
        return math.inf
    return float((parts[kept] ** 2 / powers[kept]).sum())


def lead_shares(values: Floats, votes: Floats, counts: Floats, code: int) -> list[tuple[int, float]]:
    """What each label adds to the lead of a class over its best rival, largest first."""
    others = np.delete(np.arange(len(values)), code)
    rival = int(others[np.argmax(values[others])])
    signed = counts[code] - counts[rival]
    seen = np.flatnonzero(counts[code] + counts[rival])
    shares = [(int(other), float(votes[other] * signed[other])) for other in seen]
    return sorted(shares, key=lambda share: -abs(share[1]))


@kernel
def read_values(
    csr: Csr, arrays: FieldArrays, frame: Frame, terms: FieldTerms, node: int, values: Any
) -> None:
    """The value of every class at a node; see the module."""
    x, r, inverse = arrays.x, arrays.r, arrays.inverse
    for c in range(len(values)):
        values[c] = frame.out[node] * read(csr, inverse, x[c], r[c], node)
    if terms.b != 0.0:
        _add_constant(frame, terms, values)


@kernel
def read_table(
    csr: Csr, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Any, values: Any
) -> None:
    """The values at several nodes, one row each: class by class, so that fewer arrays are used at a time."""
    x, r, inverse = arrays.x, arrays.r, arrays.inverse
    for c in range(values.shape[1]):
        for k in range(len(nodes)):
            values[k, c] = frame.out[nodes[k]] * read(csr, inverse, x[c], r[c], nodes[k])
    if terms.b != 0.0:
        for k in range(len(nodes)):
            _add_constant(frame, terms, values[k])


@kernel
def _add_constant(frame: Frame, terms: FieldTerms, values: Any) -> None:
    """Add what the constant b·11ᵀ says to the values of a node."""
    sums, totals, precision, b = frame.sums, frame.totals, terms.precision, terms.b
    mass = 0.0
    for c in range(len(values)):
        mass += values[c]
    if precision == 0.0:
        for c in range(len(values)):
            values[c] += b * totals[c]
        return
    left = 0.0
    for c in range(len(values)):
        left += totals[c] - sums[c]
    weight = 1.0 / (precision * b) + max(left, 0.0)  # below 0 only by the tolerance
    for c in range(len(values)):
        values[c] += (totals[c] - sums[c]) / weight * (1.0 - mass)


@kernel
def learn_label(
    csr: Csr,
    arrays: FieldArrays,
    frame: Frame,
    terms: FieldTerms,
    scratch: Queue,
    node: int,
    code: int,
    notes: Any = None,
) -> None:
    """Reveal that `node` has class `code`; see the module. What fields held is left in `notes`, if given."""
    x, r, excess, inverse, limits = arrays
    into, out, counts, sums, totals = frame
    precision, tol = terms.precision, terms.tol
    rules = NodeRules(inverse, limits)
    totals[code] += 1.0
    if precision == 0.0:
        counts[code, node] += 1.0
        if notes is not None:
            begin_notes(notes, code * x.shape[1])
            note_pair(notes, scratch, node, x[code, node], r[code, node])
        r[code, node] += into[node]
        relax(csr, rules, x[code], r[code], scratch, node, Watch(out, counts, sums[:0]), notes)
        return
    watched = sums if terms.b > 0.0 else sums[:0]  # without a constant nobody reads them
    if terms.b > 0.0:
        for c in range(len(totals)):
            sums[code] += out[node] * x[c, node]
    counts[code, node] += 1.0
    weight = precision * into[node] * into[node]
    excess[node] += weight
    inverse[node] = 1.0 / (1.0 / inverse[node] + weight)
    limits[node] = tol * excess[node]
    for c in range(len(totals)):
        target = precision * into[node] if c == code else 0.0
        if notes is not None:
            begin_notes(notes, c * x.shape[1])
            note_pair(notes, scratch, node, x[c, node], r[c, node])
        r[c, node] += target - weight * x[c, node]
        relax(csr, rules, x[c], r[c], scratch, node, Watch(out, counts, watched), notes)


@inner_kernel
def to_margins(values: Any, margins: Any) -> None:
    """The lead of every class over its best rival, 0 for a tie."""
    if len(margins) == 1:
        margins[0] = settle(values[1] - values[0], max(abs(values[0]), abs(values[1])))
        return
    best, first, second = 0, -np.inf, -np.inf
    for c in range(len(values)):
        if values[c] > first:
            best, first, second = c, values[c], first
        elif values[c] > second:
            second = values[c]
    for c in range(len(margins)):
        rival = second if c == best else first
        margins[c] = settle(values[c] - rival, max(abs(values[c]), abs(rival)))


@kernel
def _all_margins(
    csr: Csr, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Any, margins: Any
) -> None:
    """Fill in the margins of several nodes, (nodes, problems)."""
    values = np.empty(len(frame.totals))
    for k in range(len(nodes)):
        read_values(csr, arrays, frame, terms, nodes[k], values)
        to_margins(values, margins[k])

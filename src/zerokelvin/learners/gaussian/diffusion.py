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
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import MEAN_DEGREE, mean_degree
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.relaxation import Relaxation, read, relax
from zerokelvin.kernels.relaxation_queue import new_queue
from zerokelvin.learners.base.ties import settle
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = [
    "Diffusion",
    "FieldArrays",
    "FieldTerms",
    "Frame",
    "System",
    "contradiction",
    "dense_norm",
    "lead_shares",
    "learn_label",
    "read_table",
    "read_values",
    "system_of",
    "targets_of",
    "to_margins",
]


FAR = 1e4
"""Mean degree over mean excess beyond which local relaxation would take too long."""

HEAVY, HEAVIEST = 1e5, 1e9
"""Weight of an edge over the excess of its ends, about the pushes to and fro that it may take: beyond the
first, factors take less where they fit; beyond the second, relaxation would not end in reasonable time."""

EXPLAINED = 1e-5
"""Tolerance of the column behind an explanation, where the learner's own is coarser."""


@dataclass(frozen=True, eq=False)
class System:
    """A kernel as out · (D − A + E)⁻¹ · into with diagonal `into`, `out` and E = diag(excess).

    Where the kernel does not depend on the unit of the weights, the size of a solution does, and a tolerance
    divided by `unit` is the same whatever they are measured in.
    """

    graph: Graph
    excess: Floats
    into: Floats
    out: Floats
    unit: float = 1.0

    @property
    def is_local(self) -> bool:
        """Whether relaxation ends: its sweeps grow with degrees over excess."""
        most = HEAVY if self.graph.num_nodes <= EXACT_LIMIT else HEAVIEST
        return self.reach <= FAR and self.heaviest <= most

    @cached_property
    def reach(self) -> float:
        """Mean degree over mean excess: the sweeps of relaxation, but for a constant."""
        return float(self.graph.degrees.sum()) / float(self.excess.sum())

    @cached_property
    def heaviest(self) -> float:
        """The largest weight of an edge over the excess of its ends."""
        rows = np.repeat(np.arange(self.graph.num_nodes), np.diff(self.graph.indptr))
        return float((self.graph.weights / self.excess[rows]).max(initial=0.0))

    @property
    def is_slow(self) -> bool:
        """Whether a label may touch so many arcs that on this graph, a small one, dense factors take less."""
        count, touched = self.graph.num_nodes, len(self.graph.indices) * self.reach
        return count <= DENSE_LIMIT and touched > max(1e6, 4.0 * count**2)

    @property
    def symmetric(self) -> bool:
        """Whether the kernel is symmetric, so that norms and bounds make sense."""
        return bool(np.array_equal(self.into, self.out))

    def norm(self, u: Floats) -> float:
        """‖u‖² = (u/s)ᵀ (L + E) (u/s) in the space of the kernel."""
        scaled = u / self.into
        rows, columns = self.graph.edges.T
        steps = self.graph.edge_weights @ (scaled[rows] - scaled[columns]) ** 2
        return float(steps + self.excess @ scaled**2)

    @cached_property
    def diagonal(self) -> Floats:
        """Upper bounds on K_ii: by columns up to `DENSE_LIMIT` nodes, else 1/e_i, as (L + E)⁻¹e = 1."""
        reach: Floats = 1.0 / self.excess
        if self.graph.num_nodes <= DENSE_LIMIT:
            tol = 1e-3 * float(reach.min())
            columns = Relaxation(self.graph, self.excess, 0, tol)
            found = np.array([columns.column(i)[i] for i in range(self.graph.num_nodes)])
            reach = np.minimum(reach, found + tol)
        return self.into * reach * self.out

    @cached_property
    def radius(self) -> float:
        """X²: the largest of the bounds on the diagonal of the kernel."""
        return float(self.diagonal.max())


def system_of(graph: Graph, kernel: str) -> System | None:
    """The system of a kernel that local relaxation can serve, None for the others.

    ``"regularized:EPS"``, ``"normalized:EPS"`` and ``"pagerank:ALPHA"``; ``"relative-regularized:EPS"``,
    which is (4L/d̄ + εI)⁻¹ = √s (L + εs·I)⁻¹ √s with s = d̄/4, d̄ the mean degree. The other two are relative
    anyway.
    """
    named = parse_kernel(kernel)
    name, value = named.name, named.number
    if name not in ("regularized", "normalized", "pagerank"):
        return None
    ones = np.ones(graph.num_nodes)
    unit = float(graph.edge_weights.mean()) if graph.num_edges else 1.0
    degrees = np.where(graph.degrees > 0, graph.degrees, unit)
    if name == "pagerank":
        rate = (1.0 - value) / value
        return System(graph, rate * degrees, ones, rate * degrees, unit)
    if name == "regularized" and named.relative:
        scale = mean_degree(graph) / MEAN_DEGREE or 1.0
        root = math.sqrt(scale)
        return System(graph, value * scale * ones, root * ones, root * ones, root)
    if name == "regularized":
        return System(graph, value * ones, ones, ones)
    return System(graph, value * degrees, np.sqrt(degrees), np.sqrt(degrees), math.sqrt(unit))


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
        self.arrays = FieldArrays(solve.x, solve.r, solve.excess, *solve.diagonal)
        self.frame = Frame(system.into, system.out, self.counts, self.sums, self.totals)

    def move_to(self, x: Floats, r: Floats, inverse: Floats) -> None:
        """Go on in other arrays, which hold what x, r and 1 / (D + E) are now."""
        solve = self.relaxation
        solve.x, solve.r, solve.diagonal = x, r, (inverse, solve.diagonal[1])
        self._bind()

    def twin(self) -> Diffusion:
        """Other fields at the same place on the same system."""
        other, solve = copy.copy(self), copy.copy(self.relaxation)
        solve.x, solve.r, solve.excess = solve.x.copy(), solve.r.copy(), solve.excess.copy()
        solve.diagonal = (solve.diagonal[0].copy(), solve.diagonal[1].copy())
        solve.scratch = new_queue(self.system.graph.num_nodes)
        other.relaxation = solve
        other.counts, other.sums, other.totals = self.counts.copy(), self.sums.copy(), self.totals.copy()
        other._bind()
        return other

    @property
    def labels(self) -> int:
        """Labels learnt so far."""
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

    def column(self, node: int) -> Floats:
        """The posterior covariance of a node with every node, without the constant term."""
        system = self.system
        solution = self.relaxation.column(node, self.terms.tol / system.unit)
        column: Floats = system.out * solution * system.into[node]
        return column

    def prior_weight(self) -> float:
        """1 / (μ/b + Σ A), the weight of the constant in `gaussian`."""
        precision, b, _ = self.terms
        left = max(float((self.totals - self.sums).sum()), 0.0)  # below 0 only by the tolerance
        return 1.0 / (1.0 / (precision * b) + left) if b > 0 else 0.0

    def votes(self, node: int) -> Floats:
        """What one label of value 1 at each node adds to the value of `node`, by a column relaxed anew."""
        precision, b, tol = self.terms
        system = self.system
        fine = min(tol, EXPLAINED / system.unit) / system.unit
        column: Floats = system.out[node] * self.relaxation.column(node, fine) * system.into
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
    csr: Any, arrays: FieldArrays, frame: Frame, terms: FieldTerms, node: int, values: Any
) -> None:
    """The value of every class at a node; see the module."""
    x, r, _, inverse, _ = arrays
    for c in range(len(values)):
        values[c] = frame.out[node] * read(csr, inverse, x[c], r[c], node)
    if terms.b != 0.0:
        _add_constant(frame, terms, values)


@kernel
def read_table(
    csr: Any, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Any, values: Any
) -> None:
    """The values at several nodes, one row each: class by class, so that fewer arrays are used at a time."""
    x, r, _, inverse, _ = arrays
    for c in range(values.shape[1]):
        for k in range(len(nodes)):
            values[k, c] = frame.out[nodes[k]] * read(csr, inverse, x[c], r[c], nodes[k])
    if terms.b != 0.0:
        for k in range(len(nodes)):
            _add_constant(frame, terms, values[k])


@kernel
def _add_constant(frame: Frame, terms: FieldTerms, values: Any) -> None:
    """Add what the constant b·11ᵀ says to the values of a node."""
    _, _, _, sums, totals = frame
    precision, b = terms.precision, terms.b
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
    csr: Any, arrays: FieldArrays, frame: Frame, terms: FieldTerms, scratch: Any, node: int, code: int
) -> None:
    """Reveal that `node` has class `code`; see the module."""
    x, r, excess, inverse, limits = arrays
    into, out, counts, sums, totals = frame
    precision, tol = terms.precision, terms.tol
    diagonal = (inverse, limits)
    totals[code] += 1.0
    if precision == 0.0:
        counts[code, node] += 1.0
        r[code, node] += into[node]
        relax(csr, diagonal, x[code], r[code], scratch, node, (out, counts, sums[:0]))
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
        r[c, node] += target - weight * x[c, node]
        relax(csr, diagonal, x[c], r[c], scratch, node, (out, counts, watched))


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
    csr: Any, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Any, margins: Any
) -> None:
    values = np.empty(len(frame.totals))
    for k in range(len(nodes)):
        read_values(csr, arrays, frame, terms, nodes[k], values)
        to_margins(values, margins[k])

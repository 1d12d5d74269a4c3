"""Propagation: every revealed node votes with its kernel column.

With a kernel K, keep w_c = Σ_s K e_s over the revealed nodes s of each class c (and b·n_c, a constant):

    predict  the class of largest w_c(i)     a look-up
    learn    w_c += K e_i                    one column, shared by all classes

Unlike the perceptron it learns from every label, right or wrong; it is label propagation (Zhou et al.
2004) played online, and the unregularised limit μ → ∞ of `gaussian`. Kernels (L + εI)⁻¹, (Lₙ + εI)⁻¹
and personalised PageRank are kept by local relaxation (`zerokelvin.kernels.relaxation`): an update touches
only the neighbourhood that matters, and the sum of *all* votes at every node is within `tol` of the exact
one (times √d_i where normalized, times rate·d_i for PageRank, degrees in units of the mean weight). Other
kernels, and these where EPS is below 10⁻⁴ of the mean degree (of 1 where normalized), cost one column per
label.

A label that comes again is one more vote; a contradicting one cancels it.

Bound. Let w = Σ_t K e_{i_t} ⊗ (e_{a_t} − 1/C) over T trials with classes a_t of C, and U the comparator coded
alike, which k labels contradict. Then ⟨w, U⟩ = T(1 − 1/C) − k and ‖w‖² = (1 − 1/C) Σ_t K_ii + 2 Σ_t (v_a − v̄)
with the votes v at i_t before trial t and their mean v̄. By Cauchy–Schwarz

    Σ_t (v_a − v̄) ≥ γ = ½ ((T(1 − 1/C) − k)² / ‖U‖² − (1 − 1/C) Σ_t K_ii).

A trial adds at most (1 − 1/C) B to the left, B the largest sum of votes, and a mistake at most (½ − 1/C) B,
for its own class has at most half of the votes: mistakes ≤ (T(1 − 1/C) B − γ) / (B/2), up to the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.kernels import KernelColumns, has_unit, kernel_columns
from zerokelvin.kernels.pagerank import PageRankKernel
from zerokelvin.learners.base import Learner, Problems, State, learner
from zerokelvin.learners.gaussian.diffusion import (
    Diffusion,
    DiffusionProblems,
    DiffusionState,
    System,
    code_of,
    contradiction,
    dense_norm,
    lead_shares,
    system_of,
    targets_of,
    to_margins,
)

__all__ = ["Propagation", "PropagationState", "lookup_margins"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


COLUMN_ERROR = 1e-6
"""Allowed for in the bound on columns: they and the norm by a dense solve are good to this, relatively."""


class PropagationState(DiffusionState):
    """One binary problem, by local relaxation."""

    def bound_all(self, labels: Ints) -> Bound:
        """The bound of the module. Votes only grow, so the last sums bound every earlier one."""
        diffusion, system = self.diffusion, self.diffusion.system
        counts, targets = diffusion.counts, targets_of(labels)
        _, b, tol = diffusion.numbers
        seen = np.flatnonzero(counts.sum(axis=0))
        largest = max((float(diffusion.values(int(node)).sum()) for node in seen), default=0.0)
        centred = targets - targets.mean(axis=0)
        return _cauchy_schwarz(
            counts=counts,
            targets=targets,
            norm=sum(system.norm(row) for row in centred),
            diagonal=float(counts.sum(axis=0) @ (system.diagonal + b)),
            largest=largest,
            error=float(tol * system.out.max()),
            symmetric=system.symmetric,
        )


class Votes:
    """The sums of votes of every class, with columns of any kernel."""

    def __init__(self, columns: KernelColumns, problems: int, b: float) -> None:
        self.columns = columns
        self.problems = problems
        self.b = b
        self.w = np.zeros((max(2, problems), columns.num_nodes))
        self.counts = np.zeros_like(self.w)

    def learn(self, node: int, code: int) -> None:
        """Let a node vote for its class."""
        self.w[code] += self.columns.column(node) + self.b
        self.counts[code, node] += 1.0

    def margins(self, nodes: Ints) -> Floats:
        """The leads of every problem at several nodes."""
        result = np.full((len(nodes), self.problems), np.nan)
        lookup_margins(self.w, nodes, result)
        return result


class ColumnState(State):
    """One binary problem on shared votes."""

    def __init__(self, votes: Votes, problem: int = 0) -> None:
        self.votes = votes
        self.problem = problem
        rows = slice(0, 2) if votes.problems == 1 else slice(problem, problem + 1)
        self.w, self.counts = votes.w[rows], votes.counts[rows]

    fields: ClassVar[tuple[str, ...]] = ("w", "counts")

    def margin(self, node: int) -> float:
        """The lead of the problem's class over its best rival."""
        return float(self.votes.margins(np.array([node]))[0, self.problem])

    def margins(self, nodes: Ints) -> Floats:
        """The leads at several nodes."""
        return self.votes.margins(np.asarray(nodes, dtype=np.int64))[:, self.problem].copy()

    def update(self, node: int, label: int) -> None:
        """Let the node vote; of several problems that share votes, use `Problems.update`."""
        if self.votes.problems > 1:
            raise ParameterError("one label concerns all classes here; update the problems together.")
        self.votes.learn(node, 1 if label > 0 else 0)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin."""
        columns = self.votes.columns
        votes = columns.row(node) if isinstance(columns, PageRankKernel) else columns.column(node)
        column = votes + self.votes.b
        channel = 1 if self.votes.problems == 1 else self.problem
        return lead_shares(self.votes.w[:, node], column, self.votes.counts, channel)

    def bound(self, labels: Ints) -> Bound:
        """The bound of the one problem; with more classes it speaks of all, see `Problems.bound`."""
        return (
            self.bound_all(np.asarray(labels)[None, :]) if self.votes.problems == 1 else super().bound(labels)
        )

    def bound_all(self, labels: Ints) -> Bound:
        """The bound of the module, its norm by a dense solve."""
        counts, targets = self.votes.counts, targets_of(labels)
        columns = self.votes.columns
        matrix = np.column_stack([columns.column(i) for i in range(columns.num_nodes)]) + self.votes.b
        centred = targets - targets.mean(axis=0)
        seen = np.flatnonzero(counts.sum(axis=0))
        positive = bool((matrix >= 0).all())
        return _cauchy_schwarz(
            counts=counts,
            targets=targets,
            norm=sum(dense_norm(matrix, row) for row in centred) if positive else math.inf,
            diagonal=float(counts.sum(axis=0) @ matrix.diagonal()),
            largest=float(self.votes.w[:, seen].sum(axis=0).max(initial=0.0)),
            error=COLUMN_ERROR * float(matrix.diagonal().max()),
            symmetric=not isinstance(columns, PageRankKernel),
        )


class ColumnProblems(Problems):
    """Problems that share votes."""

    def __init__(self, states: Sequence[State], votes: Votes) -> None:
        super().__init__(states)
        self.votes = votes

    def margins(self, node: int) -> Floats:
        """The margin of `node` in every problem."""
        return self.votes.margins(np.array([node]))[0]

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Reveal a label to all problems; this learner wants every label."""
        self.votes.learn(node, code_of(signs))

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """One bound for all classes together."""
        first: Any = self.states[0]
        bound: Bound = first.bound_all(np.array(labels))
        return bound


@learner("propagation")
@dataclass(frozen=True)
class Propagation(Learner):
    """Every revealed node votes with its kernel column; see the module.

    Parameters
    ----------
    kernel
        ``"normalized:EPS"`` for (Lₙ + EPS·I)⁻¹, ``"relative-regularized:EPS"`` for (4L/d̄ + EPS·I)⁻¹ with the
        mean degree d̄, ``"pagerank:ALPHA"`` for personalised PageRank, or whatever
        `kernels.kernel_columns` takes; ``"regularized:EPS"``, (L + EPS·I)⁻¹, depends on the unit of
        the weights.
    b
        A constant vote: decides by the class counts where no other vote arrives.
    engine
        ``"push"`` for local relaxation where the kernel allows it and EPS is not too small (see the module);
        anything else computes columns, as in `zerokelvin.kernels.kernel_columns`.
    tol
        Certified error of the sum of votes by local relaxation; relative residual of a column otherwise.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Propagation().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) > 0 for node in range(4)]
    [False, False, True, True]
    """

    kernel: Any = "normalized:0.1"
    b: float = 1e-8
    engine: str = "push"
    tol: float = 0.03

    def __post_init__(self) -> None:
        if not (math.isfinite(self.b) and self.b >= 0):
            raise ParameterError(f"b={self.b} must be a finite number of at least 0.")
        if not (math.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol} must be a positive number.")

    def unit_matters(self) -> str:
        """With a kernel in units of the weights."""
        return f"so does the kernel {self.kernel}" if has_unit(self.kernel) else ""

    def prepare(self, graph: Graph) -> System | KernelColumns:
        """The kernel of the graph, shared by all classes and shuffles."""
        graph.require_positive("propagation")
        named = isinstance(self.kernel, str)
        system = system_of(graph, self.kernel) if named else None
        if system is not None and self.engine == "push" and system.is_local:
            return system
        engine, tol = "auto" if self.engine == "push" else self.engine, min(self.tol, 1e-6)
        if named and not parse_kernel(self.kernel).kernel.is_symmetric:
            return parse_kernel(self.kernel).columns(graph, engine, tol)
        return kernel_columns(graph, self.kernel, engine, tol)

    def start(
        self,
        graph: Graph,
        prepared: System | KernelColumns | None = None,
        rng: np.random.Generator | None = None,
    ) -> State:
        """Begin one binary problem with no votes."""
        return self.start_problems(graph, 1, prepared, 0).states[0]

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems that share every column."""
        prepared = self.prepare(graph) if prepared is None else prepared
        if not isinstance(prepared, System):
            votes = Votes(prepared, count, self.b)
            return ColumnProblems([ColumnState(votes, c) for c in range(count)], votes)
        diffusion = Diffusion(prepared, count, 0.0, self.b, self.tol / prepared.unit)
        return DiffusionProblems([PropagationState(diffusion, c) for c in range(count)], diffusion)


def _cauchy_schwarz(
    *,
    counts: Floats,
    targets: Floats,
    norm: float,
    diagonal: float,
    largest: float,
    error: float,
    symmetric: bool = True,
) -> Bound:
    total, share = float(counts.sum()), 1.0 - 1.0 / len(counts)
    against = contradiction(counts, targets) / 2
    agreement = max(0.0, total * share - against)
    gained = 0.5 * (agreement**2 / norm - share * diagonal) if norm > 0 else 0.0
    slack = 2 * len(counts) * error  # of v_a − v̄, and of the sum of votes
    room = 0.5 * largest - slack
    value = total
    if room > 0 and gained > 0:
        value = min(total, max(0.0, (total * (share * largest + slack) - gained) / room))
    terms = {
        "T": total,
        "k": against,
        "‖U‖²": norm,
        "Σ K_ii": diagonal,
        "B": largest,
        "γ": gained,
        "δ": error,
    }
    assumptions = (
        Assumption("the comparator lies in the kernel's space", math.isfinite(norm)),
        Assumption("the kernel is symmetric", symmetric),
    )
    return Bound(value, "Cauchy–Schwarz on the votes", terms, assumptions)


@kernel
def lookup_margins(values: Any, nodes: Any, margins: Any) -> None:
    """Leads from one row of values per class."""
    for k in range(len(nodes)):
        to_margins(values[:, nodes[k]], margins[k])

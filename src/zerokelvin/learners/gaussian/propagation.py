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

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.kernels import KernelColumns, has_unit, kernel_columns
from zerokelvin.kernels.pagerank import PageRankKernel
from zerokelvin.learners.base import Game, Learner, columns_of, learner
from zerokelvin.learners.gaussian.diffusion import (
    Diffusion,
    contradiction,
    dense_norm,
    lead_shares,
    targets_of,
    to_margins,
)
from zerokelvin.learners.gaussian.diffusion_game import DiffusionGame
from zerokelvin.learners.gaussian.field_system import System, is_relaxed, system_of

__all__ = ["Propagation", "PropagationGame", "lookup_margins"]


COLUMN_ERROR = 1e-6
"""Allowed for in the bound on columns: they and the norm by a dense solve are good to this, relatively."""


class PropagationGame(DiffusionGame):
    """The game of votes that are kept current by local relaxation."""

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound of the module. Votes only grow, so the last sums bound every earlier one."""
        rows = np.array(labels)
        diffusion, system = self.diffusion, self.diffusion.system
        counts, targets = diffusion.counts, targets_of(rows)
        b, tol = diffusion.terms.b, diffusion.terms.tol
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


class ColumnGame(Game):
    """Votes by columns of any kernel: the sums of every class at every node."""

    def __init__(self, columns: KernelColumns, classes: int, b: float) -> None:
        super().__init__(classes)
        self.kernel = columns
        self.b = b
        self.w = np.zeros((classes, columns.num_nodes))
        self.counts = np.zeros_like(self.w)

    def scores(self, nodes: Any) -> Floats:
        """The lead of every problem's class over its best rival, (nodes, columns)."""
        result = np.full((len(nodes), self.columns), np.nan)
        lookup_margins(self.w, np.asarray(nodes, dtype=np.int64), result)
        return result

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Let a node vote for its class; this learner wants every label."""
        self.w[code] += self.kernel.column(node) + self.b
        self.counts[code, node] += 1.0

    def explain(self, node: int, column: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin."""
        kernel = self.kernel
        votes = kernel.row(node) if isinstance(kernel, PageRankKernel) else kernel.column(node)
        code = 1 if self.columns == 1 else column
        return lead_shares(self.w[:, node], votes + self.b, self.counts, code)

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound of the module, its norm by a dense solve."""
        counts, targets = self.counts, targets_of(np.array(labels))
        matrix = np.column_stack([self.kernel.column(i) for i in range(self.kernel.num_nodes)]) + self.b
        centred = targets - targets.mean(axis=0)
        seen = np.flatnonzero(counts.sum(axis=0))
        positive = bool((matrix >= 0).all())
        return _cauchy_schwarz(
            counts=counts,
            targets=targets,
            norm=sum(dense_norm(matrix, row) for row in centred) if positive else math.inf,
            diagonal=float(counts.sum(axis=0) @ matrix.diagonal()),
            largest=float(self.w[:, seen].sum(axis=0).max(initial=0.0)),
            error=COLUMN_ERROR * float(matrix.diagonal().max()),
            symmetric=not isinstance(self.kernel, PageRankKernel),
        )

    def parts(self) -> dict[str, NDArray[Any]]:
        """The sums and the counts of every class."""
        rows = [slice(0, 2)] if self.columns == 1 else [slice(c, c + 1) for c in range(self.columns)]
        parts = {f"{c}/w": self.w[own] for c, own in enumerate(rows)}
        return parts | {f"{c}/counts": self.counts[own] for c, own in enumerate(rows)}


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

    purpose: ClassVar[str] = (
        "quick and good predictions where neighbours agree: every label votes around itself"
    )
    choose: ClassVar[str] = "the graph is large, labels come fast, and you need no variance"
    cost: ClassVar[str] = (
        "a local relaxation around each label, which stops at its tolerance; O(1) per prediction"
    )

    kernel: Any = "normalized:0.1"
    b: float = 1e-8
    engine: str = "push"
    tol: float = 0.03

    def __post_init__(self) -> None:
        if not (math.isfinite(self.b) and self.b >= 0):
            raise ParameterError(f"b={self.b} must be a finite number of at least 0.")
        if not (math.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol} must be a positive number.")

    def needs_whole(self) -> str:
        """Where votes are columns: with another engine or kernel than those of local relaxation."""
        local = self.engine == "push" and isinstance(self.kernel, str) and is_relaxed(self.kernel)
        return "" if local else f"kernel={self.kernel!r} with engine={self.engine!r} takes columns"

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
        if isinstance(graph, PackedGraph):
            raise ParameterError(
                f"kernel={self.kernel!r} reaches too far for local relaxation, and '{graph.source}' is "
                "packed; give a larger EPS, such as normalized:0.1, or read it all with graph.in_memory()."
            )
        engine, tol = "auto" if self.engine == "push" else self.engine, min(self.tol, 1e-6)
        if named and not parse_kernel(self.kernel).kernel.is_symmetric:
            return parse_kernel(self.kernel).columns(graph, engine, tol)
        return kernel_columns(graph, self.kernel, engine, tol)

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game whose classes share every column."""
        prepared = self.prepare(graph) if prepared is None else prepared
        if not isinstance(prepared, System):
            return ColumnGame(prepared, classes, self.b)
        diffusion = Diffusion(prepared, columns_of(classes), 0.0, self.b, self.tol / prepared.unit)
        return PropagationGame(diffusion)


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

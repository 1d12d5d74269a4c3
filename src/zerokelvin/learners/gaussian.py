"""Online ridge regression, the mean of a Gaussian process, on a graph kernel: every label is used.

With K' = K + b·11ᵀ and noise μ, the margin of a node i and its variance given the labelled nodes S are

    m(i) = k_i(S)ᵀ (K'_SS + μI)⁻¹ y,      v(i) = K'_ii − k_i(S)ᵀ (K'_SS + μI)⁻¹ k_i(S).

All classes share the covariance. Two engines:

- *push*, for K = (L + εI)⁻¹ and (Lₙ + εI)⁻¹: by Woodbury's identity m solves (L + εI + D_S/μ) m = D_S y/μ, a
  sparse system that one more label changes at one node only. Local relaxation follows it
  (`zerokelvin.linalg.relaxation`): no n × n matrix, memory O(E + n·classes), every mean within a
  certified error. With (L + εI)⁻¹ the values of the classes are the chances that a walk from i is
  stopped at a node of that class, and b spreads the rest by a class prior (`zerokelvin.learners.diffusion`).
- *exact*, for any kernel up to 20,000 nodes: a Cholesky factor that grows with the labels
  (`zerokelvin.learners.covariance`).

A label that comes again is one more noisy observation.

Bound. Online ridge regression satisfies Σ_t (y_t − m_t)² / (1 + v_t/μ) = min_f Σ_t (y_t − f_t)² + μ‖f‖²
(Zhdanov and Kalnishkan 2013, Theorem 1), and v_t ≤ X² = max K'_ii. With two classes a mistake means
(y_t − m_t)² ≥ 1 for the ±1 targets; with more, one-hot targets have Σ_c (y_c − m_c)² ≥ ½ where a wrong class
leads. With an error of at most δ in a lead and a comparator that k labels contradict, mistakes are at most

    (1 + X²/μ) (μ‖u‖² + 4k) / (1 − δ)²                 two classes,  ‖u‖² ≤ 4Φ + εn for (L + εI)⁻¹,
    2 (1 + X²/μ) (μ Σ_c ‖u_c‖² + 2k) / (1 − δ)²        more classes, Σ_c ‖u_c‖² ≤ 2Φ + εn, Φ all cut edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.certify import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, Problems, Progress, State, Trace, Trials, learner
from zerokelvin.learners.covariance import Covariance, all_revealed
from zerokelvin.learners.diffusion import (
    Diffusion,
    DiffusionProblems,
    DiffusionState,
    System,
    code_of,
    contradiction,
    dense_norm,
    system_of,
    targets_of,
)
from zerokelvin.learners.influence import Influence
from zerokelvin.learners.propagation import lookup_margins
from zerokelvin.linalg.kernels import KernelColumns, kernel_columns

__all__ = ["Gaussian", "GaussianState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class GaussianState(DiffusionState):
    """One binary problem, by local relaxation."""

    def variance(self, node: int) -> float:
        """The predictive variance of a node, its noise left out."""
        diffusion = self.diffusion
        precision, b, _ = diffusion.numbers
        column = diffusion.column(node)
        spread = float(column[node])
        if b > 0:
            counts = diffusion.counts.sum(axis=0)
            seen = np.flatnonzero(counts)
            left = 1.0 - float(precision * (counts[seen] @ column[seen]))
            spread += left**2 * diffusion.prior_weight() / precision
        return max(float(spread), 0.0)

    def bound_all(self, labels: Ints) -> Bound:
        """The bound of the module against one row of ±1 per problem."""
        diffusion, system = self.diffusion, self.diffusion.system
        precision, b, tol = diffusion.numbers
        spread = diffusion.labels * diffusion.prior_weight()  # how far β depends on the values
        error = (
            tol * float(system.out.max()) * (1.0 + len(diffusion.counts) * (min(1.0, spread) + 2 * spread))
        )
        norms = [system.norm(target) for target in _comparators(labels)]
        radius = system.radius + float(b)
        return _ridge_bound(
            norms, radius, 1.0 / precision, contradiction(diffusion.counts, targets_of(labels)), 2 * error
        )


class GaussianProblems(DiffusionProblems):
    """Problems that share their channels, and know what a label is worth."""

    def __init__(self, states: Sequence[State], diffusion: Diffusion) -> None:
        super().__init__(states, diffusion)
        self.influence = Influence(diffusion)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """Influence over lead; see `zerokelvin.learners.influence`."""
        return self.influence.value(node, waiting)


class ExactState(State):
    """One binary problem, by the growing Cholesky factor."""

    def __init__(self, covariance: Covariance, problem: int = 0) -> None:
        self.covariance = covariance
        self.problem = problem

    def margin(self, node: int) -> float:
        """The lead of the problem's class over its best rival."""
        return float(_leads(self.covariance, np.array([node]))[0, self.problem])

    def margins(self, nodes: Ints) -> Floats:
        """The leads at several nodes."""
        return _leads(self.covariance, np.asarray(nodes, dtype=np.int64))[:, self.problem].copy()

    def update(self, node: int, label: int) -> None:
        """Reveal a label; of several problems that share a covariance, use `Problems.update`."""
        if self.covariance.problems > 1:
            raise ParameterError("one label concerns all classes here; update the problems together.")
        self.covariance.learn(node, 1 if label > 0 else 0)

    def variance(self, node: int) -> float:
        """The predictive variance of a node, its noise left out."""
        return max(float(self.covariance.variances[node]), 0.0)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin."""
        covariance = self.covariance
        values = covariance.means[:, node]
        channel = 1 if covariance.problems == 1 else self.problem
        others = np.delete(np.arange(len(values)), channel)
        rival = int(others[np.argmax(values[others])])
        shares: dict[int, float] = {}
        weights = covariance.weights()[:, node].tolist()
        for other, code, weight in zip(covariance.nodes, covariance.codes, weights, strict=True):
            if code in (channel, rival):
                shares[other] = shares.get(other, 0.0) + (weight if code == channel else -weight)
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def bound(self, labels: Ints) -> Bound:
        """The bound of the one problem; with more classes it speaks of all, see `Problems.bound`."""
        one = self.covariance.problems == 1
        return self.bound_all(np.asarray(labels)[None, :]) if one else super().bound(labels)

    def bound_all(self, labels: Ints) -> Bound:
        """The bound of the module against one row of ±1 per problem; norms by dense solves."""
        covariance = self.covariance
        columns, targets = covariance.columns, targets_of(labels)
        matrix = np.column_stack([columns.column(i) for i in range(columns.num_nodes)]) + covariance.b
        norms = [dense_norm(matrix, target) for target in _comparators(labels)]
        seen = zip(covariance.nodes, covariance.codes, strict=True)
        unit = np.eye(len(targets))
        against = math.fsum(float(((unit[code] - targets[:, node]) ** 2).sum()) for node, code in seen)
        return _ridge_bound(norms, float(matrix.diagonal().max()), covariance.mu, against, 1e-6)


class ExactProblems(Problems):
    """Problems that share a covariance; a game in a known order is one factorisation."""

    def __init__(self, states: Sequence[State], covariance: Covariance) -> None:
        super().__init__(states)
        self.covariance = covariance

    def margins(self, node: int) -> Floats:
        """The leads of every problem at a node."""
        return _leads(self.covariance, np.array([node]))[0]

    def variance(self, node: int) -> float:
        """All problems have the same variance."""
        return self.states[0].variance(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """Influence over lead, by a dense column of the posterior covariance."""
        column = self.covariance.column(node)
        second, first = np.partition(self.covariance.values(node), -2)[-2:]
        others = column[: len(waiting)][waiting & (np.arange(len(waiting)) != node)]
        influence = float(np.linalg.norm(others)) / (float(column[node]) + self.covariance.mu)
        return influence / max(float(first - second), 1e-12)

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Reveal a label to all problems; this learner wants every label."""
        self.covariance.learn(node, code_of(signs))

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """One bound for all classes together."""
        first: Any = self.states[0]
        bound: Bound = first.bound_all(np.array(labels))
        return bound

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """One factorisation where every label is revealed at once and no node comes twice."""
        total = len(trials.nodes)
        if self.covariance.nodes or not all_revealed(trials):
            return super().play(trials, progress)
        codes = np.array([code_of(signs) for signs in trials.signs])
        values = self.covariance.known_order(trials.nodes, codes)
        trace = Trace(np.empty(trials.signs.shape), np.ones(trials.signs.shape, dtype=np.bool_))
        lookup_margins(values, np.arange(total), trace.margins)
        if progress is not None:
            progress(total)
        return trace


@learner("gaussian")
@dataclass(frozen=True)
class Gaussian(Learner):
    """Online ridge / Gaussian-process regression on a graph kernel; see the module.

    Parameters
    ----------
    kernel
        ``"regularized:EPS"`` for (L + EPS·I)⁻¹, ``"normalized:EPS"`` for (Lₙ + EPS·I)⁻¹, or whatever
        `zerokelvin.linalg.kernel_columns` takes (``"heat:T"``, a matrix, …).
    mu
        Noise: how far a label may be from the mean at its node.
    b
        Weight of the constant 11ᵀ, which carries the class prior. The default lets it decide only
        where the graph says nothing; with 1 it competes with the graph (Cora's error .154 becomes .170).
    engine
        ``"push"`` relaxes locally where the kernel allows it; ``"exact"`` or an engine of
        `zerokelvin.linalg.kernel_columns` factorises.
    tol
        Certified error of the values by local relaxation; relative residual of columns otherwise.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Gaussian().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) > 0 for node in range(4)]
    [False, False, True, True]
    >>> state.variance(1) > state.variance(0)
    True
    """

    kernel: Any = "regularized:0.1"
    mu: float = 0.3
    b: float = 1e-8
    engine: str = "push"
    tol: float = 0.02

    has_variance: ClassVar[bool] = True
    has_value: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("mu", "positive"), ("tol", "positive"), ("b", "at least 0")):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 or (value == 0 and least == "at least 0"))):
                raise ParameterError(f"{name}={value} must be a finite number, {least}.")

    def prepare(self, graph: Graph) -> System | KernelColumns:
        """The kernel of the graph, shared by all classes and shuffles."""
        graph.require_positive("gaussian")
        symmetric = isinstance(self.kernel, str) and not self.kernel.startswith("pagerank")
        system = system_of(graph, self.kernel) if symmetric else None
        if system is not None and self.engine == "push":
            return system
        engine = "auto" if self.engine in ("push", "exact") else self.engine
        return kernel_columns(graph, self.kernel, engine, min(self.tol, 1e-8))

    def start(
        self,
        graph: Graph,
        prepared: System | KernelColumns | None = None,
        rng: np.random.Generator | None = None,
    ) -> State:
        """Begin one binary problem with no labels."""
        return self.start_problems(graph, 1, prepared, 0).states[0]

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems on one covariance."""
        prepared = self.prepare(graph) if prepared is None else prepared
        if isinstance(prepared, System):
            diffusion = Diffusion(prepared, count, 1.0 / self.mu, self.b, self.tol)
            return GaussianProblems([GaussianState(diffusion, c) for c in range(count)], diffusion)
        covariance = Covariance(prepared, count, self.mu, self.b)
        return ExactProblems([ExactState(covariance, c) for c in range(count)], covariance)


def _leads(covariance: Covariance, nodes: Ints) -> Floats:
    result = np.empty((len(nodes), covariance.problems))
    lookup_margins(covariance.means, nodes, result)
    return result


def _comparators(labels: Ints) -> Floats:
    """The ±1 targets of one problem, the one-hot targets of several."""
    return labels.astype(np.float64) if len(labels) == 1 else targets_of(labels)


def _ridge_bound(norms: Sequence[float], radius: float, mu: float, against: float, error: float) -> Bound:
    """`against` is twice the number of labels that contradict the comparator."""
    norm = math.fsum(norms)
    factor = 2.0 if len(norms) > 1 else 1.0
    loss = factor * (1.0 + radius / mu) * (mu * norm + against * (2.0 if len(norms) == 1 else 1.0))
    value = loss / (1.0 - error) ** 2 if error < 1 else math.inf
    terms = {"‖u‖²": norm, "X²": radius, "μ": mu, "k": against / 2, "δ": float(error)}
    assumptions = (
        Assumption("the comparator lies in the kernel's space", math.isfinite(norm)),
        Assumption("the error of a lead is below 1", bool(error < 1)),
    )
    return Bound(value, "Theorem 1, Zhdanov and Kalnishkan 2013", terms, assumptions)

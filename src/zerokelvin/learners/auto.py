"""Auto: no tuning. A mixture of Gaussian regressions and propagation over kernels and scales.

Experts, all fixed beforehand: `gaussian` on (L + εI)⁻¹ and (Lₙ + εI)⁻¹ at several ε and μ, `propagation`, on
graphs of up to 3,000 nodes also exp(−3L), the class frequencies so far, and a logistic combination of all of
these that learns an offset per class (`zerokelvin.learners.hedge`). Expert k gives class c the chance
p_k(c), mostly its hard vote and a little of its probability, and the class of largest Σ_k w_k p_k(c) is
predicted, with AdaHedge's weights for the losses 1 − p_k(true class).

Bound. Where the prediction is wrong, the true class has at most half of the mixture, so the mixture loses
at least ½; and AdaHedge loses at most min_k L_k + 2Δ (de Rooij et al. 2014, Lemma 3). Hence at every time

    mistakes ≤ 2 (min_k L_k + 2Δ).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.certify import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, Problems, Progress, State, Trace, Trials, learner
from zerokelvin.learners.covariance import Covariance, all_revealed
from zerokelvin.learners.diffusion import Diffusion, System, code_of, system_of, to_margins
from zerokelvin.learners.gaussian import GaussianState
from zerokelvin.learners.hedge import AdaHedge, Combination
from zerokelvin.linalg.columns import HeatKernel
from zerokelvin.linalg.dense import DENSE_LIMIT
from zerokelvin.linalg.kernels import DenseKernel

__all__ = ["Auto", "AutoState", "Expert"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SOFT = 0.05
"""Share of an expert's probabilities in its vote; the rest is its most likely class."""

ENOUGH = 30
"""Labels before anything is said about how much the graph tells."""


class Expert(NamedTuple):
    """A kernel and its noise; μ = 0 stands for propagation."""

    kernel: str
    mu: float


LOCAL = (
    Expert("regularized:0.1", 0.3),
    Expert("regularized:0.1", 1.0),
    Expert("regularized:0.5", 0.1),
    Expert("regularized:0.5", 1.0),
    Expert("normalized:0.1", 1.0),
    Expert("normalized:0.1", 0.0),
)
SMALL = (Expert("heat:3", 0.03), Expert("heat:3", 0.1))


@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernels of a graph: systems for local relaxation, matrices where the graph is small."""

    systems: dict[str, System]
    matrices: dict[str, DenseKernel]


class Opinion(NamedTuple):
    """What the experts say about a node: log-probabilities, votes with the combination's last, mixture."""

    logs: Floats
    combined: Floats
    votes: Floats
    mixture: Floats


class Mixture:
    """All experts of one game, and who is trusted."""

    def __init__(self, kernels: Kernels, problems: int, tol: float) -> None:
        classes = max(2, problems)
        self.problems = problems
        self.names: list[str] = []
        self.experts: list[Diffusion | Covariance | Foreseen] = []
        for expert in LOCAL:
            system = kernels.systems[expert.kernel]
            precision = 1.0 / expert.mu if expert.mu > 0 else 0.0
            self.experts.append(Diffusion(system, problems, precision, 0.0, tol))
        for expert in SMALL if kernels.matrices else ():
            self.experts.append(Covariance(kernels.matrices[expert.kernel], problems, expert.mu, 0.0))
        described = (*LOCAL, *(SMALL if kernels.matrices else ()))
        self.names = [f"{'gaussian' if e.mu else 'propagation'} {e.kernel}" for e in described]
        self.names = [f"{n} mu={e.mu:g}" if e.mu else n for n, e in zip(self.names, described, strict=True)]
        self.names += ["class frequencies", "combination"]
        self.combination = Combination(len(self.experts) + 1, classes)
        self.hedge = AdaHedge(len(self.names))
        self.counts = np.zeros(classes)
        self.mistakes = 0
        self._last: tuple[int, int, Opinion] | None = None

    def opinion(self, node: int) -> Opinion:
        """What the experts say; the last answer is kept until a label is learnt."""
        total = int(self.counts.sum())
        last = self._last
        if last is not None and last[:2] == (node, total):
            return last[2]
        classes = len(self.counts)
        frequencies = (self.counts + 1.0) / (total + classes)
        rows = [expert.values(node) for expert in self.experts]
        shares = np.vstack([*rows, frequencies])
        shares = np.maximum(shares, 0.0) + 0.01 / classes
        shares /= shares.sum(axis=1, keepdims=True)
        logs = np.log(shares)
        combined = self.combination.probabilities(logs)
        everyone = np.vstack([shares, combined])
        top = everyone >= everyone.max(axis=1, keepdims=True)
        votes = SOFT * everyone + (1.0 - SOFT) * top / top.sum(axis=1, keepdims=True)
        opinion = Opinion(logs, combined, votes, self.hedge.weights() @ votes)
        self._last = (node, total, opinion)
        return opinion

    def margins(self, node: int) -> Floats:
        """The lead of every problem's class, 0 before any label.

        The mixture decides which class leads, the calibrated combination by how much; where they disagree
        the lead is next to nothing, so that such nodes are the first to be asked for.
        """
        margins = np.zeros(self.problems)
        if self.counts.any():
            opinion = self.opinion(node)
            values, winner = opinion.combined.copy(), int(np.argmax(opinion.mixture))
            if int(np.argmax(values)) != winner:
                values[winner] = values.max() + 1e-9
            to_margins(values, margins)
        return margins

    def learn(self, node: int, code: int) -> None:
        """Reveal a class to everyone."""
        opinion = self.opinion(node)
        self.mistakes += int(np.argmax(opinion.mixture)) != code
        self.hedge.learn(1.0 - opinion.votes[:, code])
        self.combination.learn(opinion.logs, opinion.combined, code)
        for expert in self.experts:
            expert.learn(node, code)
        self.counts[code] += 1.0
        self._last = None

    def trusted(self) -> dict[str, float]:
        """The weight of every expert."""
        return dict(zip(self.names, self.hedge.weights().tolist(), strict=True))

    def note(self) -> str:
        """One sentence on whom the mixture trusts, and whether the graph says much about the labels."""
        total = int(self.counts.sum())
        if total < ENOUGH:
            return ""
        name, weight = max(self.trusted().items(), key=lambda item: item[1])
        blind = float(self.hedge.losses[len(self.experts)])  # class frequencies
        said = f"Most trusted: {name} ({weight:.0%})."
        if self.mistakes > 0.5 * blind:
            said += (
                f" The graph carries little signal about these labels: {self.mistakes / total:.0%} wrong "
                f"so far, {blind / total:.0%} by the most frequent class."
            )
        return said


class Foreseen:
    """The values of an expert over a whole game whose order is known, computed at once."""

    def __init__(self, covariance: Covariance, nodes: Ints, codes: Ints) -> None:
        self.table = covariance.known_order(nodes, codes)
        self.trial = {int(node): t for t, node in enumerate(nodes)}

    def values(self, node: int) -> Floats:
        """The value of every class at the trial of a node."""
        return self.table[:, self.trial[node]]

    def learn(self, node: int, code: int) -> None:
        """Nothing: all labels are in the table already."""


class AutoState(State):
    """One binary problem: a view of the mixture."""

    def __init__(self, mixture: Mixture, problem: int = 0) -> None:
        self.mixture = mixture
        self.problem = problem

    def margin(self, node: int) -> float:
        """The lead of the problem's class in the mixture."""
        return float(self.mixture.margins(node)[self.problem])

    def update(self, node: int, label: int) -> None:
        """Reveal a label; of several problems that share a mixture, use `Problems.update`."""
        if self.mixture.problems > 1:
            raise ParameterError("one label concerns all classes here; update the problems together.")
        self.mixture.learn(node, 1 if label > 0 else 0)

    def variance(self, node: int) -> float:
        """The predictive variance of the first Gaussian expert."""
        return self._first.variance(node)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labelled nodes behind the first Gaussian expert, with their shares of its margin."""
        return self._first.explain(node)

    def remark(self, node: int) -> str:
        """Whom the mixture trusts, and whether the graph says much about the labels."""
        return self.mixture.note()

    def bound(self, labels: Ints) -> Bound:
        """Twice the loss that AdaHedge cannot exceed; it holds whatever the labels are."""
        hedge = self.mixture.hedge
        best = int(np.argmin(hedge.losses))
        least = float(hedge.losses[best])
        terms = {f"loss of {self.mixture.names[best]}": least, "Δ": hedge.gap}
        return Bound(2.0 * (least + 2.0 * hedge.gap), "Lemma 3, de Rooij et al. 2014", terms)

    @property
    def _first(self) -> GaussianState:
        expert = self.mixture.experts[0]
        if not isinstance(expert, Diffusion):
            raise ParameterError("the first expert is no local one.")
        return GaussianState(expert, self.problem)


class AutoProblems(Problems):
    """Problems that share a mixture."""

    def __init__(self, states: Sequence[State], mixture: Mixture) -> None:
        super().__init__(states)
        self.mixture = mixture

    def margins(self, node: int) -> Floats:
        """The margin of `node` in every problem."""
        return self.mixture.margins(node)

    def variance(self, node: int) -> float:
        """All problems have the same variance."""
        return self.states[0].variance(node)

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Reveal a label to all problems; this learner wants every label."""
        self.mixture.learn(node, code_of(signs))

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The plain loop; where the order is known, exact experts are computed ahead."""
        mixture = self.mixture
        if mixture.counts.any() or not all_revealed(trials):
            return super().play(trials, progress)
        codes = np.array([code_of(signs) for signs in trials.signs])
        own = list(mixture.experts)
        mixture.experts = [
            Foreseen(expert, trials.nodes, codes) if isinstance(expert, Covariance) else expert
            for expert in own
        ]
        trace = super().play(trials, progress)
        mixture.experts = own
        return trace

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """One bound for all classes together."""
        return self.states[0].bound(labels[0])

    def chances(self, node: int) -> Floats | None:
        """The calibrated probability of each class, by the combination."""
        return self.mixture.opinion(node).combined if self.mixture.counts.any() else None


@learner("auto")
@dataclass(frozen=True)
class Auto(Learner):
    """A mixture over kernels, scales and learners with nothing to tune; see the module.

    Parameters
    ----------
    tol
        Certified error of the experts' values by local relaxation.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Auto().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) > 0 for node in range(4)]
    [False, False, True, True]
    """

    tol: float = 0.05

    has_variance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol} must be a positive number.")

    def prepare(self, graph: Graph) -> Kernels:
        """The kernels of the graph, shared by all classes and shuffles."""
        graph.require_positive("auto")
        systems = {}
        for expert in LOCAL:
            system = system_of(graph, expert.kernel)
            if system is not None:
                systems[expert.kernel] = system
        matrices = {}
        if graph.num_nodes <= DENSE_LIMIT:
            matrices["heat:3"] = DenseKernel(_symmetric(HeatKernel(graph, 3.0), graph.num_nodes))
        return Kernels(systems, matrices)

    def start(
        self, graph: Graph, prepared: Kernels | None = None, rng: np.random.Generator | None = None
    ) -> AutoState:
        """Begin one binary problem."""
        return AutoState(Mixture(self.prepare(graph) if prepared is None else prepared, 1, self.tol))

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems on one mixture."""
        mixture = Mixture(self.prepare(graph) if prepared is None else prepared, count, self.tol)
        return AutoProblems([AutoState(mixture, c) for c in range(count)], mixture)


def _symmetric(kernel: HeatKernel, count: int) -> Floats:
    """The whole matrix, a block of columns at a time."""
    blocks = [kernel.columns(np.arange(at, min(at + 256, count))) for at in range(0, count, 256)]
    matrix = np.hstack(blocks)
    whole: Floats = 0.5 * (matrix + matrix.T)
    return whole

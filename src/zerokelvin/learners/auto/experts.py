"""The experts that `auto` mixes: regressions and votes over kernels and scales, cuts and trees.

All weights are first scaled to a mean degree of 4, so that experts mean the same whatever the unit of the
weights. Then, fixed beforehand,

- `gaussian` on (L + εI)⁻¹ and (Lₙ + εI)⁻¹ at several ε and noises μ, and `propagation`, by local relaxation;
  μ = 0.01 hardly doubts a label, which suits labels that each depend on their neighbours alone;
- the labelled nodes two steps away, where neighbours differ (`zerokelvin.learners.auto.two_steps`);
- `gaussian` for wide regions, on (L + 0.003 I)⁻¹ with much noise and (L + 0.01 I)⁻¹ with little exactly on
  graphs of up to 3,000 nodes, on (L + 0.01 I)⁻¹ with much noise by relaxation on larger ones;
- `gaussian` on the squared walk kernel A⁻¹ D A⁻¹ with A = L + 0.1 D, exactly on graphs of up to 3,000
  nodes, by a pair of fields on larger ones (`zerokelvin.learners.auto.paired`);
- on graphs of up to 3,000 nodes `gaussian` also on exp(−3L), (L + 0.3 I)⁻², exp(−4Lₙ), (Lₙ + 0.3 I)⁻² and
  (A⁻¹ D)³ A⁻¹ with A = L + 0.3 D, smoother kernels whose columns reach too far for relaxation;
- two committees of nine random spanning trees, and `longest-path`, which keeps a flow for every class and
  therefore votes only up to `ARC_LIMIT` arcs times problems; the others need O(E + n·classes).

An expert says how much evidence there is for each class at a node, learns classes, and, where the whole order
is known beforehand, does both for all trials at once (`foresee`) at the speed of its own compiled game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.flow.static.capacities import without_negligible
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.kernels import DenseKernel
from zerokelvin.learners.auto.paired import PairedFields
from zerokelvin.learners.auto.smooth import smooth_kernels
from zerokelvin.learners.auto.two_steps import TwoSteps
from zerokelvin.learners.base import LEARNERS, Problems, Trials
from zerokelvin.learners.gaussian.covariance import Covariance
from zerokelvin.learners.gaussian.diffusion import Diffusion, System, learn_label, read_values, system_of
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = [
    "ExactExpert",
    "Expert",
    "FieldsExpert",
    "LocalExpert",
    "Prepared",
    "VotingExpert",
    "prepare_experts",
    "start_experts",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ARC_LIMIT = 1 << 24
"""Arcs times problems up to which `longest-path` is an expert."""


class Scale(NamedTuple):
    """A kernel and its noise, μ = 0 standing for propagation, and its tolerance relative to the others'."""

    kernel: str
    mu: float
    slack: float = 1.0

    def __str__(self) -> str:
        return f"gaussian {self.kernel} mu={self.mu:g}" if self.mu else f"propagation {self.kernel}"


LOCAL = (
    Scale("regularized:0.1", 0.3),
    Scale("regularized:0.5", 0.1),
    Scale("regularized:0.5", 1.0),
    Scale("regularized:0.3", 0.01),
    Scale("regularized:0.03", 3.0, 5.0),
    Scale("normalized:0.03", 0.3),
    Scale("normalized:0.1", 1.0),
    Scale("normalized:0.1", 0.0, 5.0),
)
EXACT = (
    Scale("regularized:0.003", 10.0),
    Scale("regularized:0.01", 1.0),
    Scale("heat:3", 0.03),
    Scale("squared:0.3", 0.3),
    Scale("normalized-heat:4", 0.03),
    Scale("normalized-squared:0.3", 0.1),
    Scale("walk-fourth:0.3", 1.0),
    Scale("walk-squared:0.1", 1.0),
)
FAR = Scale("regularized:0.01", 10.0, 5.0)
PAIRED = EXACT[-1]
VOTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("longest-path", {}),
    ("spanning-tree", {"trees": 9, "inner": "longest-path"}),
    ("spanning-tree", {"trees": 9, "inner": "nearest"}),
)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What depends on the graph alone."""

    graph: Graph  # as the voters see it, without edges too light for a minimum cut
    systems: dict[str, System]
    matrices: dict[str, DenseKernel]
    voters: tuple[Any, ...]

    @property
    def scaled(self) -> Graph:
        """The graph with weights of the common mean degree."""
        return self.systems[LOCAL[0].kernel].graph


class Expert(ABC):
    """One voice in the mixture."""

    name: str
    floor: float = 0.05
    is_kernel: ClassVar[bool] = True

    @abstractmethod
    def values(self, node: int) -> Floats:
        """The evidence for every class at a node."""

    @abstractmethod
    def table(self, nodes: Ints) -> Floats:
        """The same for several nodes, (nodes, classes)."""

    @abstractmethod
    def learn(self, node: int, code: int) -> None:
        """Take the class of a node."""

    @abstractmethod
    def foresee(self, nodes: Ints, codes: Ints) -> Floats:
        """The evidence before each trial when every class is revealed after it, (trials, classes)."""

    def explain(self, node: int, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to the lead of a class over a rival; empty where unknown."""
        return {}


class LocalExpert(Expert):
    """`gaussian` or `propagation` by local relaxation."""

    def __init__(self, scale: Scale, system: System, classes: int, tol: float) -> None:
        self.name = str(scale)
        precision = 1.0 / scale.mu if scale.mu > 0 else 0.0
        self.diffusion = Diffusion(system, 1 if classes == 2 else classes, precision, 0.0, scale.slack * tol)

    def values(self, node: int) -> Floats:
        """The value of every channel."""
        return self.diffusion.values(node)

    def table(self, nodes: Ints) -> Floats:
        """In compiled code."""
        diffusion = self.diffusion
        result = np.full((len(nodes), len(diffusion.totals)), np.nan)
        _read(diffusion.relaxation.csr, diffusion.arrays, diffusion.frame, diffusion.numbers, nodes, result)
        return result

    def learn(self, node: int, code: int) -> None:
        """Relax from the node."""
        self.diffusion.learn(node, code)

    def foresee(self, nodes: Ints, codes: Ints) -> Floats:
        """The compiled loop."""
        diffusion, solve = self.diffusion, self.diffusion.relaxation
        result = np.full((len(nodes), len(diffusion.totals)), np.nan)
        arrays, frame, numbers = diffusion.arrays, diffusion.frame, diffusion.numbers
        _foresee(solve.csr, arrays, frame, numbers, solve.scratch, nodes, codes, result)
        return result

    def explain(self, node: int, code: int, rival: int) -> dict[int, float]:
        """By the column of the node."""
        counts, votes = self.diffusion.counts, self.diffusion.votes(node)
        return _shares(votes * (counts[code] - counts[rival]))


class ExactExpert(Expert):
    """`gaussian` by a Cholesky factor that grows with the labels."""

    def __init__(self, scale: Scale, matrix: DenseKernel, classes: int) -> None:
        self.name = str(scale)
        self.covariance = Covariance(matrix, 1 if classes == 2 else classes, scale.mu, 0.0)

    def values(self, node: int) -> Floats:
        """The mean of every class."""
        return self.covariance.values(node)

    def table(self, nodes: Ints) -> Floats:
        """They are kept for all nodes."""
        return np.ascontiguousarray(self.covariance.means[:, nodes].T)

    def learn(self, node: int, code: int) -> None:
        """One more row of the factor."""
        self.covariance.learn(node, code)

    def foresee(self, nodes: Ints, codes: Ints) -> Floats:
        """One factorisation."""
        return np.ascontiguousarray(self.covariance.known_order(nodes, codes).T)

    def explain(self, node: int, code: int, rival: int) -> dict[int, float]:
        """By the weights of the regression."""
        covariance = self.covariance
        shares: dict[int, float] = {}
        weights = covariance.weights()[:, node].tolist()
        for other, seen, weight in zip(covariance.nodes, covariance.codes, weights, strict=True):
            if seen in (code, rival):
                shares[other] = shares.get(other, 0.0) + (weight if seen == code else -weight)
        return shares


class FieldsExpert(Expert):
    """The fields or votes that a compiled object keeps for all nodes."""

    def __init__(self, name: str, fields: PairedFields | TwoSteps) -> None:
        self.name = name
        self.fields = fields

    def values(self, node: int) -> Floats:
        """The value of every class."""
        return self.fields.values(node)

    def table(self, nodes: Ints) -> Floats:
        """One compiled loop."""
        return self.fields.table(nodes)

    def learn(self, node: int, code: int) -> None:
        """Carry the label on from its node."""
        self.fields.learn(node, code)

    def foresee(self, nodes: Ints, codes: Ints) -> Floats:
        """The compiled loop."""
        return self.fields.foresee(nodes, codes)

    def explain(self, node: int, code: int, rival: int) -> dict[int, float]:
        """By the column of the node."""
        counts, votes = self.fields.counts, self.fields.votes(node)
        return _shares(votes * (counts[:, code] - counts[:, rival]))


class VotingExpert(Expert):
    """Another learner: the share of a committee for each class, or the one class it predicts."""

    is_kernel = False

    def __init__(self, name: str, problems: Problems, committee: bool) -> None:
        self.name = name
        self.floor = 0.1 if committee else 0.4
        self.problems = problems
        self.committee = committee

    def values(self, node: int) -> Floats:
        """The votes, from the margins of all problems."""
        return self._votes(self.problems.margins(node)[None, :])[0]

    def table(self, nodes: Ints) -> Floats:
        """Problem by problem."""
        return self._votes(np.column_stack([state.margins(nodes) for state in self.problems.states]))

    def learn(self, node: int, code: int) -> None:
        """A label for every problem."""
        self.problems.update(node, self._signs(np.array([code]))[0])

    def foresee(self, nodes: Ints, codes: Ints) -> Floats:
        """The learner's own game."""
        everything = np.full(len(nodes), np.inf)
        trials = Trials(nodes, self._signs(codes), everything, 0, len(nodes))
        return self._votes(self.problems.play(trials).margins)

    def _signs(self, codes: Ints) -> NDArray[np.int8]:
        count = len(self.problems.states)
        rows = codes[:, None] == (np.array([1]) if count == 1 else np.arange(count))
        return np.where(rows, 1, -1).astype(np.int8)

    def _votes(self, margins: Floats) -> Floats:
        both = np.hstack([-margins, margins]) if margins.shape[1] == 1 else margins
        if self.committee:
            return np.ascontiguousarray(0.5 * (1.0 + both))
        votes = np.zeros(both.shape)
        votes[np.arange(len(both)), np.argmax(both, axis=1)] = 1.0
        return votes


def prepare_experts(graph: Graph) -> Prepared:
    """The kernels and trees of a graph, shared by all classes and shuffles."""
    scaled = at_mean_degree(graph)
    systems = {}
    small = graph.num_nodes <= DENSE_LIMIT
    for scale in LOCAL if small else (*LOCAL, FAR):
        system = system_of(scaled, scale.kernel)
        if system is not None:
            systems[scale.kernel] = system
    exact = smooth_kernels(scaled, [scale.kernel for scale in EXACT]) if small else {}
    heavy = without_negligible(graph)
    voters = tuple(
        LEARNERS[name](**params).prepare(heavy) if _fits(name, heavy, 1) else None for name, params in VOTERS
    )
    return Prepared(heavy, systems, exact, voters)


def start_experts(prepared: Prepared, classes: int, tol: float, seed: int) -> list[Expert]:
    """All experts, with nothing learnt."""
    local = LOCAL if prepared.matrices else (*LOCAL, FAR)
    experts: list[Expert] = [
        LocalExpert(scale, prepared.systems[scale.kernel], classes, tol) for scale in local
    ]
    if prepared.matrices:
        experts += [ExactExpert(scale, prepared.matrices[scale.kernel], classes) for scale in EXACT]
    else:
        epsilon = parse_kernel(PAIRED.kernel).number
        fields = PairedFields(prepared.scaled, classes, epsilon, PAIRED.mu, tol=0.0005)
        experts.append(FieldsExpert(str(PAIRED), fields))
    experts.append(FieldsExpert("labels two steps away", TwoSteps(prepared.scaled, classes)))
    count = 1 if classes == 2 else classes
    for (name, params), own in zip(VOTERS, prepared.voters, strict=True):
        if not _fits(name, prepared.graph, count):
            continue
        problems = LEARNERS[name](**params).start_problems(prepared.graph, count, own, seed)
        label = " ".join([name, *(str(value) for value in params.values())])
        experts.append(VotingExpert(label, problems, committee=bool(params)))
    return experts


def _shares(parts: Floats) -> dict[int, float]:
    """What each node adds, those that add something."""
    return {int(node): float(parts[node]) for node in np.flatnonzero(parts)}


def _fits(name: str, graph: Graph, problems: int) -> bool:
    """Whether an expert's memory stays within bounds."""
    return name != "longest-path" or len(graph.indices) * problems <= ARC_LIMIT


@kernel
def _read(csr: Any, arrays: Any, frame: Any, numbers: Any, nodes: Any, values: Any) -> None:
    for k in range(len(nodes)):
        read_values(csr, arrays, frame, numbers, nodes[k], values[k])


@kernel
def _foresee(
    csr: Any, arrays: Any, frame: Any, numbers: Any, scratch: Any, nodes: Any, codes: Any, values: Any
) -> None:
    for t in range(len(nodes)):
        read_values(csr, arrays, frame, numbers, nodes[t], values[t])
        learn_label(csr, arrays, frame, numbers, scratch, nodes[t], codes[t])

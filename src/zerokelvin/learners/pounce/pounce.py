"""POUNCE: project on the nearest mistake (Herbster 2008, "Exploiting cluster-structure ...", Fig. 3).

Let v_i = G⁺e_i be the coordinate of node i, so that r(i, j) = ‖v_i − v_j‖² is the effective resistance.
Keep a weight w(i) per node and the set of mistakes, each with its label. With η the mistake nearest to
node i,

    predict  sign(y_η + w(i) − w(η))                                    two look-ups
    learn    w += [y − y_η − (w(i) − w(η))] (v_i − v_η) / r(i, η)       two kernel columns per mistake

so that afterwards w(i) − w(η) = y − y_η: a projection of w. What the figure leaves open:

- *The first trial* of every component enters the set of mistakes whatever was guessed. Before it, the
  margin of every node of the component is 0.
- *Ties*: of equally near mistakes the earliest counts, where distances within 1e-9 of the numbers they are
  computed from are equal. A margin below 1e-9 is rounding, and counts as 0.
- *Repeats*: a mistaken node is its own nearest mistake, at distance 0, and predicted by its label. A label
  that contradicts it would have w projected on an empty set; instead the mistake takes the new label and w
  stays.
- ``every_round``: labels that were predicted right are learnt as well. The bounds hold all the same: such
  a step brings w no further from any consistent u, and only makes nearest mistakes nearer.

Cost: O(1) per prediction, two columns per mistake, memory O(n) besides the kernel. A signed graph takes its
signed Laplacian, positive definite where it has negative edges (section 3.1); on an exponential graph whose
weights outrun floats, resistances and potentials come from `zerokelvin.resistance.exponential_resistance`.

Bounds, in `learners.pounce.pounce_bounds`: Theorem 2, eq. (19), and Theorem 8 on exponential graphs.

Above 300 lines: a learner is one module: algorithm, state, game and kernels; its bounds lie beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, AskingRule, label_is_due, wants_label
from zerokelvin.bound import Bound
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.learners.base import Learner, OneVsRest, Progress, State, Trace, Trials, learner, sign
from zerokelvin.learners.base.ties import DEAD_ZONE, settle
from zerokelvin.learners.pounce.pounce_bounds import Certificate, Entry
from zerokelvin.machine.lanes import borrow
from zerokelvin.resistance.geometry import Geometry, geometry_of
from zerokelvin.solve.signed import require_definite

__all__ = ["Pounce", "PounceState"]


class PounceState(State):
    """One binary problem: the weights, the nearest mistake of every node, and how they came about."""

    fields: ClassVar[tuple[str, ...]] = ("w", "near", "labels", "level", "finer", "entries")

    def __init__(self, certificate: Certificate, learner: Pounce) -> None:
        self.certificate = certificate
        self.geometry = certificate.geometry
        self.learner = learner
        count = certificate.geometry.graph.num_nodes
        self.w = np.zeros(count)
        self.near = np.full(count, -1)  # the nearest mistake, −1 where the component has none
        self.labels = np.zeros(count, dtype=np.int8)  # of the mistakes, 0 elsewhere
        self.level = np.full(count, np.inf)  # how near it is
        self.finer = np.zeros(count)
        self.entries: list[list[float]] = []  # one `Entry` per trial learnt

    def margin(self, node: int) -> float:
        """y_η + w(i) − w(η) with η the nearest mistake, 0 where there is none."""
        return float(_margin(self.w, self.near, self.labels, node))

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes."""
        near = self.near[nodes]
        margins = self.labels[near] + self.w[nodes] - self.w[near]
        return np.where((near < 0) | (np.abs(margins) <= DEAD_ZONE), 0.0, margins)

    def update(self, node: int, label: int) -> None:
        """Project on the nearest mistake if the prediction is wrong, or in every round."""
        if self.due(node, label):
            self.update_with(node, label, _Columns(self.geometry, [node, int(self.near[node])]))

    def due(self, node: int, label: int) -> bool:
        """Whether `update` changes anything: at a component's first label, a mistake, or in every round."""
        return bool(_due(self.w, self.near, self.labels, node, label, self.learner.every_round))

    def update_with(self, node: int, label: int, columns: _Columns) -> None:
        """Learn a label that is due, with columns that several problems share."""
        other = int(self.near[node])
        wrong = other >= 0 and sign(self.margin(node)) != label
        log, gain = -np.inf, 0.0
        if other >= 0 and other != node:
            direction, log = self.geometry.step(node, other, columns)
            gain = label - self.labels[other] - (self.w[node] - self.w[other])
            self.w += gain * direction
        if other != node:
            distances = self.geometry.distances(node, columns(node))
            _approach(self.level, self.finer, self.near, *distances, node)
        self.labels[node] = label
        self.entries.append([*map(float, Entry(node, label, other, wrong, gain, log))])

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The nearest mistake with its label, and what every step of w adds between it and the node."""
        nearest = int(self.near[node])
        if nearest < 0:
            return []
        shares = {nearest: float(self.labels[nearest])}
        columns = _Columns(self.geometry, [node, nearest])
        for entry in map(Entry.read, self.entries):
            if entry.gain and nearest != node:
                step = (entry.node, entry.other, entry.log_resistance)
                share = entry.gain * self.geometry.rise(step, (node, nearest), columns)
                shares[entry.node] = shares.get(entry.node, 0.0) + share
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def bound(self, labels: Ints, theorem: str | None = None, ahead: bool = False) -> Bound:
        """The bound of a theorem on the game so far, whose labels are `labels`: "2", "8" or "19".

        By default Theorem 2, on an exponential graph the better of Theorems 2 and 8. With `ahead`, Theorem 2
        for every game with these labels, in any order: what it says before the first trial.
        """
        entries = [Entry.read(numbers) for numbers in self.entries]
        return self.certificate.bound(np.asarray(labels), entries, theorem, ahead)


class PounceArrays(NamedTuple):
    """The weights, the nearest mistake of every node, and the labels at mistakes, (problems, nodes) each."""

    weights: Floats
    near: Ints
    labels: NDArray[np.int8]


class Showing(NamedTuple):
    """The node of every trial, its label in every problem, (trials, problems), and the limit for asking."""

    nodes: Ints
    signs: NDArray[np.int8]
    limits: Floats


class PounceRules(NamedTuple):
    """Trials after which a label comes, how many may be asked for, and whether each is learnt from."""

    delay: int
    budget: int
    every_round: bool


class PounceGame(OneVsRest[PounceState]):
    """Problems side by side: arrays in common, so that the game runs compiled between mistakes."""

    def __init__(self, states: list[PounceState]) -> None:
        super().__init__(states)
        weights, near, labels = (
            np.stack([getattr(state, name) for state in states]) for name in ("w", "near", "labels")
        )
        self.arrays = PounceArrays(weights, near, labels)
        for c, state in enumerate(states):  # views: updates go to the shared arrays
            vars(state).update(w=weights[c], near=near[c], labels=labels[c])

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Give every problem its label; kernel columns are computed once for all of them."""
        due = [
            (state, label)
            for c, (state, label) in enumerate(zip(self.states, self.labels(code), strict=True))
            if (wanted is None or wanted[c]) and state.due(node, label)
        ]
        columns = _Columns(self.states[0].geometry, [node, *(int(state.near[node]) for state, _ in due)])
        for state, label in due:
            state.update_with(node, label, columns)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Scan to the next label that changes something in compiled code, update, and go on."""
        trace = Trace.empty(trials)
        every_round = self.states[0].learner.every_round
        rules = PounceRules(trials.delay, trials.budget, every_round)
        cursor = np.zeros(3, dtype=np.int64)
        shown = Showing(trials.nodes, trials.signs, trials.limits)
        while True:
            due = _scan(self.arrays, shown, rules, cursor, trace.margins, trace.asked)
            if progress is not None:
                progress(int(cursor[0]))
            if due < 0:
                return trace
            self.learn(int(trials.nodes[due]), int(trials.codes[due]), trace.asked[due])


@learner("pounce")
@dataclass(frozen=True)
class Pounce(Learner):
    """Projection on the nearest mistake in resistance distance; see the module for the algorithm.

    Parameters
    ----------
    every_round
        Learn from every label, not only from mistakes: better predictions, two columns per trial.
    engine, tol
        How kernel columns are computed and how exactly; see `zerokelvin.kernels.kernel_columns`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Pounce().start(line)
    >>> state.update(0, -1)
    >>> [sign(state.margin(node)) for node in range(4)]
    [-1, -1, -1, -1]
    >>> state.update(3, 1)
    >>> [round(state.margin(node), 3) for node in range(4)]
    [-1.0, -0.333, 0.333, 1.0]
    """

    purpose: ClassVar[str] = "clusters that hang together in resistance, where many paths join two nodes"
    choose: ClassVar[str] = "classes are dense clusters and a bound by their number matters"
    cost: ClassVar[str] = "O(1) per prediction, two columns of the kernel per mistake"

    every_round: bool = False
    engine: str = "auto"
    tol: float = 1e-6

    game: ClassVar[type[OneVsRest[Any]]] = PounceGame
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"every_round": True})

    def takes_exponents(self) -> bool:
        """Yes, where weights differ by more than 10⁹ or so."""
        return True

    def prepare(self, graph: Graph) -> Certificate:
        """The geometry of the graph, shared by all classes and shuffles."""
        require_definite(graph, "pounce")
        return Certificate(geometry_of(graph, self.engine, self.tol))

    def start(
        self, graph: Graph, prepared: Certificate | None = None, rng: np.random.Generator | None = None
    ) -> PounceState:
        """Begin with no mistake and w = 0."""
        return PounceState(self.prepare(graph) if prepared is None else prepared, self)


class _Columns:
    """The kernel columns that one trial needs, each computed once for all problems.

    Called with a node it gives the node's column. Those of the nodes in `foreseen` are computed together as
    soon as one of them is asked for.
    """

    def __init__(self, geometry: Geometry, foreseen: list[int]) -> None:
        self._geometry = geometry
        self._foreseen = [node for node in dict.fromkeys(foreseen) if node >= 0]
        self._known: dict[int, Any] = {}

    def __call__(self, node: int) -> Any:
        if node not in self._known:
            wanted = self._foreseen if node in self._foreseen else [node]
            self._known.update(zip(wanted, self._geometry.several(wanted), strict=True))
        return self._known[node]


@kernel
def _margin(w: Floats, near: Ints, labels: NDArray[np.int8], node: int) -> float:
    """The margin of a node in one problem: y_η + w(i) − w(η), 0 without a mistake η in its component."""
    other = near[node]
    if other < 0:
        return 0.0
    return settle(labels[other] + w[node] - w[other], 1.0)


@kernel
def _due(w: Floats, near: Ints, labels: NDArray[np.int8], node: int, label: int, every_round: bool) -> bool:
    """Whether a label changes the state: the first of its component, a mistake, or any new one."""
    if near[node] < 0 or (every_round and labels[node] == 0):
        return True
    guess = 1 if _margin(w, near, labels, node) >= 0 else -1
    return guess != label


@kernel
def _approach(
    level: Floats, finer: Floats, near: Ints, new_level: Floats, new_finer: Floats, slack: Floats, node: int
) -> None:
    """Make `node` the nearest mistake of every node it is nearer to than the earlier ones."""
    for v in range(len(level)):
        if new_level[v] == np.inf:
            continue
        gap = level[v] - new_level[v]
        if near[v] < 0 or gap > slack[v] or (gap >= -slack[v] and new_finer[v] < finer[v] * (1.0 - 1e-9)):
            level[v], finer[v], near[v] = new_level[v], new_finer[v], node
    level[node], finer[node], near[node] = -np.inf, 0.0, node


@kernel
def _scan(
    arrays: PounceArrays,
    shown: Showing,
    rules: PounceRules,
    cursor: Ints,
    margins: Floats,
    asked: NDArray[np.bool_],
) -> int:
    """Predict trials, from the cursor on, until a label changes some problem; the trial of that label, or −1.

    cursor = (next trial to predict, next label to learn, how many were asked for). Margins and what was
    asked are written into `margins` and `asked`, a row per trial.
    """
    weights, near, labels = borrow(arrays.weights), borrow(arrays.near), borrow(arrays.labels)
    nodes, signs, limits = shown
    delay, budget, every_round = rules
    total, problems = len(nodes), len(weights)
    margins, cursor = borrow(margins), borrow(cursor)  # slices of these are passed on
    while True:
        while label_is_due(cursor, delay, total):
            due = cursor[1]
            cursor[1] += 1
            for c in range(problems):
                node, label = nodes[due], signs[due, c]
                if asked[due, c] and _due(weights[c], near[c], labels[c], node, label, every_round):
                    return due
        if cursor[0] == total:
            return -1
        # predict the next trial
        t = cursor[0]
        cursor[0] += 1
        for c in range(problems):
            margins[t, c] = _margin(weights[c], near[c], labels[c], nodes[t])
        if wants_label(cursor[2], budget, margins[t], 0.0, AskingRule(limits[t], NO_GAIN, NO_FLOOR)):
            cursor[2] += 1
            for c in range(problems):
                asked[t, c] = True

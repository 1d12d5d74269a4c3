"""Optimal prediction on a tree: the nearer hinge (Cesa-Bianchi, Gentile, Vitale 2009).

Revealed nodes, and the forks where three branches towards revealed nodes meet, are hinges. A fork takes its
label from the minimum cut of the tree that agrees with all revealed labels; a node takes the label of the
nearer hinge on its hinge line, or of the place where it hangs from the lines. A graph with cycles is
replaced by a spanning tree of it. What the paper leaves open:

- *Ties*: a fork with minimum cuts of both kinds, and a node midway between two labels, take −1, the source.
  The margin is never 0 once the node's component has a label.
- *Weights*: cuts are weighted, and nearness is resistance Σ 1/w, the number of edges without weights.
- *Forests*: every component is a problem of its own; before it has a label its margins are 0.
- *Repeats*: the last label given to a node counts, and only the messages it changes are sent again.

Cost: O(log n) steps per label and per prediction, amortised, in any order (`zerokelvin.trees.online.hinges`).

Bound: mistakes per cluster of the tree, `trees.online.tree_bounds`, the same as for `longest-path`; of a
random spanning tree also in expectation, before it is drawn (`TreeOpt.expected_bound`).

Above 300 lines: a learner is one module: two kinds of states, their bounds and the learner.
"""

from __future__ import annotations

import copy
import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.graph import Graph
from zerokelvin.learners.base import (
    Game,
    Learner,
    OneVsRest,
    Progress,
    State,
    Trace,
    Trials,
    columns_of,
    learner,
)
from zerokelvin.learners.base.noting import SEEN
from zerokelvin.learners.base.record import require_labels
from zerokelvin.trees.online.balanced import Balanced, look
from zerokelvin.trees.online.forest import Forest, attach, make_forest
from zerokelvin.trees.online.hinges import new_hinges
from zerokelvin.trees.online.reasons import deciding_hinges
from zerokelvin.trees.online.steady_strategies import (
    balance,
    play_steadily,
    steady_committee,
    update_steadily,
)
from zerokelvin.trees.online.strategies import (
    STRATEGIES,
    Schedule,
    committee,
    is_worn,
    play_committee,
    update_committee,
)
from zerokelvin.trees.online.tree_bounds import tree_guarantee
from zerokelvin.trees.spanning.expected import expected_tree_bound
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees, check_kind, is_forest

__all__ = ["HingeState", "TreeGame", "TreeOpt", "TreeState"]


class TreeState(State):
    """One binary problem on one or several trees: what all tree learners have in common."""

    fields: ClassVar[tuple[str, ...]] = ("prompt",)

    def __init__(self, graph: Graph, size: int) -> None:
        self.graph = graph
        self.size = size
        self.prompt = True  # whether every label came before the next prediction

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes: a compiled game without answers."""
        margins = np.zeros(len(nodes))
        places = np.asarray(nodes, dtype=np.int64)
        self._play(Schedule(places, np.zeros(len(nodes), dtype=np.int64), 0, 0, 0), margins)
        return margins

    def play(self, nodes: Ints, labels: Ints, delay: int, budget: int, margins: Floats) -> None:
        """Play trials of which the first `budget` are answered, `delay` trials late, in compiled code.

        One margin per trial is written into `margins`.
        """
        schedule = Schedule(nodes, labels, min(delay, len(nodes)), min(budget, len(nodes)), 0)
        self._play(schedule, margins)
        self.record.note_all(nodes[: schedule.budget], labels[: schedule.budget])

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Learn the labels of a snapshot again, in compiled code."""
        nodes, labels = (arrays[name].astype(np.int64) for name in SEEN)
        require_labels(nodes, labels, self.graph.num_nodes)
        self.teach(nodes, labels)
        self.prompt = bool(arrays["prompt"])

    def teach(self, nodes: Ints, labels: Ints) -> None:
        """Learn labels in their order, in compiled code."""
        self.play(nodes, labels, 0, len(nodes), np.empty(len(nodes)))

    def assumptions(self, labels: Ints) -> tuple[Assumption, ...]:
        """What every bound on trees assumes of the game."""
        return (
            self.record.agreement(labels),
            Assumption("every label is revealed before the next prediction", self.prompt),
        )

    @abstractmethod
    def _play(self, schedule: Schedule, margins: Floats) -> None:
        """Predict and learn the trials of a schedule; one margin per trial is written into `margins`."""


class HingeState(TreeState):
    """One binary problem of a learner that predicts from the hinges of its trees."""

    def __init__(self, graph: Graph, forest: Forest, size: int, strategy: str) -> None:
        super().__init__(graph, size)
        self.forest = forest
        self.strategy = STRATEGIES[strategy]
        self.hinges = new_hinges(forest)
        self.balanced: Balanced | None = None  # until walks between hinges have become long

    def margin(self, node: int) -> float:
        """The mean vote of the trees; 0 while the node's component has no label."""
        if self.balanced is not None:
            return float(
                steady_committee(self.forest, self.hinges, self.balanced, self.size, node, self.strategy)
            )
        vote = float(committee(self.forest, self.hinges, self.size, node, self.strategy))
        self._settle_if_worn()
        return vote

    def update(self, node: int, label: int) -> None:
        """Learn the label; the last one given to a node counts."""
        if self.balanced is not None:
            update_steadily(self.forest, self.hinges, self.balanced, self.size, node, label)
        else:
            update_committee(self.forest, self.hinges, self.size, node, label)
            self._settle_if_worn()

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The revealed nodes next to this one along the trees, each with its share of the say."""
        shares: dict[int, float] = {}
        count = self.graph.num_nodes
        for k in range(self.size):
            found = deciding_hinges(self.hinges, k * count + node)
            for other, label in zip((found.nodes % count).tolist(), found.labels.tolist(), strict=True):
                shares[other] = shares.get(other, 0.0) + label / (len(found.nodes) * self.size)
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def lengths(self, node: int) -> tuple[int, int]:
        """Longest paths to −1 and to +1 from a node on which minimum cuts differ, in the first tree."""
        balanced = self.settle()
        here = int(attach(self.hinges.rooted, node))
        seen = look(self.forest, self.hinges.rooted, balanced, here)
        return int(seen.source), int(seen.target)

    def settle(self) -> Balanced:
        """Balance the trees, if they are not yet: O(log n) steps for everything that comes."""
        if self.balanced is None:
            self.balanced = balance(self.forest, self.hinges, self.strategy)
        return self.balanced

    def bound(self, labels: Ints) -> Bound:
        """Mistakes per cluster of the tree, added up; of a committee 2/(m+1) of the sum over its m trees.

        A committee errs only where more than half of its trees do.
        """
        u = np.asarray(labels, dtype=np.int64)
        found = tree_guarantee(self.forest, self.size, u)
        value = 2.0 / (self.size + 1) * float(found.per_tree.sum())
        terms = {
            "trees": float(self.size),
            "Φ of a tree (mean)": found.cut / self.size,
            "clusters of a tree (mean)": found.clusters / self.size,
            "widest cluster": found.widest,
        }
        plain = Assumption("all edges of the tree weigh the same", bool(self.forest.uniform))
        theorem = "the tree bound per cluster, after Cesa-Bianchi, Gentile, Vitale 2009"
        return Bound(value, theorem, terms, (plain, *self.assumptions(u)))

    def twin(self) -> HingeState:
        """A state with the same labels on copies of the hinges."""
        other = copy.copy(self)
        other.hinges, other.balanced = copy.deepcopy(self.hinges), copy.deepcopy(self.balanced)
        other.record = self.record.copy()
        return other

    def _play(self, schedule: Schedule, margins: Floats) -> None:
        forest, hinges, size, strategy = self.forest, self.hinges, self.size, self.strategy
        if self.balanced is None:
            begin = int(play_committee(forest, hinges, size, strategy, schedule, margins))
            schedule = schedule._replace(begin=begin)
            self._settle_if_worn()
        if self.balanced is not None:
            play_steadily(forest, hinges, self.balanced, size, strategy, schedule, margins)

    def _settle_if_worn(self) -> None:
        """Balance the trees once walks between hinges have cost more steps than they are due."""
        if is_worn(self.hinges.used, len(self.forest.first)):
            self.settle()


class TreeGame(OneVsRest[TreeState]):
    """Tree problems side by side: where every label is asked for, each is played compiled from end to end."""

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, in compiled code."""
        for state, labels in zip(self.states, self.signs(codes).T, strict=True):
            state.teach(np.asarray(nodes, dtype=np.int64), labels.astype(np.int64))

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order, in compiled code: the margins before each."""
        places, total = np.asarray(nodes, dtype=np.int64), len(codes)
        margins = np.zeros((self.columns, total))
        for state, labels, own in zip(self.states, self.signs(codes).T, margins, strict=True):
            state.play(places, labels.astype(np.int64), 0, total, own)
        return np.ascontiguousarray(margins.T)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Play problem by problem unless the policy may leave a label out."""
        total = len(trials.nodes)
        if not np.isposinf(trials.limits).all():
            trace = super().play(trials, progress)
        else:
            trace = Trace.empty(trials)
            trace.asked[: min(trials.budget, total)] = True
            for c, state in enumerate(self.states):
                margins = np.zeros(total)
                signs = trials.signs[:, c].astype(np.int64)
                state.play(trials.nodes, signs, trials.delay, trials.budget, margins)
                trace.margins[:, c] = margins
                if progress is not None:
                    progress(total * (c + 1) // len(self.states))
        if trials.delay or not trace.asked.all():
            for state in self.states:
                state.prompt = False
        return trace


@learner("tree-opt")
@dataclass(frozen=True)
class TreeOpt(Learner):
    """Optimal prediction on a tree; see the module for the algorithm.

    Parameters
    ----------
    tree
        The spanning tree of a graph with cycles: ``"random"``, ``"bfs"``, ``"minimum"`` or
        ``"low-stretch"``. A forest is used as it is.

    Examples
    --------
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4), (4, 5)])
    >>> state = TreeOpt().start(star)
    >>> for node, label in [(1, -1), (2, -1), (5, 1)]:
    ...     state.update(node, label)
    >>> [state.margin(node) < 0 for node in range(6)]
    [True, True, True, True, False, False]
    """

    purpose: ClassVar[str] = "trees, where it is optimal up to a constant"
    choose: ClassVar[str] = "the graph is a tree, or one spanning tree of it is enough"
    cost: ClassVar[str] = "O(log n) steps per label and per prediction, amortised, in any order"

    tree: str = "random"

    game: ClassVar[type[OneVsRest[Any]]] = TreeGame
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"tree": "low-stretch"})

    def __post_init__(self) -> None:
        check_kind(self.tree)

    def prepare(self, graph: Graph) -> SpanningTrees:
        """The graph, ready for drawing trees."""
        return SpanningTrees(graph, self.tree)

    def start(
        self, graph: Graph, prepared: SpanningTrees | None = None, rng: np.random.Generator | None = None
    ) -> HingeState:
        """Begin on a spanning tree drawn from `rng`."""
        return self._begin(graph, draw_forest(prepared or self.prepare(graph), 1, rng))

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems that share one tree."""
        forest = draw_forest(prepared or self.prepare(graph), 1, np.random.default_rng(seed))
        return TreeGame([self._begin(graph, forest) for _ in range(columns_of(classes))])

    def expected_bound(self, graph: Graph, labels: ArrayLike) -> Bound:
        """The bound on the mean number of mistakes over draws of the tree (`trees.spanning.expected`)."""
        return drawn_at_random(expected_tree_bound(graph, labels), self.tree)

    def _begin(self, graph: Graph, forest: Forest) -> HingeState:
        return HingeState(graph, forest, 1, "tree-opt")


def drawn_at_random(bound: Bound, kind: str) -> Bound:
    """A bound in expectation, with the assumption that trees are random ones."""
    drawn = Assumption("spanning trees are drawn at random", kind == "random")
    return dataclasses.replace(bound, assumptions=(*bound.assumptions, drawn))


def draw_trees(trees: SpanningTrees, size: int, rng: np.random.Generator) -> list[Ints]:
    """The edges of several spanning trees; of a forest, which has only one, that one again and again."""
    if is_forest(trees.graph):
        return [trees.draw(rng)] * size
    return [trees.draw(rng) for _ in range(size)]


def draw_forest(trees: SpanningTrees, size: int, rng: np.random.Generator | None) -> Forest:
    """A forest made of `size` spanning trees drawn from `rng`; of a forest the one it has, repeated."""
    return make_forest(trees.graph, draw_trees(trees, size, np.random.default_rng(0) if rng is None else rng))

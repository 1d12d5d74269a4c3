"""Prediction on random spanning trees of a graph, one or a committee of them.

A random spanning tree keeps an edge with probability w_e · r_e, so in expectation a labelling cuts it where
it cuts the graph's bottlenecks (Cesa-Bianchi, Gentile, Vitale, Zappella 2010). Each tree predicts by one of

- ``"longest-path"``: longest paths in the Picard–Queyranne graph of the tree (Herbster et al. 2015);
- ``"tree-opt"``: the nearer hinge (Cesa-Bianchi, Gentile, Vitale 2009);
- ``"shazoo"``: the nearer hinge whose label is decided (Vitale, Cesa-Bianchi, Gentile, Zappella 2011);
- ``"nearest"`` or ``"wta"``: the nearest labelled node on the tree's spine, a depth-first order of its nodes.

A committee of odd size predicts by majority; its margin is the mean of the votes ±1. All trees are laid out
as one forest and answer in one compiled pass. One tree's margin is its own: ±1 where the labels around the
node agree, else (d₋ − d₊)/(d₋ + d₊) with the distances to either label, just below 0 for a tie.

The trees are drawn from the seed when a game starts, once for all classes. Every component has a tree of its
own; the last label given to a node counts, and only what it changes is computed again.

Bound: a committee of m trees errs only where more than half of them do, so its mistakes are at most 2/(m+1)
times the sum of the trees' bounds (`trees.online.tree_bounds`). Before the trees are drawn, the mean over the
draw is bounded by bound (II) of Herbster, Pasteris and Ghosh 2015 (`SpanningTree.expected_bound`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Game, Learner, OneVsRest, columns_of, learner
from zerokelvin.learners.trees.spine_votes import SpineVotes
from zerokelvin.learners.trees.tree_opt import (
    HingeState,
    TreeGame,
    TreeState,
    draw_trees,
    drawn_at_random,
)
from zerokelvin.trees.online.drawn_spines import draw_spines
from zerokelvin.trees.online.forest import make_forest
from zerokelvin.trees.online.neighbours import (
    Spines,
    new_marks,
    play_spines,
    spine_committee,
    spine_neighbours,
    sweep_spines,
    teach_spines,
    update_spines,
)
from zerokelvin.trees.online.strategies import STRATEGIES, Schedule
from zerokelvin.trees.online.tree_bounds import spine_guarantee
from zerokelvin.trees.spanning.expected import expected_tree_bound
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees, check_kind

__all__ = ["SpanningTree", "SpineState"]

MANY = 8
"""One node in so many is enough for a pass along all of the spines to take less than a search for each."""

INNER = (*STRATEGIES, "nearest", "wta")


class SpineState(TreeState):
    """One binary problem of nearest neighbours on the spines of the trees."""

    def __init__(self, graph: Graph, spines: Spines, size: int) -> None:
        super().__init__(graph, size)
        self.spines = spines
        self.marks = new_marks(spines)

    def margin(self, node: int) -> float:
        """The mean vote of the spines; 0 while the node's component has no label."""
        return float(spine_committee(self.spines, self.marks, self.size, node))

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes; of many, by one pass along the spines."""
        if MANY * len(nodes) < self.graph.num_nodes:
            return super().margins(nodes)
        margins = np.zeros(self.graph.num_nodes)
        sweep_spines(self.spines, self.marks, self.size, margins)
        return margins[nodes]

    def update(self, node: int, label: int) -> None:
        """Learn the label; the last one given to a node counts."""
        update_spines(self.spines, self.marks, self.size, node, label)

    def teach(self, nodes: Ints, labels: Ints) -> None:
        """Learn labels in their order, without looking at what would have been predicted."""
        teach_spines(self.spines, self.marks, self.size, nodes, labels)
        self.record.note_all(nodes, labels)

    def twin(self) -> SpineState:
        """A state with the same labels on copies of the marks."""
        other = copy.copy(self)
        other.marks, other.record = copy.deepcopy(self.marks), self.record.copy()
        return other

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The nearest labelled nodes on the spines, each with its share of the say."""
        shares: dict[int, float] = {}
        count = self.graph.num_nodes
        at = np.argsort(self.spines.place)
        for k in range(self.size):
            places = spine_neighbours(self.spines, self.marks, k * count + node)
            for place in places.tolist():
                other = int(at[place]) % count
                say = float(self.marks.labels[place]) / (len(places) * self.size)
                shares[other] = shares.get(other, 0.0) + say
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def bound(self, labels: Ints) -> Bound:
        """Mistakes per stretch of equal labels on a spine, added up; see `trees.online.tree_bounds`."""
        u = np.asarray(labels, dtype=np.int64)
        found = spine_guarantee(self.spines, self.size, u)
        value = 2.0 / (self.size + 1) * float(found.per_tree.sum())
        terms = {
            "trees": float(self.size),
            "cut edges of a spine (mean)": found.cut / self.size,
            "stretches of a spine (mean)": found.clusters / self.size,
        }
        theorem = "the spine bound per stretch, after Cesa-Bianchi, Gentile, Vitale, Zappella 2010"
        return Bound(value, theorem, terms, self.assumptions(u))

    def _play(self, schedule: Schedule, margins: Floats) -> None:
        play_spines(self.spines, self.marks, self.size, schedule, margins)


@learner("spanning-tree")
@dataclass(frozen=True)
class SpanningTree(Learner):
    """A committee of spanning trees; see the module for the algorithm.

    Parameters
    ----------
    trees
        How many trees vote; an odd number.
    inner
        How a tree predicts: ``"longest-path"``, ``"tree-opt"``, ``"shazoo"``, ``"nearest"`` or ``"wta"``
        (the same).
    tree
        The kind of tree: ``"random"``, ``"bfs"``, ``"minimum"`` or ``"low-stretch"``.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> state = SpanningTree(trees=3).start(line)
    >>> state.update(0, -1)
    >>> state.update(4, 1)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -1.0, -1.0, 1.0, 1.0]
    """

    purpose: ClassVar[str] = "minimum cuts and nearest labels on random trees, which a committee makes steady"
    choose: ClassVar[str] = "the graph is very large and every step has to be quick"
    cost: ClassVar[str] = (
        "a few trees drawn at the start; then a compiled pass over them per label and per prediction"
    )

    trees: int = 17
    inner: str = "longest-path"
    tree: str = "random"

    game: ClassVar[type[OneVsRest[Any]]] = TreeGame
    variants: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"trees": 1},
        {"trees": 3, "inner": "wta"},
        {"trees": 5, "inner": "shazoo", "tree": "bfs"},
        {"trees": 3, "inner": "tree-opt", "tree": "minimum"},
    )

    def __post_init__(self) -> None:
        if (
            isinstance(self.trees, bool)
            or self.trees != int(self.trees)
            or self.trees < 1
            or self.trees % 2 == 0
        ):
            raise ParameterError(
                f"trees={self.trees} must be an odd number of at least 1, so that no vote is tied."
            )
        if self.inner not in INNER:
            raise ParameterError(f"inner={self.inner!r} is unknown; choose one of {', '.join(INNER)}.")
        check_kind(self.tree)

    def prepare(self, graph: Graph) -> SpanningTrees:
        """The graph, ready for drawing trees."""
        return SpanningTrees(graph, self.tree)

    def start(
        self, graph: Graph, prepared: SpanningTrees | None = None, rng: np.random.Generator | None = None
    ) -> TreeState:
        """Begin on trees drawn from `rng`."""
        return self._begin(prepared or self.prepare(graph), rng, 1)[0]

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems that share their trees."""
        ready, rng = prepared or self.prepare(graph), np.random.default_rng(seed)
        return TreeGame(self._begin(ready, rng, columns_of(classes)))

    def start_votes(self, classes: int, prepared: SpanningTrees, seed: int = 0) -> SpineVotes:
        """The votes of the same spines for all classes together, where there are several trees."""
        size = int(self.trees)
        return SpineVotes(draw_spines(prepared, size, np.random.default_rng(seed)), size, max(2, classes))

    def expected_bound(self, graph: Graph, labels: ArrayLike) -> Bound:
        """The bound on the mean number of mistakes over draws of the trees (`trees.spanning.expected`)."""
        spine = self.inner not in STRATEGIES
        return drawn_at_random(expected_tree_bound(graph, labels, spine, int(self.trees)), self.tree)

    def _begin(
        self, prepared: SpanningTrees, rng: np.random.Generator | None, count: int
    ) -> list[HingeState] | list[SpineState]:
        """The states of `count` problems on the same trees, drawn from `rng`."""
        graph, size = prepared.graph, int(self.trees)
        source = np.random.default_rng(0) if rng is None else rng
        if self.inner in STRATEGIES:
            forest = make_forest(graph, draw_trees(prepared, size, source))
            return [HingeState(graph, forest, size, self.inner) for _ in range(count)]
        spines = draw_spines(prepared, size, source)
        return [SpineState(graph, spines, size) for _ in range(count)]

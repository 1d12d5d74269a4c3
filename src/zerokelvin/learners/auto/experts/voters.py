"""Other learners that vote: a committee of nine random spanning trees, and `longest-path`.

The latter keeps a flow for every class and therefore votes only up to `ARC_LIMIT` arcs times problems; the
others need O(E + n·classes). It sees weights rounded to eighths of their median: where all weights differ, a
minimum cut moves by thousands of small steps. On the 10-nearest-neighbour graph of 100,000 points in the
plane, ten classes, labels took 201 ms, a tenth of them over 923 ms; rounded, 18 and 46 ms, and as many of the
first sixty predictions were wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.class_chances import class_scores
from zerokelvin.flow.static.capacities import without_negligible
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import in_levels
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.base import Game, Learner, Trials, columns_of, make, signs_of
from zerokelvin.learners.trees.spanning_tree import SpanningTree

__all__ = ["Committee", "RoundedVoter", "Voter", "Voters"]


class Committee(Expert):
    """The share of a committee for each class."""

    is_kernel = False
    is_estimate = False

    def __init__(self, name: str, game: Game) -> None:
        super().__init__(name, game, settings.COMMITTEE_FLOOR)


class Voter(Expert):
    """The one class that a learner predicts."""

    is_kernel = False
    is_estimate = False

    def __init__(self, name: str, game: Game) -> None:
        super().__init__(name, game, settings.VOTER_FLOOR)

    def evidence(self, nodes: Any) -> Floats:
        """The votes, from the scores of all problems."""
        return self._votes(self.game.scores(nodes))

    def tell(self, node: int, evidence: Floats) -> None:
        """Write the vote at a node into `evidence` (classes,): 1 for the class of the best score, else 0."""
        scores = self.game.score(node).tolist()
        evidence[:] = 0.0
        evidence[int(scores[0] > 0.0) if len(scores) == 1 else scores.index(max(scores))] = 1.0

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """The votes before each trial, by the learner's own compiled game."""
        everything = np.full(len(nodes), np.inf)
        trials = Trials(nodes, signs_of(codes, self.game.columns), everything, 0, len(nodes))
        return self._votes(self.game.play(trials).margins)

    def _votes(self, margins: Floats) -> Floats:
        both = class_scores(margins)
        votes = np.zeros(both.shape)
        votes[np.arange(len(both)), np.argmax(both, axis=1)] = 1.0
        return votes


class RoundedVoter(Voter):
    """The same on a graph with rounded weights, which are others once the graph has grown."""

    relearns = True


@dataclass(frozen=True, eq=False)
class Ready:
    """The graph as the voters see it, without edges too light for a minimum cut, and what each prepares.

    A learner prepares when it first starts, for with many classes it may have no place.
    """

    graph: Graph
    voters: list[tuple[str, Learner]]
    own: dict[str, Any] = field(default_factory=dict)

    def start(self, label: str, learner: Learner, classes: int, seed: int) -> Expert:
        """One of the learners in a game."""
        graph = self.graph if isinstance(learner, SpanningTree) else self.rounded
        if label not in self.own:
            self.own[label] = learner.prepare(graph)
        if isinstance(learner, SpanningTree):
            return Committee(label, learner.start_votes(classes, self.own[label], seed))
        game = learner.start_game(graph, classes, self.own[label], seed)
        return Voter(label, game) if graph is self.graph else RoundedVoter(f"{label}{settings.ROUNDED}", game)

    @cached_property
    def rounded(self) -> Graph:
        """The graph with rounded weights; itself where they are so already."""
        rounded = in_levels(self.graph, settings.LEVELS)
        return rounded if rounded is self.graph else without_negligible(rounded)


@expert("voters")
class Voters(Kind):
    """Games of the learners that `settings.VOTERS` names, each as an expert."""

    rank: ClassVar[int] = 50

    def prepare(self, graph: Graph, scaled: Graph) -> Ready:
        """The learners by their names in the mixture."""
        found = []
        for name, params in settings.VOTERS:
            learner = make(name, **params)
            found.append((" ".join([name, *(str(value) for value in params.values())]), learner))
        return Ready(without_negligible(graph), found)

    def start(self, ready: Ready, classes: int, tol: float, seed: int) -> list[Expert]:
        """A game of each whose memory stays within bounds with so many classes."""
        return [
            ready.start(label, learner, classes, seed)
            for label, learner in ready.voters
            if _fits(learner, ready.graph, columns_of(classes))
        ]


def _fits(learner: Learner, graph: Graph, columns: int) -> bool:
    """Whether a learner's memory stays within bounds."""
    return learner.name != "longest-path" or len(graph.indices) * columns <= settings.ARC_LIMIT

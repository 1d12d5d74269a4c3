"""The fixed-paths strategy at zero temperature (Herbster, Pasteris and Ghosh 2015, Section 3.2).

When a game begins, the Picard–Queyranne graph is covered by paths from the source to the target, and every
inner super-vertex is given to one of the paths through it. It takes the label of the nearer decided
super-vertex on its path, in arcs; a tie goes to −1, the source.

Bound: a path of |p| arcs costs at most ⌊log₂|p|⌋ mistakes, so a game costs at most Σ log₂|p_i| (Theorem 8).

The paper's cover is a partition of all arcs into k paths; here it is found by taking away one path after the
other, the longest first (or the shortest), each with as much weight as all its arcs still have, and a
super-vertex belongs to the first path it is on. Parts of the graph that hang together only through source
and target are covered separately. The paper plays one game; here each time the minimum cut of a connected
component rises its next game begins with a new cover. That makes the strategy depend on the order of the
labels, so it is not regular in the sense of Theorem 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.flow.online.cut_arrays import INNER
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, learner
from zerokelvin.learners.cuts.cut_bounds import part_certificate
from zerokelvin.learners.cuts.cut_state import CutState
from zerokelvin.learners.cuts.fixed_covers import PathCover, given_cover, take_cover

__all__ = ["FixedPaths", "FixedPathsState"]

ORDERS = ("longest", "shortest")


class FixedPathsState(CutState):
    """One binary problem: the covers of the parts that were played in the present games."""

    def __init__(self, graph: Graph, cut: OnlineCut, learner: FixedPaths) -> None:
        super().__init__(graph, cut)
        self.learner = learner
        self._covers: dict[int, PathCover] = {}  # by super-vertex
        self._games: dict[int, int] = {}  # games begun, by connected component

    def update(self, node: int, label: int) -> None:
        """Take the label; a rise of the cut begins a new game in the connected component."""
        known, side = self.cut.known_label(node), self.cut.side(node)
        if side == INNER and not self.cut.is_free(node):
            self.cover(node)  # as it was before this label
        elif side != INNER and label != (known or side):
            here = self.graph.components[node]
            self._games[here] = self._games.get(here, 0) + 1
            component = self.graph.components
            self._covers = {own: cover for own, cover in self._covers.items() if component[own] != here}
        super().update(node, label)

    def inner_margin(self, node: int) -> float:
        """−½ or ½ by the nearer decided super-vertex on the node's path."""
        before, after = self._distances(node)
        return -0.5 if before <= after else 0.5

    def inner_remark(self, node: int) -> str:
        """The distances to −1 and to +1 on the node's path, in words."""
        before, after = self._distances(node)
        return f"minimum cuts differ here, on its path −1 is {before} arcs away and +1 is {after}"

    def cover(self, node: int) -> PathCover:
        """The cover of an inner node's part, chosen when the part was first played in this game."""
        own = self.cut.super_vertex(node)
        if own not in self._covers:
            first = self._games.get(int(self.graph.components[node]), 0) == 1
            chosen = self.learner.cover
            if isinstance(chosen, str):
                cover = take_cover(self.cut, node, chosen == "longest")
            elif first:
                cover = given_cover(self.cut, node, chosen)
            else:
                cover = take_cover(self.cut, node, longest=True)
            self._covers |= dict.fromkeys(cover.place, cover)
        return self._covers[own]

    def bound(self, labels: Ints) -> Bound:
        """Σ ⌊log₂|p_i|⌋ over the paths of every game."""
        replay = FixedPathsState(self.graph, OnlineCut(self.graph, close=False), self.learner)
        trials = list(zip(self.seen_nodes.tolist(), self.seen_labels.tolist(), strict=True))
        return part_certificate(
            replay,
            trials,
            lambda node: replay.cover(node).bound,
            "Theorem 8 over the games and covers played",
        )

    def _distances(self, node: int) -> tuple[int, int]:
        """Arcs from an inner node back to −1 and forth to +1, on its path of the cover."""
        cover = self.cover(node)
        path, at = cover.place[self.cut.super_vertex(node)]
        sides = [-1, *(self.cut.side(other) for other in cover.paths[path]), 1]
        before = next(k for k in range(1, len(sides)) if sides[at - k] < 0)
        after = next(k for k in range(1, len(sides)) if sides[at + k] > 0)
        return before, after


@learner("fixed-paths")
@dataclass(frozen=True)
class FixedPaths(Learner):
    """Minimum cuts, and the nearer label on a fixed path where they differ; see the module.

    Parameters
    ----------
    cover
        ``"longest"`` or ``"shortest"``: which paths are taken first. Or the paths of the first game, each a
        tuple of node indices, one per inner super-vertex from source to target; together they must lead
        through every inner super-vertex that is played. Later games then take the longest paths first.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> state = FixedPaths().start(line)
    >>> for node, label in [(0, -1), (4, 1)]:
    ...     state.update(node, label)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -0.5, -0.5, 0.5, 1.0]
    """

    purpose: ClassVar[str] = "comparing with the longest-path strategy: paths are fixed when the game begins"
    choose: ClassVar[str] = "you study minimum-cut learners; to predict, 'longest-path' is the better choice"
    cost: ClassVar[str] = "a minimum cut and its covers at the start, then as 'longest-path'"

    cover: str | Sequence[Sequence[int]] = "longest"

    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"cover": "shortest"})

    def __post_init__(self) -> None:
        cover: Any = self.cover
        paths = isinstance(cover, Sequence) and all(
            isinstance(path, (Sequence, np.ndarray)) for path in cover
        )
        if cover not in ORDERS if isinstance(cover, str) else not paths:
            raise ParameterError(
                f"cover={self.cover!r} is not known; choose longest, shortest or paths of nodes."
            )

    def prepare(self, graph: Graph) -> OnlineCut:
        """The graph's integer capacities, before any label."""
        return OnlineCut(graph, close=False)

    def start(
        self, graph: Graph, prepared: OnlineCut | None = None, rng: np.random.Generator | None = None
    ) -> FixedPathsState:
        """Begin without labels."""
        return FixedPathsState(graph, self.prepare(graph) if prepared is None else prepared, self)

"""Prediction at the limit of zero temperature, exactly (Herbster, Pasteris and Ghosh 2015, equation 1).

At zero temperature the Ising model is uniform over the minimum cuts that agree with the labels seen, so the
likelier label of a node is that of the majority of them: the halving algorithm on minimum cuts. The margin
is the difference of the two shares, with half a cut off so that a tie goes to −1, the source:

    margin = (N₊ − N₋ − ½) / (N₊ + N₋),     N± the minimum cuts that label the node ±1.

Counting is #P-complete. It is done exactly by a dynamic programme on the part of the Picard–Queyranne graph
around the node, as long as that holds at most `max_states` states; beyond, `samples` minimum cuts are drawn
exactly uniformly. The prediction's reason says which. The draws are a function of the seed and of the labels
known, so predicting stays pure and does not depend on the order of the labels.

Bound: a mistake leaves at most half of the part's minimum cuts, so a game costs at most ⌊log₂ N⌋ per part,
N = N₊ + N₋ when its first label comes (Section 3.2); see `learners.cuts.cut_bounds` for what is added.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.flow.online.cut_arrays import INNER
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.flow.static.cut_counts import CutCount, count_minimum_cuts_through
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, learner
from zerokelvin.learners.cuts.cut_bounds import part_certificate
from zerokelvin.learners.cuts.cut_state import CutState

__all__ = ["ZeroIsing", "ZeroIsingState"]

SMALLEST = float(np.finfo(np.float64).tiny)


class ZeroIsingState(CutState):
    """One binary problem: the majority of the minimum cuts."""

    def __init__(self, graph: Graph, cut: OnlineCut, learner: ZeroIsing, key: int) -> None:
        super().__init__(graph, cut)
        self.learner = learner
        self.key = key
        self._counts: dict[int, CutCount] = {}  # by super-vertex, for the labels known now

    def update(self, node: int, label: int) -> None:
        """Take the label; another one than before replaces it."""
        super().update(node, label)
        self._counts.clear()

    def inner_margin(self, node: int) -> float:
        """The difference of the shares of the two labels among the minimum cuts."""
        found = self.count(node)
        return _share(found.source, found.target)

    def inner_remark(self, node: int) -> str:
        """Whether the minimum cuts were counted or drawn."""
        found = self.count(node)
        total = found.source + found.target
        if found.exact:
            return f"all {total} minimum cuts of its part were counted, {found.target} of them say +1"
        return f"its minimum cuts are too many to count, of {total} drawn uniformly {found.target} say +1"

    def count(self, node: int) -> CutCount:
        """The minimum cuts by their label of the node, counted or drawn."""
        if self.cut.side(node) != INNER:
            return count_minimum_cuts_through(self.cut, node)
        own = self.cut.super_vertex(node)
        if own not in self._counts:
            self._counts[own] = count_minimum_cuts_through(
                self.cut,
                node,
                max_states=self.learner.max_states,
                samples=self.learner.samples,
                rng=self._generator(own),
            )
        return self._counts[own]

    def bound(self, labels: Ints) -> Bound:
        """⌊log₂⌋ of the number of minimum cuts, per part and game."""
        replay = ZeroIsingState(self.graph, OnlineCut(self.graph, close=False), self.learner, self.key)
        exact = True

        def price(node: int) -> int:
            nonlocal exact
            found = replay.count(node)
            exact = exact and found.exact
            return (found.source + found.target).bit_length() - 1 if found.exact else found.super_vertices

        trials = list(zip(self.seen_nodes.tolist(), self.seen_labels.tolist(), strict=True))
        found = part_certificate(replay, trials, price, "log₂ of the minimum cuts over the games played")
        counted = Assumption("all minimum cuts are counted, none drawn", exact)
        return dataclasses.replace(found, assumptions=(counted,))

    def _generator(self, own: int) -> np.random.Generator:
        """A generator that depends on the seed, the labels known and the super-vertex alone."""
        first = min(self.cut.members(own))
        digest = hashlib.blake2b(self.cut.labels.tobytes(), digest_size=16).digest()
        return np.random.default_rng([self.key, first, *np.frombuffer(digest, dtype=np.uint32).tolist()])


@learner("zero-ising")
@dataclass(frozen=True)
class ZeroIsing(Learner):
    """The majority of the minimum cuts; see the module for the algorithm.

    Parameters
    ----------
    max_states
        Minimum cuts are counted exactly as long as the dynamic programme holds no more states than this.
    samples
        How many minimum cuts are drawn where it would hold more.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> state = ZeroIsing().start(line)
    >>> for node, label in [(0, -1), (4, 1)]:
    ...     state.update(node, label)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -0.625, -0.125, 0.375, 1.0]
    """

    purpose: ClassVar[str] = "the exact majority over all minimum cuts that agree with the labels"
    choose: ClassVar[str] = "you study zero temperature, or want the vote itself and not a strategy for it"
    cost: ClassVar[str] = (
        "minimum cuts are counted around each node, or sampled where there are too many of them"
    )

    max_states: int = 20_000
    samples: int = 1001

    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"max_states": 2, "samples": 11})

    def __post_init__(self) -> None:
        for name in ("max_states", "samples"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name}={getattr(self, name)} must be at least 1.")

    def prepare(self, graph: Graph) -> OnlineCut:
        """The graph's integer capacities, before any label."""
        return OnlineCut(graph, close=False)

    def start(
        self, graph: Graph, prepared: OnlineCut | None = None, rng: np.random.Generator | None = None
    ) -> ZeroIsingState:
        """Begin without labels; `rng` gives the key of all draws."""
        key = int((np.random.default_rng(0) if rng is None else rng).integers(2**32))
        return ZeroIsingState(graph, self.prepare(graph) if prepared is None else prepared, self, key)


def _share(source: int, target: int) -> float:
    """(target − source − ½) / total; the counts may have hundreds of digits."""
    difference, total = 2 * (target - source) - 1, 2 * (target + source)
    return difference / total or (SMALLEST if difference > 0 else -SMALLEST)

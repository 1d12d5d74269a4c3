"""The halving algorithm on labelings of small cut (Herbster and Pontil 2006, section 5.2).

The concept class holds every labelling whose cut is at most k. Predict a node as the majority of those
labelings that agree with all labels so far; a mistake then rules out at least half of them, so there are at
most log₂ of the class's size.

The counts are exact: by dynamic programming over the cut on trees and forests, in O(n k²) per trial, and by
listing all labelings on other graphs of at most 20 nodes. What the paper leaves open:

- *Margin*: (N₊ − N₋) / (N₊ + N₋), the balance of the votes. A tied vote is predicted −1, so its margin is
  the smallest step below 0, −1e-300. In a component without a label the vote is always tied, by symmetry;
  there the margin is 0, and the guess is the session's.
- *Repeats*: a node keeps its last label.
- *Labels that need a larger cut*: once no labelling of the class agrees with the labels, the class grows to
  the least cut that does, and the bound no longer applies.
- On trees the weights must be whole numbers, or all equal.

Bound: log₂ of the number of labelings in the class, since a mistake rules out half of those left. The paper
counts labelings of cut exactly k and gives ⌈log₂ n⌉ for a line and k = 1. That class has 2(n − 1)
labelings, that of cut at most 1 has 2n, so the bound computed here is 1 + log₂ n: the paper's figure leaves
out the bit for the sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.measures.structure import cut
from zerokelvin.learners.base import Learner, State, learner
from zerokelvin.learners.halving.halving_counts import EnumeratedCuts, ForestCuts

__all__ = ["Halving", "HalvingState"]

MAX_ENUMERATED_NODES = 20
MOST_EXPLAINED = 32
TIED = -1e-300


class Counts(Protocol):
    """Counts labelings of a graph with a small cut."""

    def votes(self, labels: NDArray[np.int8], budget: float) -> tuple[list[int], list[int]]:
        """For every node how many labelings agree with `labels` (0: unknown) and give it −1, and +1."""
        ...

    def size(self, budget: float) -> int:
        """How many labelings have a cut of at most `budget`."""
        ...


class HalvingState(State):
    """One binary problem: the labels so far. Votes are counted when asked for."""

    fields: ClassVar[tuple[str, ...]] = ("labels",)

    def __init__(self, graph: Graph, counts: Counts, learner: Halving) -> None:
        self.graph = graph
        self.counts = counts
        self.learner = learner
        self.labels = np.zeros(graph.num_nodes, dtype=np.int8)
        self._counted: tuple[bytes, Floats] = (b"", np.zeros(0))

    def margin(self, node: int) -> float:
        """The balance of the votes for one node."""
        return float(self._margins()[node])

    def margins(self, nodes: Ints) -> Floats:
        """The balance of the votes for several nodes."""
        return self._margins()[nodes]

    def update(self, node: int, label: int) -> None:
        """Keep the labelings that give the node this label."""
        self.labels[node] = label

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labels around the node, at most the nearest 32, with how the vote would change without each."""
        if self.labels[node] != 0:
            return [(int(node), float(self.labels[node]))]
        vote, shares = self.margin(node), []
        for other in self._around(node):
            left = self.labels.copy()
            left[other] = 0
            minus, plus = self.counts.votes(left, self.learner.k)
            shares.append((other, vote - _balance(minus[node], plus[node])))
        return sorted(shares, key=lambda share: -abs(share[1]))

    def bound(self, labels: ArrayLike) -> Bound:
        """The binary logarithm of the number of labelings with a cut of at most k."""
        u = np.asarray(labels)
        size, needed = self.counts.size(self.learner.k), cut(self.graph, u)
        assumptions = (
            Assumption("the comparator's cut is at most k", needed <= self.learner.k * (1 + 1e-9)),
            self.record.agreement(u),
        )
        terms = {"log₂ |class|": math.log2(size), "k": float(self.learner.k), "Φ(u)": needed}
        return Bound(math.log2(size), "section 5.2, Herbster and Pontil 2006", terms, assumptions)

    def _around(self, node: int) -> list[int]:
        """Labelled nodes reached over unlabelled ones, nearest first."""
        found, seen, queue = [], {node}, [node]
        for here in queue:
            for other in self.graph.neighbors(here).tolist():
                if other in seen:
                    continue
                seen.add(other)
                if self.labels[other] == 0:
                    queue.append(other)
                else:
                    found.append(other)
            if len(found) >= MOST_EXPLAINED:
                break
        return found[:MOST_EXPLAINED]

    def _margins(self) -> Floats:
        """The margin of every node for the labels known now, counted once."""
        key = self.labels.tobytes()
        if self._counted[0] != key:
            votes = self.counts.votes(self.labels, self.learner.k)
            margins = np.array([_balance(minus, plus) for minus, plus in zip(*votes, strict=True)])
            labelled = np.zeros(self.graph.num_components, dtype=np.bool_)
            labelled[self.graph.components[self.labels != 0]] = True
            self._counted = (key, np.where(labelled[self.graph.components], margins, 0.0))
        return self._counted[1]


@learner("halving")
@dataclass(frozen=True)
class Halving(Learner):
    """Majority of the labelings with a cut of at most k; see the module for ties and limits.

    Parameters
    ----------
    k
        The cut, summed over the weights of cut edges, that a labelling may have.

    Examples
    --------
    >>> line = Graph.from_edges([(i, i + 1) for i in range(7)])
    >>> state = Halving(k=1).start(line)
    >>> state.update(0, -1)
    >>> [round(state.margin(node), 2) for node in range(8)]
    [-1.0, -0.75, -0.5, -0.25, -0.0, 0.25, 0.5, 0.75]
    >>> state.margin(4) < 0, state.bound([-1] * 8).value
    (True, 4.0)
    """

    purpose: ClassVar[str] = (
        "the best guess if the cut is known to be at most k, on trees and on very small graphs"
    )
    choose: ClassVar[str] = (
        "the graph is a tree or has 20 nodes, and the number of cut edges is known beforehand"
    )
    cost: ClassVar[str] = (
        "O(n k²) per trial on trees; on other graphs all labelings are listed, up to 20 nodes"
    )

    k: float = 1.0

    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"k": 2.0})
    checked_up_to: ClassVar[int] = 12  # it lists labelings one by one where there are cycles

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k) and self.k >= 0):
            raise ParameterError(f"k={self.k} must be a finite number of at least 0.")

    def unit_matters(self) -> str:
        """Always: k is compared with sums of weights."""
        return "k is a sum of weights"

    def prepare(self, graph: Graph) -> Counts:
        """Choose how to count: along a forest, or by listing all labelings."""
        graph.require_positive("halving")
        forest = graph.num_edges == graph.num_nodes - graph.num_components
        whole = ForestCuts.unit_of(graph.edge_weights)
        if forest and whole is not None:
            return ForestCuts(graph, whole)
        if graph.num_nodes <= MAX_ENUMERATED_NODES:
            return EnumeratedCuts(graph)
        if forest:
            raise ParameterError(
                "halving counts cuts on a tree in whole numbers, but its weights are not multiples of the "
                "least one; round them, or take another learner."
            )
        raise ParameterError(
            f"halving lists all labelings of a graph with cycles, and {graph.num_nodes} nodes are more than "
            f"{MAX_ENUMERATED_NODES}; take a spanning tree of it, or another learner."
        )

    def start(
        self, graph: Graph, prepared: Counts | None = None, rng: np.random.Generator | None = None
    ) -> HalvingState:
        """Begin without labels: every labelling with a cut of at most k has a vote."""
        return HalvingState(graph, self.prepare(graph) if prepared is None else prepared, self)


def _balance(minus: Any, plus: Any) -> float:
    """(N₊ − N₋) / (N₊ + N₋), kept away from 0 on the side of the prediction."""
    share = (plus - minus) / (plus + minus)
    return max(share, -TIED) if plus > minus else min(share, TIED)

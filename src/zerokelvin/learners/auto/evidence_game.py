"""A game that keeps the evidence for every class at every node: margins are leads, shares are columns."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.learners.base import Game
from zerokelvin.learners.gaussian.propagation import lookup_margins

__all__ = ["EvidenceGame"]


class EvidenceGame(Game):
    """Subclasses write `evidence`, `learn` and `votes`, and keep in `counts` the labels of each class."""

    counts: Floats
    """How often each node was labelled with each class, (nodes, classes)."""

    def scores(self, nodes: Any) -> Floats:
        """The lead of every problem's class over its best rival, (nodes, columns)."""
        evidence = self.evidence(nodes)
        result = np.full((len(evidence), self.columns), np.nan)
        lookup_margins(np.ascontiguousarray(evidence.T), np.arange(len(evidence)), result)
        return result

    @abstractmethod
    def evidence(self, nodes: Any) -> Floats:
        """What speaks for each class, (nodes, classes)."""

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, in compiled code."""
        self.learn_in_order(np.asarray(nodes, dtype=np.int64), codes)

    @abstractmethod
    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the evidence for its class at `node`."""

    def shares(self, node: int, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to the lead of a class over a rival."""
        parts = self.votes(node) * (self.counts[:, code] - self.counts[:, rival])
        return {int(other): float(parts[other]) for other in np.flatnonzero(parts)}

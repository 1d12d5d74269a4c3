"""Votes of a committee of spines for every class, in a game that all classes share.

What `spanning-tree` with ``inner="nearest"`` keeps for every class by itself is kept once
(`trees.online.class_spines`); the votes are the same to the last bit. Every label is learnt by all classes,
so this is no game for a rule of asking that each has for itself.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.learners.base import Game
from zerokelvin.learners.base.kept import KeptGame
from zerokelvin.trees.online.class_spines import (
    learn_class,
    new_class_marks,
    read_class_votes,
    sweep_class_votes,
    votes_in_order,
)
from zerokelvin.trees.online.neighbours import Spines
from zerokelvin.undo import Undo

__all__ = ["SpineVotes"]

MANY = 8
"""One node in so many is enough for a pass along all of the spines to take less than a search for each."""

CODES = "0/codes"
"""The saved class of every node, −1 where there is none: enough to learn all labels again."""


class SpineVotes(Game):
    """The share of the spines for each class; at least two spines, `size` of them."""

    def __init__(self, spines: Spines, size: int, classes: int) -> None:
        super().__init__(classes)
        self.spines = spines
        self.size = size
        self.marks = new_class_marks(spines)

    @property
    def num_nodes(self) -> int:
        """Nodes of the graph."""
        return len(self.spines.place) // self.size

    def scores(self, nodes: Any) -> Floats:
        """The mean vote in every problem."""
        means = 2.0 * self.evidence(nodes) - 1.0
        return means[:, 1:] if self.columns == 1 else means

    def evidence(self, nodes: Any) -> Floats:
        """The share for each class, (nodes, classes); of many nodes, by one pass along the spines."""
        places = np.asarray(nodes, dtype=np.int64)
        if MANY * len(places) < self.num_nodes:
            return self._in_order(places, np.zeros(0, dtype=np.int64))
        votes = np.full((self.num_nodes, self.classes), np.nan)
        room = np.empty(self.num_nodes, dtype=self.spines.place.dtype)
        sweep_class_votes(self.spines, self.marks, self.size, room, votes)
        return np.take(votes, places, axis=0)

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in the share for each class at one node."""
        read_class_votes(self.spines, self.marks, self.size, node, evidence)

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal a class; the last one given to a node counts."""
        learn_class(self.spines, self.marks, self.size, node, code)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo:
        """The same, and what takes it back: a place on every spine, and the marks above it."""
        codes, marks = self.marks
        places = self.spines.place[node :: self.num_nodes].astype(np.int64)
        leaves, undo = places + len(marks) // 2, Undo()
        above = np.unique(leaves[:, None] >> np.arange(int(leaves.max()).bit_length()))
        undo.keep(codes, places)
        undo.keep(marks, above[above >= 1])
        self.learn(node, code)
        return undo

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal classes one after the other: the shares before each, (nodes, classes)."""
        return self._in_order(nodes, codes)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, without a look at the votes."""
        nothing = np.zeros((0, self.classes))
        places = np.asarray(nodes, dtype=np.int64)
        votes_in_order(self.spines, self.marks, self.size, places, codes.astype(np.int64), nothing)

    def parts(self) -> dict[str, NDArray[Any]]:
        """The class of every node, from the first spine."""
        return {CODES: self.marks.codes[self.spines.place[: self.num_nodes]]}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Learn the class of every node again; which came first does not matter."""
        codes = np.asarray(arrays[CODES]).astype(np.int64)
        if codes.shape != (self.num_nodes,) or not ((codes >= -1) & (codes < self.classes)).all():
            raise ValueError(f"the saved array {CODES!r} holds no class of every node.")
        nodes = np.flatnonzero(codes >= 0)
        self.teach(nodes, codes[nodes])

    def twin(self, kept: bool = False) -> Game:
        """Another game at the same place."""
        if kept:
            spines, size, classes = self.spines, self.size, self.classes
            return KeptGame(self, lambda: SpineVotes(spines, size, classes))
        other = copy.copy(self)
        other.marks = copy.deepcopy(self.marks)
        return other

    def _in_order(self, nodes: Ints, codes: Ints) -> Floats:
        votes = np.full((len(nodes), self.classes), np.nan)
        votes_in_order(self.spines, self.marks, self.size, nodes, codes.astype(np.int64), votes)
        return votes

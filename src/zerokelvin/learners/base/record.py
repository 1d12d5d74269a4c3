"""The record of what was shown: every label that reached a learner, in order.

A theorem speaks of the labels a learner was taught, all of them and not only of each node's last. Every state
has one `Record` (`zerokelvin.learners.base.State`), filled as labels come and once for a whole compiled game,
and its bound judges the theorem's assumptions against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Ints
from zerokelvin.bound import Assumption

__all__ = ["Record", "Recorded", "require_labels"]


def require_labels(nodes: NDArray[Any], labels: NDArray[Any], count: int) -> None:
    """Refuse saved labels that are not −1 or +1, or of nodes that are not among `count`.

    >>> require_labels(np.array([0, 3]), np.array([1, -1]), 3)
    Traceback (most recent call last):
    ValueError: saved labels name nodes or labels that are not there.
    """
    fits = nodes.shape == labels.shape and nodes.ndim == 1
    if not fits or ((nodes < 0) | (nodes >= count)).any() or not np.isin(labels, (-1, 1)).all():
        raise ValueError("saved labels name nodes or labels that are not there.")


class Record:
    """Nodes and labels in the order they were shown; −1 in the place of a vector that is no node.

    Examples
    --------
    >>> record = Record()
    >>> record.note(4, 1)
    >>> record.note_all(np.array([2, 4]), np.array([-1, -1]))
    >>> record.nodes.tolist(), record.labels.tolist(), record.against([1, 1, -1, 1, 1])
    ([4, 2, 4], [1, -1, -1], 1)
    >>> record.agreement([1, 1, -1, 1, 1])
    Assumption(text='no label contradicts the comparator', holds=False)
    """

    __slots__ = ("_count", "_labels", "_nodes")

    def __init__(self) -> None:
        self._nodes: Ints = np.zeros(0, dtype=np.int64)
        self._labels: NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self._count = 0

    def __len__(self) -> int:
        """How many labels were shown."""
        return self._count

    @property
    def nodes(self) -> Ints:
        """The node of every label, in order."""
        return self._nodes[: self._count]

    @property
    def labels(self) -> NDArray[np.int8]:
        """The labels, in order, −1 or +1."""
        return self._labels[: self._count]

    def note(self, node: Any, label: int) -> None:
        """Add one label; of a vector, which is no node, only that it was shown."""
        count = self._count
        if count == len(self._nodes):
            self._make_room(count + 1)
        self._nodes[count] = node if isinstance(node, (int, np.integer)) else -1
        self._labels[count] = label
        self._count = count + 1

    def note_all(self, nodes: NDArray[Any], labels: NDArray[Any]) -> None:
        """Add the labels of a whole game. An empty record keeps the arrays themselves, so change neither."""
        begin, end = self._count, self._count + len(nodes)
        if begin == 0:
            self._nodes = np.asarray(nodes, dtype=np.int64)
            self._labels = np.asarray(labels, dtype=np.int8)
        else:
            self._make_room(end)
            self._nodes[begin:end] = nodes
            self._labels[begin:end] = labels
        self._count = end

    def replace(self, begin: int, nodes: NDArray[Any], labels: NDArray[Any]) -> None:
        """Put these labels in the place of everything from the number `begin` on."""
        self._nodes, self._labels, self._count = self._nodes[:begin], self._labels[:begin], begin
        self.note_all(nodes, labels)

    def shorten(self, count: int) -> None:
        """Take back all labels but the first `count`."""
        self._count = min(count, self._count)

    def copy(self) -> Record:
        """Another record of the same labels."""
        other = Record()
        other.note_all(self.nodes.copy(), self.labels.copy())
        return other

    def against(self, labels: ArrayLike) -> int:
        """How many of the labels shown contradict a labelling of all nodes."""
        u = np.asarray(labels)
        known = self.nodes >= 0
        if known.all():
            return int(np.count_nonzero(u[self.nodes] != self.labels))
        return int(np.count_nonzero(u[self.nodes[known]] != self.labels[known]))

    def agreement(self, labels: ArrayLike) -> Assumption:
        """The assumption that a labelling agrees with every label shown."""
        return Assumption("no label contradicts the comparator", self.against(labels) == 0)

    def labelled(self, component: Ints) -> int:
        """In how many components a label was shown, given the component of every node."""
        return len(np.unique(component[self.nodes[self.nodes >= 0]]))

    def _make_room(self, count: int) -> None:
        room = max(count, 2 * self._count, 16)
        nodes, labels = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int8)
        nodes[: self._count], labels[: self._count] = self.nodes, self.labels
        self._nodes, self._labels = nodes, labels


class Recorded:
    """What has a record: its nodes and labels can be read, saved and put back by name."""

    record: Record

    @property
    def seen_nodes(self) -> Ints:
        """The node of every label on the record, −1 for a vector that is no node."""
        return self.record.nodes

    @seen_nodes.setter
    def seen_nodes(self, nodes: Ints) -> None:
        self.record.replace(0, nodes, np.zeros(len(nodes), dtype=np.int8))

    @property
    def seen_labels(self) -> NDArray[np.int8]:
        """The labels on the record."""
        return self.record.labels

    @seen_labels.setter
    def seen_labels(self, labels: NDArray[np.int8]) -> None:
        self.record.replace(0, self.record.nodes, labels)

"""The trials a state has been taught, kept so that its bound can be evaluated on all of them.

Mistake bounds of the second-order family compare with a fixed classifier over the whole sequence of
examples, not only over the mistakes, so every label that reaches the state is noted: the node (−1 for a
vector that is not in the table; the vector itself goes to `strangers`), its label, and whether it was
learnt, that is whether it changed the weights.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.learners.base import State
from zerokelvin.learners.instances import Coordinates, KernelPoints, is_vector

__all__ = ["LoggedState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class LoggedState(State):
    """A state that remembers its trials."""

    log: ClassVar[tuple[str, ...]] = ("seen_nodes", "seen_labels", "seen_learnt", "strangers")

    def __init__(self) -> None:
        self._seen: dict[str, list[int]] = {"nodes": [], "labels": [], "learnt": []}
        self._played: list[tuple[NDArray[Any], ...]] = []  # of compiled games, not yet in the lists
        self.strangers: list[list[float]] = []

    @property
    def seen_nodes(self) -> list[int]:
        """The node of every trial, −1 for a vector from outside the table."""
        return self._lists()["nodes"]

    @seen_nodes.setter
    def seen_nodes(self, nodes: list[int]) -> None:
        self._lists()["nodes"] = nodes

    @property
    def seen_labels(self) -> list[int]:
        """The label of every trial."""
        return self._lists()["labels"]

    @seen_labels.setter
    def seen_labels(self, labels: list[int]) -> None:
        self._lists()["labels"] = labels

    @property
    def seen_learnt(self) -> list[int]:
        """Whether each trial was learnt, 0 or 1."""
        return self._lists()["learnt"]

    @seen_learnt.setter
    def seen_learnt(self, learnt: list[int]) -> None:
        self._lists()["learnt"] = learnt

    @property
    def trials(self) -> int:
        """Labels seen so far."""
        return len(self.seen_nodes)

    @property
    def mistakes(self) -> int:
        """Labels that changed the weights."""
        return sum(self.seen_learnt)

    def note(self, node: Any, label: int, learnt: bool) -> None:
        """Remember one trial."""
        if is_vector(node):
            self.strangers.append([float(value) for value in node])
            node = -1
        self.seen_nodes.append(int(node))
        self.seen_labels.append(int(label))
        self.seen_learnt.append(int(learnt))

    def note_all(self, nodes: Ints, labels: NDArray[Any], learnt: NDArray[Any]) -> None:
        """Remember the trials of a compiled game."""
        self._played.append((nodes, labels, learnt))

    def _lists(self) -> dict[str, list[int]]:
        for game in self._played:
            for name, array in zip(self._seen, game, strict=True):
                self._seen[name].extend(array.astype(np.int64).tolist())
        self._played = []
        return self._seen

    def last_learnt(self, source: Coordinates | None, count: int) -> tuple[Floats, Floats]:
        """Rows (none without a source) and labels of the last `count` trials learnt, in order."""
        nodes, learnt = self.seen_nodes, self.seen_learnt
        chosen: list[int] = []
        outside: list[int] = []
        k = len(self.strangers)
        for t in range(len(nodes) - 1, -1, -1):
            if len(chosen) == count:
                break
            k -= nodes[t] < 0
            if learnt[t]:
                chosen.append(t)
                outside.append(k)
        chosen.reverse()
        outside.reverse()
        labels = np.array([float(self.seen_labels[t]) for t in chosen])
        if source is None:
            return np.zeros((0, 0)), labels
        at = np.array([nodes[t] for t in chosen], dtype=np.int64)
        rows = np.empty((len(chosen), source.dimension))
        rows[at >= 0] = source.matrix[at[at >= 0]]
        for row in np.flatnonzero(at < 0):
            rows[row] = source.vector(self.strangers[outside[row]])
        return rows, labels

    def explain_from(self, rows: Floats, weights: Floats) -> list[tuple[int, float]]:
        """Contributions weights·rows of the learnt trials, summed by node, largest first."""
        shares: dict[int, float] = {}
        nodes = [node for node, learnt in zip(self.seen_nodes, self.seen_learnt, strict=True) if learnt]
        for node, share in zip(nodes, rows * weights, strict=True):
            if node >= 0:
                shares[node] = shares.get(node, 0.0) + float(share)
        return sorted(shares.items(), key=lambda item: -abs(item[1]))

    def seen_points(self, source: Coordinates | KernelPoints) -> Floats:
        """One row per trial: coordinates, or the points a kernel takes."""
        look = source.vector if isinstance(source, Coordinates) else source.point
        strangers = iter(self.strangers)
        rows = [look(node if node >= 0 else np.array(next(strangers))) for node in self.seen_nodes]
        width = source.dimension if isinstance(source, Coordinates) else source.width
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)

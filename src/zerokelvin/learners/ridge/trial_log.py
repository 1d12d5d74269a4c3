"""What the second-order family adds to the record of a problem, so that bounds see all of its trials.

Mistake bounds of this family compare with a fixed classifier over the whole sequence of examples, not only
over the mistakes. Beside the record of nodes and labels (`learners.base.record.Record`, where a vector that
is not in the table is the node −1) goes whether each trial was learnt, that is whether it changed the
weights; the vectors themselves go to `strangers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.learners.base import Record, State
from zerokelvin.learners.base.record import Recorded
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints, is_vector

__all__ = ["LoggedState", "TrialLog"]


class TrialLog(Recorded):
    """The trials of one binary problem."""

    log: ClassVar[tuple[str, ...]] = ("seen_nodes", "seen_labels", "seen_learnt", "strangers")

    def __init__(self) -> None:
        self.record = Record()
        self._flags: list[int] = []
        self._played: list[NDArray[Any]] = []  # of compiled games, not yet in the list
        self.strangers: list[list[float]] = []

    @property
    def seen_learnt(self) -> list[int]:
        """Whether each trial was learnt, 0 or 1."""
        for learnt in self._played:
            self._flags.extend(learnt.astype(np.int64).tolist())
        self._played = []
        return self._flags

    @seen_learnt.setter
    def seen_learnt(self, learnt: list[int]) -> None:
        self._flags, self._played = learnt, []

    @property
    def trials(self) -> int:
        """How many labels were seen so far."""
        return len(self.record)

    @property
    def mistakes(self) -> int:
        """How many labels changed the weights."""
        return sum(self.seen_learnt)

    def note(self, node: Any, label: int, learnt: bool) -> None:
        """Remember one trial: its node or vector, its label, and whether the weights changed."""
        if is_vector(node):
            self.strangers.append([float(value) for value in node])
        self.record.note(node, label)
        self.seen_learnt.append(int(learnt))

    def note_all(self, nodes: Ints, labels: NDArray[Any], learnt: NDArray[Any]) -> None:
        """Remember the trials of a compiled game."""
        self.record.note_all(nodes, labels)
        self._played.append(learnt)

    def saved_log(self) -> dict[str, NDArray[Any]]:
        """The log as arrays, under the names in `log`."""
        return {name: np.array(getattr(self, name)) for name in self.log}

    def restore_log(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `saved_log` gave."""
        for name in self.log:
            setattr(self, name, arrays[name].tolist())

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
        rows = np.full((len(chosen), source.dimension), np.nan)
        rows[at >= 0] = source.matrix[at[at >= 0]]
        for row in np.flatnonzero(at < 0):
            rows[row] = source.vector(self.strangers[outside[row]])
        return rows, labels

    def explain_from(self, rows: Floats, weights: Floats) -> list[tuple[int, float]]:
        """Contributions weights·rows of the learnt trials, summed by node, largest first."""
        shares: dict[int, float] = {}
        nodes = self.seen_nodes[np.array(self.seen_learnt, dtype=np.bool_)].tolist()
        for node, share in zip(nodes, rows * weights, strict=True):
            if node >= 0:
                shares[node] = shares.get(node, 0.0) + float(share)
        return sorted(shares.items(), key=lambda item: -abs(item[1]))

    def seen_points(self, source: Coordinates | KernelPoints) -> Floats:
        """One row per trial: coordinates, or the points a kernel takes."""
        look = source.vector if isinstance(source, Coordinates) else source.point
        strangers = iter(self.strangers)
        rows = [look(node if node >= 0 else np.array(next(strangers))) for node in self.seen_nodes.tolist()]
        width = source.dimension if isinstance(source, Coordinates) else source.width
        return np.array(rows, dtype=np.float64).reshape(len(rows), width)


class LoggedState(TrialLog, State):
    """A state that remembers its trials."""

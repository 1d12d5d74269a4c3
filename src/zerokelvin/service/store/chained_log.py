"""What the logs of all databases have in common: pages of events, links by number, answers with a hash."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from zerokelvin.service.store.event_chain import RESTORE, checked
from zerokelvin.service.store.log import Kept, Remembered, StoredEvent, checked_answer
from zerokelvin.service.store.store_errors import LogDamaged, StoreError

__all__ = ["AT_ONCE", "ChainedLog", "answer_check", "answer_row"]

AT_ONCE = 1000
"""How many events are read before the database is let go of, so that a slow reader holds nobody up."""


def answer_check(answer: Remembered) -> bytes:
    """A short hash of an answer, by which damage is seen."""
    text = repr(tuple(answer))
    return hashlib.sha256(text.encode()).digest()[:8]


def answer_row(answer: Remembered) -> tuple[Any, ...]:
    """An answer as it is stored, with its hash."""
    given = checked_answer(answer)
    return (*given, answer_check(given))


class ChainedLog(ABC):
    """The log of one project, whatever the database; see `Log` for the methods."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = False
        self._epoch = 0  # 0: this log does not write

    @abstractmethod
    def length(self) -> int:
        """How many events have been committed."""

    @abstractmethod
    def _page(self, after: int, until: int, most: int) -> list[Any]:
        """The rows of at most so many events behind number `after`, up to number `until`."""

    @abstractmethod
    def _chain_or_none(self, number: int) -> bytes | None:
        """The link of an event, or of the graph for 0; None where there is no such event."""

    def chain(self, number: int) -> bytes:
        """The link of event `number`, or of the graph for 0; StoreError where there is no such event."""
        found = self._chain_or_none(number)
        if found is None:
            raise StoreError(
                f"project '{self.name}' has no event {number}; its log has {self.length()}, numbered from 1."
            )
        return found

    def _rows(self, after: int, length: int) -> Iterator[StoredEvent]:
        while after < length and (rows := self._page(after, length, AT_ONCE)):
            yield from map(StoredEvent._make, rows)
            after = rows[-1][0]

    def newest(self, before: int | None = None, most: int = AT_ONCE) -> Iterator[StoredEvent]:
        """The events, the last first, or those before number `before`; checked and read `most` at a time."""
        last = self.length() if before is None else min(self.length(), before - 1)
        while last > 0:
            first = max(last - most, 0)
            rows = map(StoredEvent._make, self._page(first, last, most))
            yield from reversed(list(checked(rows, first, self.chain(first), last, self.name)))
            last = first

    def _answer(self, row: tuple[Any, ...]) -> Remembered:
        found = Remembered._make(row[:-1])
        if answer_check(found) != row[-1]:
            raise LogDamaged(
                f"project '{self.name}': the answer remembered for key {found.key!r} is not what was "
                f"written; {RESTORE}."
            )
        return found

    def _check_open(self) -> None:
        if self.closed:
            raise StoreError(f"the log of project '{self.name}' is closed; open it again.")

    def _check_own(self, snapshot: Kept) -> None:
        if not snapshot.sound or snapshot.chain != self.chain(snapshot.events):
            raise StoreError(f"the snapshot at event {snapshot.events} is not one of project '{self.name}'.")

"""The log of a project in PostgreSQL.

An append is one statement: it raises the length of the project where epoch and length are those this writer
knows, and writes events and answers only if it did. So the comparison and the writing are one transaction,
no lock is held while the server waits for a client that may be stopped, and a repeated append changes
nothing. If the connection breaks on the way, the log is asked whether the events are there.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from zerokelvin.service.store.chained_log import ChainedLog, answer_check
from zerokelvin.service.store.event_chain import RESTORE, checked, first_link, linked
from zerokelvin.service.store.log import (
    ARCHIVED,
    RESTORED,
    Kept,
    NewEvent,
    Remembered,
    StoredEvent,
    checked_answer,
)
from zerokelvin.service.store.log_end import LogEnd
from zerokelvin.service.store.postgres.postgres_connections import INSTANCE, PostgresConnections
from zerokelvin.service.store.postgres.postgres_leading import Leadership
from zerokelvin.service.store.snapshot_files import MOST, refusal
from zerokelvin.service.store.store_errors import LeadLost, LogDamaged, StoreUnavailable

__all__ = ["PostgresLog"]

PATIENCE = 5.0
"""Seconds for which a broken connection is made again, to find out whether an append was written."""

APPEND = """
WITH led AS (
    UPDATE projects SET length = %(last)s, chain = %(chain)b, archived = coalesce(%(archived)s, archived)
    WHERE id = %(project)s AND epoch = %(epoch)s AND length = %(before)s RETURNING id
), written AS (
    INSERT INTO events SELECT led.id, number, kind, body, at, actor, %(epoch)s, chain FROM led,
        unnest(%(numbers)b::bigint[], %(kinds)s::text[], %(bodies)b::bytea[], %(ats)b::float8[],
        %(actors)s::text[], %(chains)b::bytea[]) AS e (number, kind, body, at, actor, chain)
), answered AS (
    INSERT INTO answers SELECT led.id, a.* FROM led,
        unnest(%(keys)s::text[], %(prints)b::bytea[], %(statuses)b::integer[], %(answers)b::bytea[],
        %(answered)b::float8[], %(sums)b::bytea[]) AS a (key, fingerprint, status, answer, at, sum)
    ON CONFLICT (project, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
        answer = excluded.answer, at = excluded.at, sum = excluded.sum
)
SELECT count(*) FROM led
"""

logger = logging.getLogger("zerokelvin.store")


class _Place(NamedTuple):
    """Where a project stands on the server."""

    epoch: int
    length: int
    chain: bytes


class PostgresLog(ChainedLog):
    """The log of one project; implements `Log`."""

    def __init__(
        self, project: int, name: str, connections: PostgresConnections, leadership: Leadership
    ) -> None:
        super().__init__(name)
        self._project = project
        self._connections = connections
        self._leadership = leadership
        self._writing = threading.Lock()
        self._end: LogEnd | None = None

    # writing

    def lead(self) -> int:
        """Become the only writer, by lock and by epoch."""
        with self._writing:
            self._check_open()
            self._epoch = 0
            self._leadership.claim(self.name, self)
            rows = self._ask(
                "UPDATE projects SET epoch = epoch + 1, holder = %s WHERE id = %s"
                " RETURNING epoch, length, chain",
                (INSTANCE, self._project),
            )
            place = _Place(*rows[0])
            self._epoch, self._end = place.epoch, LogEnd(place.length, bytes(place.chain))
            return place.epoch

    def append(self, events: Sequence[NewEvent], answers: Sequence[Remembered] = ()) -> int:
        """Write events and answers in one transaction, if this is still the writer."""
        with self._writing:
            if not self._epoch or self._end is None or self.closed:
                raise LeadLost(f"project '{self.name}' is not led by this log; call lead() first.")
            end = self._end
            stored = linked(events, end.number, end.chain, self._epoch)
            last = LogEnd(stored[-1].number, stored[-1].chain) if stored else end
            self._write(end, last, self._parameters(end, last, stored, answers))
            self._end = last
            return last.number

    def _parameters(
        self, end: LogEnd, last: LogEnd, stored: list[StoredEvent], answers: Sequence[Remembered]
    ) -> dict[str, Any]:
        given = list({answer.key: checked_answer(answer) for answer in answers}.values())
        changes = [event.kind == ARCHIVED for event in stored if event.kind in (ARCHIVED, RESTORED)]
        return {
            "project": self._project,
            "epoch": self._epoch,
            "before": end.number,
            "last": last.number,
            "chain": last.chain,
            "archived": changes[-1] if changes else None,
            "numbers": [event.number for event in stored],
            "kinds": [event.kind for event in stored],
            "bodies": [event.body for event in stored],
            "ats": [event.at for event in stored],
            "actors": [event.actor for event in stored],
            "chains": [event.chain for event in stored],
            "keys": [answer.key for answer in given],
            "prints": [answer.fingerprint for answer in given],
            "statuses": [answer.status for answer in given],
            "answers": [answer.answer for answer in given],
            "answered": [answer.at for answer in given],
            "sums": [answer_check(answer) for answer in given],
        }

    def _write(self, end: LogEnd, last: LogEnd, parameters: dict[str, Any]) -> None:
        """Send the statement until it is known whether it was carried out."""
        begun, problem = time.monotonic(), None
        while True:
            try:
                with self._connections.use() as connection:
                    row = connection.execute(APPEND, parameters).fetchone()
                if row and row[0] == 1:
                    return
                place = self._place()
                written = last.number > end.number and self._chain_or_none(last.number) == last.chain
            except StoreUnavailable as found:
                problem = found
                self._connections.drop_idle()
                if time.monotonic() - begun > PATIENCE:
                    self._epoch, self._end = 0, None
                    raise StoreUnavailable(
                        f"{problem} Whether the last {last.number - end.number} events of project "
                        f"'{self.name}' were written is not known; open the project again."
                    ) from problem
                time.sleep(0.1)
                continue
            if written:  # by an earlier round whose answer was lost
                return
            mine, self._epoch, self._end = self._epoch, 0, None
            raise LeadLost(
                f"project '{self.name}' is led by another instance since epoch {place.epoch}, this one had "
                f"epoch {mine}; nothing was written. Open the project again."
            )

    def forget(self, before: float) -> int:
        """Delete answers that were given before a time."""
        return len(
            self._ask(
                "DELETE FROM answers WHERE project = %s AND at < %s RETURNING 1", (self._project, before)
            )
        )

    # reading

    def read(self, after: int = 0) -> Iterator[StoredEvent]:
        """The events behind number `after`, checked; the last link must be the one the project names."""
        place, chain = self._place(), self.chain(after)
        return self._checked_end(
            checked(self._rows(after, place.length), after, chain, place.length, self.name), place
        )

    def _checked_end(self, events: Iterator[StoredEvent], place: _Place) -> Iterator[StoredEvent]:
        for event in events:
            yield event
            if event.number == place.length and event.chain != place.chain:
                raise LogDamaged(
                    f"project '{self.name}': the end of its log is not what was written; {RESTORE}."
                )

    def _page(self, after: int, until: int, most: int) -> list[Any]:
        return self._ask(
            "SELECT number, kind, body, at, actor, epoch, chain FROM events"
            " WHERE project = %s AND number > %s AND number <= %s ORDER BY number LIMIT %s",
            (self._project, after, until, most),
        )

    def length(self) -> int:
        """How many events have been committed."""
        return self._place().length

    def _chain_or_none(self, number: int) -> bytes | None:
        if number == 0:
            return first_link(self._ask("SELECT digest FROM projects WHERE id = %s", (self._project,))[0][0])
        rows = self._ask(
            "SELECT chain FROM events WHERE project = %s AND number = %s", (self._project, number)
        )
        return bytes(rows[0][0]) if rows else None

    def remembered(self, key: str) -> Remembered | None:
        """The answer given for a key."""
        if "\0" in key:
            return None
        rows = self._ask(
            "SELECT key, fingerprint, status, answer, at, sum FROM answers WHERE project = %s AND key = %s",
            (self._project, key),
        )
        return self._answer(rows[0]) if rows else None

    def graph(self) -> bytes:
        """The graph, if it is the one the log begins with."""
        data, digest = self._ask("SELECT graph, digest FROM projects WHERE id = %s", (self._project,))[0]
        if hashlib.sha256(data).digest() != digest:
            raise LogDamaged(f"the graph of project '{self.name}' is not what was written; {RESTORE}.")
        return bytes(data)

    # snapshots

    def keep(self, snapshot: Kept) -> None:
        """Write a snapshot, and delete all but the two newest."""
        self._check_own(snapshot)
        self._ask(
            "INSERT INTO snapshots VALUES (%s, %s, %b, %b, %b) ON CONFLICT (project, events) DO UPDATE"
            " SET chain = excluded.chain, digest = excluded.digest, data = excluded.data RETURNING 1",
            (self._project, *snapshot),
        )
        self._ask(
            "DELETE FROM snapshots WHERE project = %s AND events NOT IN (SELECT events FROM snapshots"
            " WHERE project = %s ORDER BY events DESC LIMIT %s) RETURNING 1",
            (self._project, self._project, MOST),
        )

    def kept(self) -> Kept | None:
        """The newest snapshot that is sound."""
        rows = self._ask(
            "SELECT events FROM snapshots WHERE project = %s ORDER BY events DESC", (self._project,)
        )
        for (events,) in rows:
            found = self._ask(
                "SELECT events, chain, digest, data FROM snapshots WHERE project = %s AND events = %s",
                (self._project, events),
            )
            if not found:  # replaced by newer ones meanwhile
                continue
            snapshot = Kept._make(found[0])
            why = refusal(snapshot, self._chain_or_none)
            if why is None:
                return snapshot
            logger.warning(
                "the snapshot of project '%s' at event %d is not used: %s; more of the log is replayed.",
                self.name,
                events,
                why,
            )
        return None

    def close(self) -> None:
        """Give up writing, so that another instance may lead."""
        with self._writing:
            self.closed, self._epoch, self._end = True, 0, None
            self._leadership.release(self.name, self)

    # helpers

    def _ask(self, sql: str, parameters: tuple[Any, ...]) -> list[Any]:
        self._check_open()
        return self._connections.ask(sql, parameters, binary=True)

    def _place(self) -> _Place:
        rows = self._ask("SELECT epoch, length, chain FROM projects WHERE id = %s", (self._project,))
        return _Place(*rows[0])

"""The chain of hashes through a log: damage, gaps, exchanged events and foreign logs are seen.

c₀ = sha256(tag ‖ sha256(graph)),  cₖ = sha256(cₖ₋₁ ‖ eₖ)

where eₖ is event k as bytes, the same for the same event in every store: number, epoch and time as
big-endian 64-bit values, then kind, actor and body, each behind its length in 32 bits. Who knows cₖ knows
that the graph and the first k events are those that cₖ was made of.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence

from zerokelvin.service.store.log import NewEvent, StoredEvent, check_event
from zerokelvin.service.store.store_errors import LogDamaged

__all__ = ["RESTORE", "canonical", "checked", "first_link", "link", "linked"]

TAG = b"zerokelvin log 1\0"
RESTORE = "restore the project from a backup"


def first_link(graph_digest: bytes) -> bytes:
    """c₀, from the sha256 of the graph."""
    return hashlib.sha256(TAG + graph_digest).digest()


def canonical(number: int, kind: str, body: bytes, at: float, actor: str, epoch: int) -> bytes:
    r"""An event as bytes, without its link.

    >>> canonical(1, "skip", b"", 0.0, "ann", 1)[24:]
    b'\x00\x00\x00\x04skip\x00\x00\x00\x03ann\x00\x00\x00\x00'
    """
    parts = [struct.pack(">QQd", number, epoch, at)]
    for part in (kind.encode(), actor.encode(), body):
        parts += (struct.pack(">I", len(part)), part)
    return b"".join(parts)


def link(previous: bytes, event: StoredEvent) -> bytes:
    """cₖ, from cₖ₋₁ and event k."""
    return hashlib.sha256(previous + canonical(*event[:-1])).digest()


def linked(events: Sequence[NewEvent], number: int, chain: bytes, epoch: int) -> list[StoredEvent]:
    """Events as they are to be stored behind event `number`, whose link is `chain`."""
    stored = []
    for event in events:
        check_event(event)
        number += 1
        at = float(event.at) + 0.0  # a negative zero is not kept by SQLite
        unlinked = StoredEvent(number, event.kind, bytes(event.body), at, event.actor, epoch, b"")
        chain = link(chain, unlinked)
        stored.append(unlinked._replace(chain=chain))
    return stored


def checked(
    events: Iterable[StoredEvent], number: int, chain: bytes, length: int, project: str
) -> Iterator[StoredEvent]:
    """The events behind event `number`, whose link is `chain`, up to event `length`, if they are sound."""
    for event in events:
        number += 1
        if event.number != number:
            raise LogDamaged(f"project '{project}': event {number} is missing from its log; {RESTORE}.")
        try:
            chain = link(chain, event)
        except (TypeError, AttributeError, struct.error):  # a value of another type
            chain = b""
        if event.chain != chain:
            raise LogDamaged(
                f"project '{project}': event {number} of its log is not what was written "
                f"(the {number - 1} before it are); {RESTORE}."
            )
        yield event
    if number < length:
        raise LogDamaged(
            f"project '{project}': its log ends at event {number}, but {length} were written; {RESTORE}."
        )

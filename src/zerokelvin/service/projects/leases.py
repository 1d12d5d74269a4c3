"""Who looks at which question: leases that end by themselves.

They are kept in memory only. After a restart questions may be handed out again, which costs a second look and
never a wrong count.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

__all__ = ["Lease", "Leases"]


class Lease(NamedTuple):
    """A question kept for a reviewer between two times, in seconds since 1970."""

    reviewer: str
    until: float
    since: float


class Leases:
    """The leases of a project, by node index.

    >>> leases = Leases()
    >>> leases.take(3, "ann", now=0.0, seconds=10.0).until
    10.0
    >>> leases.of_others("bob", now=5.0), leases.of_others("ann", now=5.0), leases.of_others("bob", now=11.0)
    ({3}, set(), set())
    """

    def __init__(self) -> None:
        self._held: dict[int, Lease] = {}
        self._lock = threading.Lock()

    def take(self, node: int, reviewer: str, now: float, seconds: float) -> Lease:
        """Keep a question for a reviewer from now on; renewed where it is theirs already."""
        with self._lock:
            lease = self._held[node] = Lease(reviewer, now + seconds, now)
            return lease

    def of(self, reviewer: str, now: float) -> list[int]:
        """The nodes a reviewer has, in the order they were taken."""
        return [node for node, lease in self._now(now) if reviewer and lease.reviewer == reviewer]

    def of_others(self, reviewer: str, now: float) -> set[int]:
        """The nodes that others have; whoever gives no name shares with nobody."""
        return {node for node, lease in self._now(now) if not reviewer or lease.reviewer != reviewer}

    def release(self, node: int) -> None:
        """A question was answered or passed over."""
        with self._lock:
            self._held.pop(node, None)

    def held(self, now: float) -> list[tuple[int, Lease]]:
        """The leases that have not run out at the time `now`, with their nodes."""
        return self._now(now)

    def count(self, now: float) -> int:
        """How many leases have not run out at the time `now`."""
        return len(self._now(now))

    def _now(self, now: float) -> list[tuple[int, Lease]]:
        """Those that have begun and not ended; the others are dropped, all where a clock is set back."""
        with self._lock:
            held = self._held.items()
            self._held = {node: lease for node, lease in held if lease.since <= now < lease.until}
            return list(self._held.items())

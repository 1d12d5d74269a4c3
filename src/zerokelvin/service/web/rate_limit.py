"""Requests per second and key: a bucket of tokens for everybody.

A bucket holds two seconds' worth. Buckets that are full again are forgotten, so that there are never more
than there were senders in the last two seconds.
"""

from __future__ import annotations

__all__ = ["RateLimit"]

BURST = 2.0
"""Seconds' worth of requests that may come at once."""

MANY = 4096
"""Buckets from which on full ones are looked for and forgotten."""


class RateLimit:
    """How often each may come.

    >>> limit = RateLimit(1.0)
    >>> [limit.wait("ann", now=0.0) for _ in range(3)], limit.wait("bob", now=0.0), limit.wait("ann", now=1.0)
    ([0.0, 0.0, 1.0], 0.0, 0.0)
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, who: str, now: float) -> float:
        """Seconds until a request would be taken; 0 where it is."""
        most = max(BURST * self.rate, 1.0)
        left, before = self._buckets.get(who, (most, now))
        left = min(most, left + (now - before) * self.rate)
        if left < 1.0:
            self._buckets[who] = (left, now)
            return (1.0 - left) / self.rate
        self._buckets[who] = (left - 1.0, now)
        if len(self._buckets) > MANY:
            self._buckets = {name: one for name, one in self._buckets.items() if now - one[1] < BURST}
        return 0.0

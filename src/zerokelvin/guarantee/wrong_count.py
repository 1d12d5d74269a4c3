"""How many of a finite number of guesses are wrong, from those drawn at random and looked at one by one.

There are N guesses, w of them wrong; w is fixed and unknown. Guesses are looked at and leave: some are drawn
uniformly from what is left, others are taken for any reason. When one is drawn while n are left and r wrong
ones have been seen, it is wrong with probability (w − r)/n, so what was drawn has the likelihood

    ℓ_t(w) = Π_i ((w − r_i)/n_i)^{x_i} · (1 − (w − r_i)/n_i)^{1 − x_i},   x_i = 1 if the i-th drawn was wrong.

Whether w is too large is a bet on the smaller numbers: with weights π over them, the ratio

    R_t(w) = Σ_{v < w} π(v) ℓ_t(v) / (Σ_{v < w} π(v) · ℓ_t(w))

is a non-negative martingale that begins at 1 if w is the truth. By Ville's inequality it then ever reaches
1/α with probability at most α. So the largest number whose ratio has never reached 1/α is an upper limit that
holds at all times together (the method of mixtures for sampling without replacement: I. Waudby-Smith, A.
Ramdas, Confidence sequences for sampling without replacement, 2020, here against smaller numbers only; that
others leave in between changes r and n, which the past determines, and nothing else).
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints

__all__ = ["Seen", "WrongCount", "most_left"]

KEPT, KEPT_GUESSES = 8, 2_000_000
"""Counts that are kept at most, and of how many guesses together: 40 bytes for each."""

USUAL_SHARE = 0.01
"""Where the weights π(v) ∝ 1/(v + USUAL_SHARE · N + 1)² begin to fall: about the shares people ask for.

They decide how soon the limit is low, never whether it holds.
"""


class Seen(NamedTuple):
    """A guess that was looked at: whether a uniform draw chose it, and whether it was wrong."""

    drawn: bool
    wrong: bool


class WrongCount:
    """The numbers of wrong guesses among `size` that what was seen so far does not rule out.

    Examples
    --------
    >>> count = WrongCount(1000)
    >>> for _ in range(200):
    ...     count.see_drawn(wrong=False)
    >>> count.most_left(0.05)  # of the 800 guesses that nobody has looked at
    16
    """

    def __init__(self, size: int) -> None:
        self.left = size
        self.seen_wrong = 0
        self._numbers: Ints = np.arange(size + 1)
        weights = 1.0 / (self._numbers + USUAL_SHARE * size + 1.0) ** 2
        self._weights: Floats = np.log(weights)
        self._weight_below = _logs_of_sums_before(self._weights)
        self._likelihood: Floats = np.zeros(size + 1)
        self._largest: Floats = np.zeros(size + 1)  # of the logarithms of the ratios, over the times so far

    def see_drawn(self, *, wrong: bool) -> None:
        """A guess was drawn uniformly from those left, looked at, and leaves."""
        share = (self._numbers - self.seen_wrong) / self.left
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.log(share) if wrong else np.log1p(-share)
            self._likelihood += np.where((share < 0.0) | (share > 1.0), -np.inf, chance)
            evidence = _logs_of_sums_before(self._weights + self._likelihood) - self._weight_below
            ratios = evidence - self._likelihood
        np.fmax(self._largest, ratios, out=self._largest)  # not a number where both are impossible
        self.see(wrong=wrong)

    def see(self, *, wrong: bool) -> None:
        """A guess that was not drawn was looked at and leaves."""
        self.left -= 1
        self.seen_wrong += wrong

    def most_left(self, alpha: float) -> int:
        """The most wrong guesses that may be left; ever fewer than there are with probability ≤ α."""
        possible = self._numbers[self.seen_wrong : self.seen_wrong + self.left + 1]
        kept = possible[self._largest[possible] < -np.log(alpha)]
        return int(kept[-1] if len(kept) else possible[-1]) - self.seen_wrong


def most_left(size: int, seen: list[Seen], alpha: float) -> int:
    """The most wrong guesses that may be left of `size` after what was seen, as `WrongCount.most_left`.

    Counts are kept, so that one check more is one step more: a limit is asked for after every answer, and a
    step takes some milliseconds where there are a hundred thousand guesses.
    """
    with _busy:
        fits = [one for one in _kept if one.size == size and one.seen == seen[: len(one.seen)]]
        count = max(fits, key=lambda one: len(one.seen), default=None)
        if count is not None:
            _kept.remove(count)  # nobody else changes it meanwhile, and an interruption loses it
    count = count or _KeptCount(size)
    for one in seen[len(count.seen) :]:
        count.take(one)
    found = count.count.most_left(alpha)
    with _busy:
        _kept.append(count)
        while len(_kept) > KEPT or (len(_kept) > 1 and sum(one.size for one in _kept) > KEPT_GUESSES):
            del _kept[0]
    return found


class _KeptCount:
    """A count with all that it has seen."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.seen = size, WrongCount(size), list[Seen]()

    def take(self, one: Seen) -> None:
        """See one guess more."""
        (self.count.see_drawn if one.drawn else self.count.see)(wrong=one.wrong)
        self.seen.append(one)


_kept: list[_KeptCount] = []
_busy = threading.Lock()


def _logs_of_sums_before(logs: Floats) -> Floats:
    """The logarithm of the sum of all entries before each, by their logarithms; −∞ before the first."""
    return np.concatenate([[-np.inf], np.logaddexp.accumulate(logs)[:-1]])

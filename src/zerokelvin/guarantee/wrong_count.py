"""How many of a finite number of guesses are wrong, from those drawn at random and looked at one by one.

There are N guesses, w of them wrong; w is fixed and unknown. Guesses are looked at and leave: some are drawn
uniformly from what is left, others are taken for any reason. When one is drawn while n are left and r wrong
ones have been seen, it is wrong with probability (w − r)/n. For any prior π₀ over w the ratio of prior to
posterior

    R_t(w) = π₀(w) / π_t(w),   π_t(w) ∝ π₀(w) · Π_i ((w − r_i)/n_i)^{x_i} · (1 − (w − r_i)/n_i)^{1 − x_i}

(the product over those drawn, x_i = 1 if wrong) is a non-negative martingale of mean 1 at the true w, so by
Ville's inequality it ever reaches 1/α with probability at most α. The numbers whose ratio has never reached
1/α are thus a confidence set that is valid at all times together (I. Waudby-Smith, A. Ramdas, Confidence
sequences for sampling without replacement, 2020, Theorem 2.1; that others leave in between changes r and n,
which the past determines, and nothing else).
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats, Ints

__all__ = ["WrongCount"]

USUAL_SHARE = 0.01
"""Where the prior, 1/(w + USUAL_SHARE · N + 1)², begins to fall: the shares people ask for.

It decides how soon the set is narrow, never whether it is valid.
"""


class WrongCount:
    """The numbers of wrong guesses among `size` that what was seen so far does not rule out.

    Examples
    --------
    >>> count = WrongCount(1000)
    >>> for _ in range(200):
    ...     count.see_drawn(wrong=False)
    >>> count.most_left(0.05)  # of the 800 guesses that nobody has looked at
    18
    """

    def __init__(self, size: int) -> None:
        self.left = size
        self.seen_wrong = 0
        self._numbers: Ints = np.arange(size + 1)
        weights = 1.0 / (self._numbers + USUAL_SHARE * size + 1.0) ** 2
        self._prior: Floats = np.log(weights / weights.sum())
        self._likelihood: Floats = np.zeros(size + 1)
        self._largest: Floats = np.zeros(size + 1)  # of the logarithms of the ratios, over the times so far

    def see_drawn(self, *, wrong: bool) -> None:
        """A guess was drawn uniformly from those left, looked at, and leaves."""
        share = (self._numbers - self.seen_wrong) / self.left
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.log(share) if wrong else np.log1p(-share)
        self._likelihood += np.where((share < 0.0) | (share > 1.0), -np.inf, chance)
        joint = self._prior + self._likelihood
        top = joint.max()
        evidence = top + np.log(np.exp(joint - top).sum())
        np.maximum(self._largest, evidence - self._likelihood, out=self._largest)
        self.see(wrong=wrong)

    def see(self, *, wrong: bool) -> None:
        """A guess that was not drawn was looked at and leaves."""
        self.left -= 1
        self.seen_wrong += wrong

    def most_left(self, alpha: float) -> int:
        """The most wrong guesses that may be left; ever fewer than there are with probability ≤ α."""
        possible = self._possible(alpha)
        return int(possible[-1]) - self.seen_wrong

    def least_left(self, alpha: float) -> int:
        """The fewest wrong guesses that may be left, likewise."""
        return int(self._possible(alpha)[0]) - self.seen_wrong

    def _possible(self, alpha: float) -> Ints:
        """The numbers that are not ruled out and agree with what was seen, in order; never none."""
        known = (self._numbers >= self.seen_wrong) & (self._numbers <= self.seen_wrong + self.left)
        kept = self._numbers[known & (self._largest < -np.log(alpha))]
        if len(kept):
            return kept
        return self._numbers[known]  # all ruled out: the α of misfortune; nothing is claimed then

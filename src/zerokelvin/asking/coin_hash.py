"""Coins that are a hash of (seed, trial): deciding consumes no state.

Asking twice gives the same answer, and a saved session goes on as before. The mixing function is SplitMix64
(Steele, Lea, Flood 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_COIN", "coins"]

LEAST_COIN = 2.0**-54
"""The smallest number `coins` can give: what is not asked by it, is never asked."""


def coins(seed: int, trials: NDArray[np.int64]) -> NDArray[np.float64]:
    """One uniform number in (0, 1) per trial number, a pure function of (seed, trial).

    >>> bool(coins(7, np.array([3]))[0] == coins(7, np.arange(5))[3])
    True
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        key = np.uint64(seed & 0xFFFFFFFFFFFFFFFF) * golden + np.uint64(0xD1B54A32D192ED03)
        z = key ^ ((trials.astype(np.uint64) + np.uint64(1)) * golden)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53

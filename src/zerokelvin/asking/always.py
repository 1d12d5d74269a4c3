"""The policy that asks for every label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.asking.policies import Policy, policy

__all__ = ["Always"]


@policy("always")
@dataclass(frozen=True)
class Always(Policy):
    """Ask for every label.

    >>> Always().limits(np.array([0.5])).tolist()
    [inf]
    """

    def limits(self, coins: Floats) -> Floats:
        """Infinite for every coin: every confidence is below it."""
        return np.full(len(coins), np.inf)

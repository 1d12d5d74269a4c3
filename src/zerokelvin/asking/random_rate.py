"""The policy that asks at random, whatever the prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.asking.policies import Policy, policy
from zerokelvin.errors import ParameterError

__all__ = ["RandomRate"]


@policy("random", "RATE")
@dataclass(frozen=True)
class RandomRate(Policy):
    """Ask with probability RATE, whatever the confidence.

    >>> RandomRate(0.3).limits(np.array([0.2, 0.4])).tolist()
    [inf, 0.0]
    """

    p: float

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ParameterError(f"policy random:{self.p} needs a rate between 0 and 1.")

    def limits(self, coins: Floats) -> Floats:
        """Infinite where the coin is below p, else 0: no confidence is below it."""
        return np.where(coins < self.p, np.inf, 0.0)

"""The policy that asks where a margin is small beside its deviation (Dekel, Gentile, Sridharan 2012).

With r_t the variance of the margin, ask where margin² < c r_t log t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.policies import Policy, policy

__all__ = ["Doubt"]


@policy("doubt", "[SCALE]")
@dataclass(frozen=True)
class Doubt(Policy):
    """Ask where margin² < SCALE·variance·log t: the margin is small against its own deviation.

    >>> Doubt(2.0).gains(np.array([1])).round(4).tolist()
    [1.1774]
    """

    c: float = 1.0

    needs_variance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require_scale(self.c)

    def limits(self, coins: Floats) -> Floats:
        """Zero for every coin: `gains` alone raise what the confidence is compared with."""
        return np.zeros(len(coins))

    def gains(self, trials: Ints) -> Floats:
        """The factor √(c log t), t one more than the trials before."""
        return np.sqrt(self.c * np.log(trials + 1.0))

    def urgency(self, confidence: float, spread: float) -> float:
        """The deviation over the confidence: the larger the doubt, the more."""
        if spread <= 0:
            return 0.0
        return math.sqrt(spread) / confidence if confidence > 0 else math.inf

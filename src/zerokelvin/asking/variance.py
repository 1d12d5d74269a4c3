"""The policy that asks where a prediction is unsure (Cesa-Bianchi, Gentile, Orabona 2009; Gu et al. 2013).

With r_t the variance of the margin, ask where r_t > t^−κ (Algorithm 2 of the latter). The selective learners
`sslgc` and `bbq` have the same threshold as a rule of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.policies import Policy, policy
from zerokelvin.errors import ParameterError

__all__ = ["Variance", "variance_floors"]


@policy("variance", "[KAPPA]")
@dataclass(frozen=True)
class Variance(Policy):
    """Ask where the variance is above t^−KAPPA, whatever the margin.

    >>> Variance(0.5).floors(np.array([0, 3]), np.zeros(2)).round(6).tolist()
    [1.0, 0.5]
    """

    kappa: float = 0.4

    needs_variance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.kappa <= 1:
            raise ParameterError(f"policy variance:{self.kappa} needs an exponent between 0 and 1.")

    def limits(self, coins: Floats) -> Floats:
        """Infinite for every coin: the variance decides, whatever the margin."""
        return np.full(len(coins), np.inf)

    def floors(self, trials: Ints, coins: Floats) -> Floats:
        """The threshold t^−κ, t one more than the trials before."""
        return variance_floors(self.kappa, trials)

    def urgency(self, confidence: float, spread: float) -> float:
        """The variance of the margin, which is what `spread` holds for this policy."""
        return spread


def variance_floors(kappa: float, trials: Ints) -> Floats:
    """t^−κ with t = 1 + trials before, raised by a hair so that rounding decides no tie."""
    floors: Floats = (1.0 + 1e-9) * np.power(trials + 1.0, -float(kappa), dtype=np.float64)
    return floors

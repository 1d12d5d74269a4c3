"""The policy that asks the more seldom the surer a prediction is (Cesa-Bianchi, Gentile, Zaniboni 2006).

The coin u asks iff u < b / (b + confidence), that is iff confidence < b (1/u − 1).
"""

from __future__ import annotations

from dataclasses import dataclass

from zerokelvin.array_types import Floats
from zerokelvin.asking.policies import Policy, policy

__all__ = ["Margin"]


@policy("margin", "[SCALE]")
@dataclass(frozen=True)
class Margin(Policy):
    """Ask with probability SCALE / (SCALE + confidence): always when undecided, seldom when sure.

    >>> import numpy as np
    >>> Margin(1.0).limits(np.array([0.5])).tolist()
    [1.0]
    """

    b: float = 1.0

    def __post_init__(self) -> None:
        self.require_scale(self.b)

    def limits(self, coins: Floats) -> Floats:
        """The limit b (1/u − 1) for each coin u."""
        limits: Floats = self.b * (1.0 / coins - 1.0)
        return limits

"""The policy, ours, that asks where an answer is both uncertain and of use to others.

The value of a label is its influence on the nodes still to come (`zerokelvin.learners.gaussian.influence`)
over the lead of the best class before the second; ask where it is above 1/c: where lead < c · influence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import lead
from zerokelvin.asking.policies import Policy, policy

__all__ = ["Value", "label_value"]

LEAST_LEAD = 1e-12
"""What a lead counts as at least: where classes are tied, the influence alone orders the nodes."""


@policy("value", "[SCALE]")
@dataclass(frozen=True)
class Value(Policy):
    """Ask where the answer is uncertain and of use to nodes still to come: lead < SCALE·influence.

    >>> Value(0.5).floors(np.array([7]), np.array([0.5])).tolist()
    [2.0]
    """

    c: float = 0.67

    needs_value: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require_scale(self.c)

    def limits(self, coins: Floats) -> Floats:
        """Infinite for every coin: the value decides, whatever the confidence."""
        return np.full(len(coins), np.inf)

    def floors(self, trials: Ints, coins: Floats) -> Floats:
        """The value 1/c above which to ask, the same for every trial."""
        return np.full(len(trials), 1.0 / self.c)

    def urgency(self, confidence: float, spread: float) -> float:
        """The value of the label, which is what `spread` holds for this policy."""
        return spread


def label_value(influence: float, values: Floats) -> float:
    """The value of a label at a node, from its influence and the posterior mean of every class there.

    >>> label_value(0.5, np.array([0.1, 0.6, 0.35]))
    2.0
    """
    return influence / max(float(lead(values)), LEAST_LEAD)

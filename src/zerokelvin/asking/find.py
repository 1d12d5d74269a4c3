"""The policy that asks where a class is likely, so that those of a rare one are found first.

With p the probability that a node is of the class sought, the coin u of the trial asks iff u < 2p: always
where the class is at least as likely as not, else in proportion to how likely it is. So a node is never out
of reach while anything speaks for it, and if the probabilities are calibrated the expected number of
questions is at most twice the expected number of nodes of the class (Σ min(1, 2p) ≤ 2 Σ p).

Lists of questions (`Session.open_questions`) have the most likely first, whatever the coin.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.policies import Policy, policy
from zerokelvin.errors import LabelError, ParameterError

__all__ = ["Find", "sought_code"]


@policy("find", "[CLASS]")
@dataclass(frozen=True)
class Find(Policy):
    """Ask where CLASS is likely, the rarest class where none is named: with probability 2p, at most 1.

    >>> Find("fraud").floors(np.array([3]), np.array([0.5])).tolist(), str(Find("fraud"))
    ([0.25], 'find:fraud')
    """

    label: str | None = None

    needs_value: ClassVar[bool] = True
    checked_with: ClassVar[None] = None  # the rarest

    def __post_init__(self) -> None:
        if self.label == "":
            raise ParameterError("policy 'find:' names no class; write find:CLASS, or find for the rarest.")

    @classmethod
    def written(cls, text: str) -> Find:
        """The policy of what stands behind ``find:``, a class."""
        return cls(text)

    def limits(self, coins: Floats) -> Floats:
        """Infinite for every coin: the probability decides, whatever the confidence."""
        return np.full(len(coins), np.inf)

    def floors(self, trials: Ints, coins: Floats) -> Floats:
        """The probability u/2 above which to ask, for each coin u."""
        floors: Floats = coins / 2.0
        return floors

    def urgency(self, confidence: float, spread: float) -> float:
        """The probability of the class, which is what `spread` holds for this policy."""
        return spread

    def __str__(self) -> str:
        """The policy as `parse_policy` reads it: ``find`` or ``find:CLASS``."""
        return self.name if self.label is None else f"{self.name}:{self.label}"


def sought_code(label: str, classes: Sequence[Hashable], closed: bool) -> int | None:
    """The number of the class that a text names; None where it may come yet, an error where it cannot.

    >>> sought_code("2", [1, 2], True)
    1
    """
    for code, name in enumerate(classes):
        if label in (name, str(name)):
            return code
    if closed:
        raise LabelError(f"{label!r}, which is sought, is no class; give one of {list(classes)!r}.")
    return None

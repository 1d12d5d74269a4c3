"""When to ask for a label: policies that any learner can be combined with.

A policy sees how confident a prediction is and decides whether its label is worth asking for. With
the confidence of a binary problem |margin| and of a multi-class one half the gap between the two
largest margins, every policy here is one comparison per trial,

    ask  ⇔  confidence < limit(trial),

so a compiled game needs nothing but an array of limits. Policies may also look at how unsure a learner is
(its `variance`, r_t of the second-order learners):

    ask  ⇔  variance > floor(trial)  and  confidence < limit(trial) + gain(trial) √variance,

or put in its place what a label is worth to the nodes still to come (its `value`,
`learners.gaussian.influence`). Where a learner knows neither, `learners.wrappers.guided` does.

Coins are a hash of (seed, trial): deciding consumes no state, so asking twice gives the same answer and
a saved session goes on as before.

The margin policy asks with probability b / (b + |margin|) (Cesa-Bianchi, Gentile, Zaniboni 2006), the
variance policy where r_t > t^−κ (Cesa-Bianchi, Gentile, Orabona 2009; Gu et al. 2013, Algorithm 2), and
the doubt policy where margin² < c r_t log t (the rule of Dekel, Gentile, Sridharan 2012). The value policy,
ours, asks where an answer is both uncertain and of use to others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError

__all__ = [
    "LEAST_COIN",
    "Always",
    "Doubt",
    "Margin",
    "Policy",
    "RandomRate",
    "Value",
    "Variance",
    "coins",
    "confidence",
    "parse_policy",
    "worth_asking",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LEAST_COIN = 2.0**-54
"""The smallest number `coins` can give: what is not asked by it, is never asked."""


class Policy(ABC):
    """Decides from the confidence of a prediction whether to ask for its label."""

    needs_variance: ClassVar[bool] = False
    needs_value: ClassVar[bool] = False

    @property
    def needs_spread(self) -> bool:
        """Whether `gains` and `floors` matter."""
        return self.needs_variance or self.needs_value

    @abstractmethod
    def limits(self, coins: Floats) -> Floats:
        """The confidence below which to ask, given one uniform coin in (0, 1) per trial."""

    def gains(self, trials: Ints) -> Floats:
        """What the limit rises by per √variance, by the number of trials before."""
        return np.zeros(len(trials))

    def floors(self, trials: Ints) -> Floats:
        """The variance above which to ask, by the number of trials before."""
        return np.full(len(trials), -1.0)

    def urgency(self, confidence: float, spread: float) -> float:
        """How much a label is wanted by what this policy measures, the larger the more; no coin decides.

        `spread` is the variance, or the value, for policies that look at one.
        """
        return -confidence

    @abstractmethod
    def __str__(self) -> str:
        """The text `parse_policy` turns back into this policy."""


@dataclass(frozen=True)
class Always(Policy):
    """Ask for every label.

    >>> Always().limits(np.array([0.5])).tolist()
    [inf]
    """

    def limits(self, coins: Floats) -> Floats:
        """Infinite: every confidence is below it."""
        return np.full(len(coins), np.inf)

    def __str__(self) -> str:
        return "always"


@dataclass(frozen=True)
class RandomRate(Policy):
    """Ask with probability `p`, whatever the margin.

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

    def __str__(self) -> str:
        return f"random:{float(self.p)!r}"


@dataclass(frozen=True)
class Margin(Policy):
    """Ask with probability b / (b + confidence): always when undecided, seldom when sure.

    The coin u asks iff u < b / (b + confidence), that is iff confidence < b (1/u − 1).

    >>> Margin(1.0).limits(np.array([0.5])).tolist()
    [1.0]
    """

    b: float = 1.0

    def __post_init__(self) -> None:
        if not (self.b > 0 and np.isfinite(self.b)):
            raise ParameterError(f"policy margin:{self.b} needs a positive, finite scale.")

    def limits(self, coins: Floats) -> Floats:
        """The limit b (1/u − 1) for each coin u."""
        limits: Floats = self.b * (1.0 / coins - 1.0)
        return limits

    def __str__(self) -> str:
        return f"margin:{float(self.b)!r}"


@dataclass(frozen=True)
class Variance(Policy):
    """Ask where the variance r_t is above t^−κ, whatever the margin.

    >>> Variance(0.5).floors(np.array([0, 3])).round(6).tolist()
    [1.0, 0.5]
    """

    kappa: float = 0.4

    needs_variance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.kappa <= 1:
            raise ParameterError(f"policy variance:{self.kappa} needs an exponent between 0 and 1.")

    def limits(self, coins: Floats) -> Floats:
        """Infinite: the margin does not matter."""
        return np.full(len(coins), np.inf)

    def floors(self, trials: Ints) -> Floats:
        """The threshold t^−κ."""
        return variance_floors(self.kappa, trials)

    def urgency(self, confidence: float, spread: float) -> float:
        """The variance."""
        return spread

    def __str__(self) -> str:
        return f"variance:{float(self.kappa)!r}"


@dataclass(frozen=True)
class Doubt(Policy):
    """Ask where the margin is small against its deviation: margin² < c r_t log t.

    >>> Doubt(2.0).gains(np.array([1])).round(4).tolist()
    [1.1774]
    """

    c: float = 1.0

    needs_variance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (self.c > 0 and np.isfinite(self.c)):
            raise ParameterError(f"policy doubt:{self.c} needs a positive, finite scale.")

    def limits(self, coins: Floats) -> Floats:
        """Zero: only doubt asks."""
        return np.zeros(len(coins))

    def gains(self, trials: Ints) -> Floats:
        """The factor √(c log t)."""
        return np.sqrt(self.c * np.log(trials + 1.0))

    def urgency(self, confidence: float, spread: float) -> float:
        """The deviation over the confidence: the larger the doubt, the more."""
        if spread <= 0:
            return 0.0
        return math.sqrt(spread) / confidence if confidence > 0 else math.inf

    def __str__(self) -> str:
        return f"doubt:{float(self.c)!r}"


@dataclass(frozen=True)
class Value(Policy):
    """Ask where the value of a label, influence over lead, is above 1/C: lead < C · influence.

    >>> Value(0.5).floors(np.array([7])).tolist()
    [2.0]
    """

    c: float = 0.67

    needs_value: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (self.c > 0 and np.isfinite(self.c)):
            raise ParameterError(f"policy value:{self.c} needs a positive, finite scale.")

    def limits(self, coins: Floats) -> Floats:
        """Infinite: the value decides."""
        return np.full(len(coins), np.inf)

    def floors(self, trials: Ints) -> Floats:
        """The least value 1/C."""
        return np.full(len(trials), 1.0 / self.c)

    def urgency(self, confidence: float, spread: float) -> float:
        """The value."""
        return spread

    def __str__(self) -> str:
        return f"value:{float(self.c)!r}"


def variance_floors(kappa: float, trials: Ints) -> Floats:
    """t^−κ with t = 1 + trials before, raised by a hair so that rounding decides no tie."""
    floors: Floats = (1.0 + 1e-9) * np.power(trials + 1.0, -float(kappa), dtype=np.float64)
    return floors


def worth_asking(confidence: float, variance: float, limit: float, gain: float, floor: float) -> bool:
    """The one comparison of all policies; see the module."""
    return bool(variance > floor and confidence < limit + gain * np.sqrt(variance))


def parse_policy(policy: Policy | str | None) -> Policy:
    """Turn a text such as ``"always"``, ``"random:0.3"``, ``"margin:1"`` or ``"value:0.67"`` into a policy.

    >>> parse_policy("margin:2")
    Margin(b=2.0)
    """
    if policy is None:
        return Always()
    if isinstance(policy, Policy):
        return policy
    name, _, argument = str(policy).partition(":")
    try:
        if name == "always" and not argument:
            return Always()
        if name == "random":
            return RandomRate(float(argument))
        if name == "margin":
            return Margin(float(argument)) if argument else Margin()
        if name == "variance":
            return Variance(float(argument)) if argument else Variance()
        if name == "doubt":
            return Doubt(float(argument)) if argument else Doubt()
        if name == "value":
            return Value(float(argument)) if argument else Value()
    except ParameterError:
        raise
    except ValueError:
        pass
    raise ParameterError(
        f"unknown policy '{policy}'; write always, random:RATE, margin:SCALE, variance:KAPPA, doubt:SCALE "
        "or value:SCALE."
    )


def coins(seed: int, trials: Ints) -> Floats:
    """One uniform number in (0, 1) per trial number, a pure function of (seed, trial).

    The mixing function is SplitMix64 (Steele, Lea, Flood 2014).
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        key = np.uint64(seed & 0xFFFFFFFFFFFFFFFF) * golden + np.uint64(0xD1B54A32D192ED03)
        z = key ^ ((trials.astype(np.uint64) + np.uint64(1)) * golden)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def confidence(margins: Floats) -> float:
    """|margin| of one problem; of several, half the gap between the two largest margins."""
    if len(margins) == 1:
        return abs(float(margins[0]))
    top = np.partition(margins, -2)[-2:]
    return 0.5 * float(top[1] - top[0])

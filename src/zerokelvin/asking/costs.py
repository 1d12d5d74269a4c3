"""The policy that decides by what mistakes and questions cost.

One class is sought. Passing over a node of it costs `miss`, flagging another node `alarm`, a question `ask`,
after which the node is known. With p the probability of the class, passing costs p·miss in expectation and
flagging (1 − p)·alarm, so the node is flagged from

    θ = alarm / (alarm + miss)

on, and the decision is expected to cost ℓ(p) = min(p·miss, (1 − p)·alarm), at most ℓ* = ℓ(θ), where both
cost the same. A question is worth its price where ℓ(p) > `ask` (the reject option of Chow 1970). Below that
the coin u of the trial asks iff u·ask < ℓ(p), that is with probability ℓ/ask: whatever is likely to cost
something is looked at now and then, and such a trial is expected to cost at most 2ℓ(p), and ℓ(p) + ask/4.

The learner's margin is turned into ±(ℓ* − ℓ(p)), positive where the node is flagged
(`zerokelvin.learners.wrappers.priced`), so that a confidence is money and the rule one comparison,
confidence < ℓ* − u·ask.

Regret. Let p_t be the probabilities given out in T trials and y_t ∈ {0, 1} say which nodes are of the class.
For any rule g that passes, flags or asks by the probability, the one that is best in hindsight included,

    cost(rule above, without its coins) ≤ cost(g) + (miss + alarm) Σ_v |Σ_{t: p_t = v} (y_t − v)|.

For each value v the trials of p_t = v cost an action N(v)·c(ȳ) with c linear in the mean ȳ of their y: slope
`miss`, −`alarm` or 0. The rule takes the action that is cheapest at v instead of ȳ, and loses at most
|ȳ − v| times the largest difference of slopes. That is the argument by which a best response to calibrated
forecasts has no regret (Foster and Vohra 1997, "Calibrated learning and correlated equilibrium").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Bools, Floats
from zerokelvin.asking.policies import Policy, policy
from zerokelvin.errors import ParameterError

__all__ = ["Costs", "make_costs", "priced_policy"]

PRICES = ("miss", "alarm", "ask")


@policy("costs", "miss=M,alarm=A,ask=Q")
@dataclass(frozen=True)
class Costs(Policy):
    """Ask where deciding without the label is expected to cost more; class=CLASS may follow.

    >>> prices = Costs(miss=20.0, alarm=1.0, ask=0.5)
    >>> round(prices.threshold, 4), str(prices)
    (0.0476, 'costs:miss=20.0,alarm=1.0,ask=0.5')
    >>> prices.losses(np.array([0.01, 0.9])).round(3).tolist()
    [0.2, 0.1]
    """

    miss: float
    alarm: float
    ask: float
    label: str | None = None

    checked_with: ClassVar[str] = "miss=3,alarm=1,ask=0.4"

    def __post_init__(self) -> None:
        for name in PRICES:
            price = getattr(self, name)
            least = price >= 0 if name == "ask" else price > 0
            if not (least and math.isfinite(price)):
                kind = "a finite number from 0 on" if name == "ask" else "a positive, finite number"
                raise ParameterError(f"costs: {name}={price!r} must be {kind}.")

    @classmethod
    def written(cls, text: str) -> Costs:
        """The policy of what stands behind ``costs:``, as ``miss=20,alarm=1,ask=0.5,class=fraud``."""
        found: dict[str, Any] = {}
        rest = text
        while rest:
            key, equals, rest = rest.partition("=")
            if not equals:
                raise ParameterError(f"costs: {key!r} is no NAME=PRICE; write miss=20,alarm=1,ask=0.5.")
            found[key.strip()], _, rest = (rest, "", "") if key.strip() == "class" else rest.partition(",")
        return make_costs(found)

    @property
    def threshold(self) -> float:
        """The probability from which on a node is flagged."""
        return self.alarm / (self.alarm + self.miss)

    @property
    def most(self) -> float:
        """What a decision costs at most in expectation: that at the threshold."""
        return self.miss * self.threshold

    def losses(self, chances: Floats) -> Floats:
        """What the cheaper decision is expected to cost, for probabilities of the class."""
        return np.minimum(chances * self.miss, (1.0 - chances) * self.alarm)

    def flags(self, chances: Floats) -> Bools:
        """Whether nodes of such probabilities are flagged."""
        return np.asarray(chances >= self.threshold)

    def chances(self, leads: Floats) -> Floats:
        """The probabilities behind ±(ℓ* − ℓ), positive where the node is flagged."""
        found: Floats = np.where(
            leads >= 0, 1.0 - (self.most - leads) / self.alarm, (self.most + leads) / self.miss
        )
        return np.clip(found, 0.0, 1.0)

    def limits(self, coins: Floats) -> Floats:
        """ℓ* − u·ask for each coin u: what the confidence, ℓ* − ℓ, must be below."""
        limits: Floats = self.most - coins * self.ask
        return limits

    def total(self, sought: Bools, flagged: Bools, asked: Bools) -> float:
        """What trials cost in all: which were of the class, which were flagged, and for which was asked."""
        blind = ~asked
        missed, alarms = int((blind & sought & ~flagged).sum()), int((blind & ~sought & flagged).sum())
        return self.miss * missed + self.alarm * alarms + self.ask * int(asked.sum())

    def __str__(self) -> str:
        """``costs:miss=…,alarm=…,ask=…``, and the class where one is named."""
        prices = ",".join(f"{name}={float(getattr(self, name))!r}" for name in PRICES)
        return f"{self.name}:{prices}" + ("" if self.label is None else f",class={self.label}")


def make_costs(costs: Any) -> Costs:
    """A policy from prices by name, and the class sought under ``"class"`` where it is not the rarest.

    >>> make_costs({"miss": 20, "alarm": 1, "ask": 0.5, "class": "fraud"}).label
    'fraud'
    >>> make_costs({"miss": 20, "alarm": 1})
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: costs lack 'ask'; give {"miss": 20, "alarm": 1, "ask": 0.5}.
    """
    if isinstance(costs, Costs):
        return costs
    example = '{"miss": 20, "alarm": 1, "ask": 0.5}'
    if not isinstance(costs, Mapping):
        raise ParameterError(f"costs={costs!r} are no prices by name; give {example}.")
    for name in costs:
        if name not in (*PRICES, "class"):
            raise ParameterError(f'costs: {name!r} is no price; give {example}, and "class" if you like.')
    for name in PRICES:
        if name not in costs:
            raise ParameterError(f"costs lack {name!r}; give {example}.")
    label = costs.get("class")
    miss, alarm, ask = (_price(name, costs[name]) for name in PRICES)
    return Costs(miss, alarm, ask, None if label is None else str(label))


def priced_policy(policy: Any, costs: Any) -> Any:
    """The policy, or that of the costs where some are given, which decide when to ask themselves.

    >>> priced_policy("value", {"miss": 20, "alarm": 1, "ask": 0.5})
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: costs decide when to ask; leave policy='value' out, or the costs.
    """
    if costs is None:
        return policy
    if policy is not None:
        raise ParameterError(f"costs decide when to ask; leave policy={str(policy)!r} out, or the costs.")
    return make_costs(costs)


def _price(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"costs: {name}={value!r} is no number.") from None

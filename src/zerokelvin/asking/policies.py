"""When to ask for a label: what a policy is, and the registry of all of them.

A policy sees how confident a prediction is and decides whether its label is worth asking for, by one
comparison per trial (`zerokelvin.asking.decision`):

    ask  ⇔  confidence < limit(trial),

so a compiled game needs nothing but an array of limits. Policies may also look at how unsure a learner is
(its `variance`, r_t of the second-order learners):

    ask  ⇔  variance > floor(trial)  and  confidence < limit(trial) + gain(trial) √variance,

or put in its place what a label is worth to the nodes still to come (its `value`,
`learners.gaussian.influence`). Where a learner knows neither, `learners.wrappers.guided` does.

A new policy is one new file in this folder with one ``@policy("name", "NUMBER")`` line. Its class docstring
begins with the sentence that the guide and the command line show.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN
from zerokelvin.errors import ParameterError
from zerokelvin.registry import Registry

__all__ = ["POLICIES", "Policy", "list_policies", "names_policies", "parse_policy", "policy"]


class Policy(ABC):
    """Decides from the confidence of a prediction whether to ask for its label.

    Subclasses are frozen dataclasses of at most one number, which may come behind the name: ``margin:2``; one
    that takes something else there says how it is `written`.
    """

    name: ClassVar[str] = ""
    needs_variance: ClassVar[bool] = False
    needs_value: ClassVar[bool] = False
    checked_with: ClassVar[Any] = 0.5
    """What the checks of `zerokelvin.checks` write behind its name, where it takes something."""

    @classmethod
    def written(cls, text: str) -> Policy:
        """The policy of what is written behind its name: of a number, where it takes no more than that."""
        begin: Callable[..., Policy] = cls
        return begin(float(text))

    @property
    def needs_spread(self) -> bool:
        """Whether it looks at a variance or a value, so that `gains` and `floors` matter."""
        return self.needs_variance or self.needs_value

    @abstractmethod
    def limits(self, coins: Floats) -> Floats:
        """The confidence below which to ask, given one uniform coin in (0, 1) per trial."""

    def gains(self, trials: Ints) -> Floats:
        """What the limit rises by per √variance, for each number of trials before."""
        return np.full(len(trials), NO_GAIN)

    def floors(self, trials: Ints, coins: Floats) -> Floats:
        """The variance above which to ask, for each number of trials before and its coin."""
        return np.full(len(trials), NO_FLOOR)

    def urgency(self, confidence: float, spread: float) -> float:
        """How much a label is wanted by what this policy measures, the larger the more; no coin decides.

        `spread` is the variance, or the value, for policies that look at one.
        """
        return -confidence

    def __str__(self) -> str:
        """The text `parse_policy` turns back into this policy."""
        numbers = [repr(float(value)) for value in vars(self).values()]
        return ":".join([self.name, *numbers])

    def require_scale(self, scale: float) -> None:
        """Refuse a scale that is not a positive, finite number."""
        if not 0 < scale < np.inf:
            raise ParameterError(f"policy {self.name}:{scale} needs a positive, finite scale.")


POLICIES: Registry[type[Policy]] = Registry("policy", room="zerokelvin.asking", decorator="policy")
P = TypeVar("P", bound=type[Policy])
Documented = TypeVar("Documented", bound=Callable[..., Any])


def policy(name: str, number: str = "") -> Callable[[P], P]:
    """Class decorator that makes a policy available everywhere under `name`.

    `number` names the number written behind it, in brackets where it may be left out.
    """

    def register(cls: P) -> P:
        cls.name = name
        POLICIES.add(name, number)(cls)
        return cls

    return register


def parse_policy(policy: Policy | str | None) -> Policy:
    """Turn a text such as ``"margin:2"`` into a policy; None is ``"always"``, a policy passes through.

    >>> parse_policy("margin:2")
    Margin(b=2.0)
    """
    if isinstance(policy, Policy):
        return policy
    text = "always" if policy is None else str(policy)
    cls, written = POLICIES.split(text)
    if written is None:
        begin: Callable[[], Policy] = cls
        return begin()
    if getattr(cls.written, "__func__", None) is getattr(Policy.written, "__func__", None):
        POLICIES.parse(text)  # which says where it is no number
    return cls.written(written)


def list_policies() -> list[tuple[str, str]]:
    """How each policy is written, and the first sentence of what it says of itself.

    >>> list_policies()[0]
    ('always', 'Ask for every label.')
    """
    sentences = (inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0] for cls in POLICIES.values())
    return [(form, " ".join(text.split())) for form, text in zip(POLICIES.forms, sentences, strict=True)]


def names_policies(documented: Documented) -> Documented:
    """Decorator that puts how every policy is written in the place of ``{policies}`` in a docstring.

    >>> @names_policies
    ... def play():
    ...     '''When to ask: {policies}.'''
    >>> play.__doc__.partition(", ")[0]
    'When to ask: ``always``'
    """
    if documented.__doc__ is not None:  # absent under python -OO
        forms = ", ".join(f"``{form}``" for form in POLICIES.forms)
        documented.__doc__ = documented.__doc__.replace("{policies}", forms)
    return documented

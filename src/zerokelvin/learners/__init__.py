"""The learners, one file each in the room of its family, and what they have in common (`base`).

A new file with one ``@learner("name")`` line is registered without any other change: the registry finds it by
its text, and imports it when the learner is asked for (`zerokelvin.registry`).
"""

from typing import Any

from zerokelvin.asking import (
    Always,
    Doubt,
    Margin,
    Policy,
    RandomRate,
    Value,
    Variance,
    parse_policy,
)
from zerokelvin.lazy import lazy_names
from zerokelvin.learners.base import (
    LEARNERS,
    Binary,
    Game,
    Learner,
    OneVsRest,
    State,
    Trace,
    Trials,
    learner,
    make,
    names,
    sign,
)

__all__ = [
    "LEARNERS",
    "Always",
    "Binary",
    "Doubt",
    "Game",
    "Learner",
    "Margin",
    "OneVsRest",
    "Policy",
    "RandomRate",
    "State",
    "Trace",
    "Trials",
    "Value",
    "Variance",
    "learner",
    "make",
    "names",
    "parse_policy",
    "sign",
]

_module, _listed = lazy_names(__name__, {})


def __getattr__(name: str) -> Any:
    """Every registered learner class is an attribute, ``zk.learners.Perceptron``, and so is every module."""
    found = None if name.startswith("_") else LEARNERS.defined_as(name)
    return _module(name) if found is None else found


def __dir__() -> list[str]:
    """What is defined here, and the classes of all learners."""
    return sorted({*_listed(), *LEARNERS.definitions})

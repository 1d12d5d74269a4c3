"""The learners, one file each in the room of its family, and what they have in common (`base`).

Importing this package imports every module in it, so a new file with one ``@learner("name")`` line
is registered without any other change.
"""

import importlib
import pkgutil
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

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)


def __getattr__(name: str) -> Any:
    """Every registered learner class is an attribute: ``zk.learners.Perceptron``."""
    for cls in LEARNERS.values():
        if cls.__name__ == name:
            return cls
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

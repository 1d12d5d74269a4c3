"""The experts that `auto` mixes, a file for each kind: regressions over kernels and scales, votes, trees.

Importing this package imports every module in it, so a new file with one ``@expert(...)`` line is another
kind, without any other change.
"""

import importlib
import pkgutil

from zerokelvin.learners.auto.experts.expert import (
    KINDS,
    Expert,
    Kind,
    PreparedExperts,
    expert,
    prepare_experts,
    start_experts,
)

__all__ = ["KINDS", "Expert", "Kind", "PreparedExperts", "expert", "prepare_experts", "start_experts"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

"""The contract every learner keeps, shipped so that others can run it over their own learner.

Importing this package imports every module in it, so that a new check or promise is one new file.
"""

import importlib
import pkgutil

from zerokelvin.checks.certificates import CertifiedGame, certificate_game, certificate_games
from zerokelvin.checks.contract import CHECKS, ContractError, check_learner
from zerokelvin.checks.promises import PROMISES, Verdict
from zerokelvin.checks.wrappers import wrappers_of

__all__ = [
    "CHECKS",
    "PROMISES",
    "CertifiedGame",
    "ContractError",
    "Verdict",
    "certificate_game",
    "certificate_games",
    "check_learner",
    "wrappers_of",
]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

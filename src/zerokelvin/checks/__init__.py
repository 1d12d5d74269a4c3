"""The contract every learner keeps, shipped so that others can run it over their own learner."""

from zerokelvin.checks.contract import CHECKS, ContractError, check_learner
from zerokelvin.checks.wrappers import wrappers_of

__all__ = ["CHECKS", "ContractError", "check_learner", "wrappers_of"]

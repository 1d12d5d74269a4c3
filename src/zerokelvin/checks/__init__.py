"""The contract every learner keeps, shipped so that others can run it over their own learner."""

from zerokelvin.checks import numbers as numbers  # registers its checks
from zerokelvin.checks.contract import CHECKS, ContractError, check_learner

__all__ = ["CHECKS", "ContractError", "check_learner"]

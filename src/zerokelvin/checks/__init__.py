"""The contract every learner keeps, shipped so that others can run it over their own learner."""

from zerokelvin.checks import invariance  # noqa: F401  # whose checks join the others
from zerokelvin.checks.contract import CHECKS, ContractError, check_learner

__all__ = ["CHECKS", "ContractError", "check_learner"]

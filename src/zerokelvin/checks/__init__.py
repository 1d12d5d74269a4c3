"""The contract every learner keeps, shipped so that others can run it over their own learner."""

from zerokelvin.checks.certificates import CertifiedGame, certificate_game, certificate_games
from zerokelvin.checks.contract import CHECKS, ContractError, check_learner

__all__ = [
    "CHECKS",
    "CertifiedGame",
    "ContractError",
    "certificate_game",
    "certificate_games",
    "check_learner",
]

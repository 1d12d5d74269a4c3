"""What random checks prove of labels that do not change any more.

A played game gives out one label per trial, and those that were not asked for stay as they are. So nothing is
held and nothing changes: the checks are drawn without replacement from all of them, and the whole risk α
belongs to the one number of wrong ones (`zerokelvin.guarantee.wrong_count`). The draws are a hash of the
seed, and n checks are the first n of any larger number of them.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Bools
from zerokelvin.asking.coin_hash import coins
from zerokelvin.errors import ParameterError
from zerokelvin.guarantee.limit import Guarantee, require_confidence
from zerokelvin.guarantee.wrong_count import WrongCount

__all__ = ["check_fixed_labels"]

FIXED_SALT = 0xF1C5
"""Keeps these draws apart from the shuffle and the coins of the trials, which have the same seed."""


def check_fixed_labels(wrong: Bools, checks: int, confidence: float = 0.95, seed: int = 0) -> Guarantee:
    """The limit on the wrong labels among those nobody looked at, after `checks` of them were drawn and seen.

    Parameters
    ----------
    wrong
        Whether each label is wrong; only those drawn are read.
    checks
        How many are drawn; all of them where there are fewer.
    confidence
        Above 0 and below 1.
    seed
        Decides the draws.

    Examples
    --------
    >>> print(check_fixed_labels(np.zeros(2000, dtype=bool), 150))
    with 0.95 confidence at most 2.5% of the 1,850 labels that go out unasked are wrong (150 random checks)
    """
    require_confidence(confidence)
    if checks < 0:
        raise ParameterError(f"checks={checks} is negative; give how many labels are looked at.")
    drawn = np.argsort(coins(seed ^ FIXED_SALT, np.arange(len(wrong))), kind="stable")[:checks]
    count = WrongCount(len(wrong))
    for one in wrong[drawn].tolist():
        count.see_drawn(wrong=one)
    left = len(wrong) - len(drawn)
    return Guarantee(confidence, left, count.most_left(1.0 - confidence), len(drawn), 0, count.seen_wrong)

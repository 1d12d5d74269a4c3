"""The limit on the wrong labels among those that go out unasked, proved by random checks.

Answers that come after predictions were held are compared with what was held. The number w of held
predictions that are wrong is fixed, and the checks are draws from them without replacement, while other
answers take nodes away by design (`WrongCount`). Predictions change meanwhile, so for those of today

    wrong today ≤ wrong among what was held and is unanswered today + predictions changed since, unanswered,

where the changes are counted, not estimated; nodes that came since count as changed. Every held labelling
gives such a limit; the first is allowed three quarters of the risk α, the next three quarters of what is left
of it, and so on, so that all limits hold at all times together with probability 1 − α, and the lowest is the
guarantee. Nothing is assumed of the
graph, the learner, the order of the other answers, or how labels came about; but that
answers are true.

A check that was passed over counts as wrong, or else leaving out the difficult ones would lower the limit; it
is not drawn again. A node that is drawn and not yet answered is as one that is not drawn yet.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.guarantee.audit import Audit, Draw, Held, ToldLabel
from zerokelvin.guarantee.wrong_count import Seen, most_left

__all__ = ["Guarantee", "guarantee", "require_confidence"]


FIRST_SHARE = 0.75
"""The share of the risk that the first labelling held may use, and each further one of what is left."""


@dataclass(frozen=True)
class Guarantee:
    """A limit on the wrong labels among those that go out unasked, valid at any time one looks.

    Attributes
    ----------
    confidence
        With at least this probability no limit of the session is ever below the truth.
    unasked
        How many labels go out unasked.
    wrong_at_most
        The limit on the wrong ones among them.
    checks
        The random checks that it rests on.
    changed
        The labels counted against it because they were not predicted so, or were not there, when those checks
        began.
    wrong_seen
        The checks among them that found a wrong label.
    """

    confidence: float
    unasked: int
    wrong_at_most: int
    checks: int
    changed: int
    wrong_seen: int = 0

    @property
    def error_at_most(self) -> float:
        """The limit as a share of the labels that go out unasked; 0 when none does."""
        return self.wrong_at_most / self.unasked if self.unasked else 0.0

    def __str__(self) -> str:
        if not self.unasked:
            return "every label has been asked for"
        return (
            f"with {self.confidence:.4g} confidence at most {self.error_at_most:.1%} of the {self.unasked:,} "
            f"labels that go out unasked are wrong ({self.checks:,} random checks)"
        )


def require_confidence(confidence: float) -> None:
    """Refuse a confidence that is none."""
    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence={confidence!r} must be above 0 and below 1; 0.95 is usual.")


class _Tested(NamedTuple):
    """A held labelling after the answers: how many were left, what was seen of them, checks, passed over."""

    size: int
    seen: list[Seen]
    checks: int
    wrong_checks: int
    passed: set[int]


def guarantee(
    audit: Audit, told: Sequence[ToldLabel], predictions: Sequence[Hashable], confidence: float = 0.95
) -> Guarantee:
    """The limit for the present predictions.

    Parameters
    ----------
    audit, told
        The checks, and what was told in order.
    predictions
        The label that goes out for every node without an answer; what stands at the others does not matter.
    confidence
        Above 0 and below 1.

    Examples
    --------
    >>> told, guesses = [], ["ham"] * 500
    >>> audit = Audit().holding(told, guesses)
    >>> for _ in range(150):
    ...     audit = audit.drawing(told, 500, seed=1)
    ...     told.append(ToldLabel(audit.pending(told), "ham"))  # as it was predicted
    >>> print(guarantee(audit, told, guesses))
    with 0.95 confidence at most 3.1% of the 350 labels that go out unasked are wrong (150 random checks)
    """
    require_confidence(confidence)
    answers = {one.node: one.label for one in told if one.label is not None}
    unasked = np.ones(len(predictions), dtype=np.bool_)
    unasked[[node for node in answers if node < len(predictions)]] = False
    left, codes = int(np.count_nonzero(unasked)), audit.codes(predictions)
    draws = audit.draws if audit.pending(told) is None else audit.draws[:-1]
    best = Guarantee(confidence, left, left, 0, 0)
    places = {label: i for i, label in enumerate(audit.labels)}
    for k, held in enumerate(audit.held):
        tested = _test(held, draws, told, answers, places)
        differ = held.changed(codes) & unasked
        differ[list(tested.passed)] = False
        changed = int(np.count_nonzero(differ))
        allowed = (1.0 - confidence) * FIRST_SHARE * (1.0 - FIRST_SHARE) ** k
        most = most_left(tested.size, tested.seen, allowed) + changed + len(tested.passed)
        if most < best.wrong_at_most:
            best = Guarantee(confidence, left, most, tested.checks, changed, tested.wrong_checks)
    return best


def _test(
    held: Held,
    draws: Sequence[Draw],
    told: Sequence[ToldLabel],
    answers: Mapping[int, Hashable],
    places: Mapping[Hashable, int],
) -> _Tested:
    """Compare a held labelling with the draws and answers after it, in their order."""
    size = len(held.codes)
    gone = {one.node for one in told[: held.told] if one.label is not None and one.node < size}
    gone |= {draw.node for draw in draws if draw.told < held.told}
    passed = {node for node in gone if node not in answers}
    left, seen, checks, wrong_checks = size - len(gone), list[Seen](), 0, 0

    def mistaken(node: int) -> bool:
        return node not in answers or held.differs(node, places.get(answers[node], -1))

    drawn = {draw.told: draw.node for draw in draws if draw.told >= held.told and draw.node < size}
    for at in range(held.told, len(told) + 1):
        if at in drawn:
            node = drawn[at]
            seen.append(Seen(drawn=True, wrong=mistaken(node)))
            gone.add(node)
            checks += 1
            wrong_checks += seen[-1].wrong
            if node not in answers:
                passed.add(node)
        if at < len(told) and told[at].label is not None and told[at].node < size:
            node = told[at].node
            if node not in gone:
                seen.append(Seen(drawn=False, wrong=mistaken(node)))
                gone.add(node)
    return _Tested(left, seen, checks, wrong_checks, passed)

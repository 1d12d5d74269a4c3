"""The wrappers that a game or a session puts around a learner."""

from __future__ import annotations

from zerokelvin.jit import expect
from zerokelvin.learners import Learner, Policy, parse_policy
from zerokelvin.learners.wrappers.forgetting import forgetful
from zerokelvin.learners.wrappers.guided import guided
from zerokelvin.learners.wrappers.priced import priced
from zerokelvin.learners.wrappers.seeking import seeking

__all__ = ["wrapped"]


def wrapped(learner: Learner, policy: Policy | str | None, forget: int | None) -> Learner:
    """The learner with what its policy needs (a guide, a class to seek, costs), forgetting if given a window.

    It is going to be used, so what it needs may be compiled ahead (`zerokelvin.jit.background`).

    >>> from zerokelvin.learners import make
    >>> wrapped(make("nearest"), "always", None) == make("nearest")
    True
    """
    expect(learner.name)
    asking = parse_policy(policy)
    return forgetful(guided(priced(seeking(learner, asking), asking), asking), forget)

"""The wrappers that a game or a session puts around a learner."""

from __future__ import annotations

from zerokelvin.jit import expect
from zerokelvin.learners import Learner, Policy, parse_policy
from zerokelvin.learners.wrappers.forgetting import forgetful
from zerokelvin.learners.wrappers.guided import guided

__all__ = ["wrapped"]


def wrapped(learner: Learner, policy: Policy | str | None, forget: int | None) -> Learner:
    """The learner with a guide where its policy needs one, and forgetting where a window is given.

    It is going to be used, so what it needs may be compiled ahead (`zerokelvin.jit.background`).

    >>> from zerokelvin.learners import make
    >>> wrapped(make("nearest"), "always", None) == make("nearest")
    True
    """
    expect(learner.name)
    return forgetful(guided(learner, parse_policy(policy)), forget)

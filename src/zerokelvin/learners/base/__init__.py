"""What a learner is: states, problems, trials, and what every learner keeps to whoever wrote it."""

from zerokelvin.learners.base.learner import (
    LEARNERS,
    Learner,
    Problems,
    Progress,
    State,
    Trace,
    Trials,
    learner,
    make,
    names,
    sign,
)
from zerokelvin.learners.base.record import Record

__all__ = [
    "LEARNERS",
    "Learner",
    "Problems",
    "Progress",
    "Record",
    "State",
    "Trace",
    "Trials",
    "learner",
    "make",
    "names",
    "sign",
]

"""What a learner is: states, games, trials, and what every learner keeps to whoever wrote it."""

from zerokelvin.learners.base.learner import LEARNERS, Learner, learner, make, names
from zerokelvin.learners.base.multiclass import Game, Progress
from zerokelvin.learners.base.one_vs_rest import Binary, OneVsRest
from zerokelvin.learners.base.record import Record
from zerokelvin.learners.base.state import State, sign
from zerokelvin.learners.base.trial_arrays import Trace, Trials, codes_of, columns_of, signs_of

__all__ = [
    "LEARNERS",
    "Binary",
    "Game",
    "Learner",
    "OneVsRest",
    "Progress",
    "Record",
    "State",
    "Trace",
    "Trials",
    "codes_of",
    "columns_of",
    "learner",
    "make",
    "names",
    "sign",
    "signs_of",
]

"""Names, classes, asking and answering, saving: the game and the session."""

from zerokelvin.session.game import play, play_shuffles
from zerokelvin.session.opening import load, start
from zerokelvin.session.prediction import Contribution, Explanation, Prediction
from zerokelvin.session.run import Run, Runs
from zerokelvin.session.session import Session

__all__ = [
    "Contribution",
    "Explanation",
    "Prediction",
    "Run",
    "Runs",
    "Session",
    "load",
    "play",
    "play_shuffles",
    "start",
]

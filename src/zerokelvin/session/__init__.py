"""The session: nodes and classes by name, predicting, asking, answering, saving."""

from zerokelvin.session.opening import load, start
from zerokelvin.session.prediction import Contribution, Explanation, Prediction
from zerokelvin.session.session import Session

__all__ = ["Contribution", "Explanation", "Prediction", "Session", "load", "start"]

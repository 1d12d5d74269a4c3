"""Online prediction of node labels on a graph, with the proven mistake bound beside the mistakes."""

from zerokelvin import learners
from zerokelvin.certify import Assumption, Bound
from zerokelvin.graph import Graph
from zerokelvin.session import Explanation, Prediction, Run, Runs, Session, load, play, play_shuffles, start

__all__ = [
    "Assumption",
    "Bound",
    "Explanation",
    "Graph",
    "Prediction",
    "Run",
    "Runs",
    "Session",
    "learners",
    "load",
    "play",
    "play_shuffles",
    "start",
]
__version__ = "0.1.0"

"""Online prediction of node labels on a graph, with the proven mistake bound beside the mistakes."""

from zerokelvin import startup as startup  # before all that takes time

# isort: split
from importlib import import_module
from typing import Any

from zerokelvin import checks, learners
from zerokelvin.bound import Assumption, Bound
from zerokelvin.flow import (
    ClusterReport,
    MinimumCut,
    OnlineCut,
    PicardQueyranne,
    cluster_report,
    minimum_cut,
    picard_queyranne,
)
from zerokelvin.games import Run, Runs, play, play_shuffles
from zerokelvin.graph import (
    ExponentialGraph,
    Graph,
    LabelledGraph,
    Measured,
    bal,
    cut,
    diameter,
    eccentricity,
    epsilon_graph,
    exponential_graph,
    generators,
    geodesic_distances,
    knn_graph,
    label_balance,
    wide_diameter,
)
from zerokelvin.graph.features import Features
from zerokelvin.io import DataSet, Limits, ReadReport, load_dataset, read_graph, read_labels, write_graph
from zerokelvin.resistance.effective import effective_resistance, resistance_diameter
from zerokelvin.session import Explanation, Prediction, Session, load, start

__all__ = [
    "Assumption",
    "Bound",
    "ClusterReport",
    "DataSet",
    "Explanation",
    "ExponentialGraph",
    "Features",
    "Graph",
    "LabelledGraph",
    "Limits",
    "Measured",
    "MinimumCut",
    "OnlineCut",
    "PicardQueyranne",
    "Prediction",
    "ReadReport",
    "Run",
    "Runs",
    "Session",
    "bal",
    "checks",
    "cluster_report",
    "cut",
    "diameter",
    "eccentricity",
    "effective_resistance",
    "epsilon_graph",
    "exponential_graph",
    "generators",
    "geodesic_distances",
    "knn_graph",
    "label_balance",
    "learners",
    "load",
    "load_dataset",
    "minimum_cut",
    "picard_queyranne",
    "play",
    "play_shuffles",
    "read_graph",
    "read_labels",
    "resistance_diameter",
    "sklearn",
    "start",
    "wide_diameter",
    "write_graph",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import `zerokelvin.sklearn` when it is first used: it brings scikit-learn with it."""
    if name == "sklearn":
        return import_module("zerokelvin.sklearn")
    raise AttributeError(f"module 'zerokelvin' has no attribute '{name}'")

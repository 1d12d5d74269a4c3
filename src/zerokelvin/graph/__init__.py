"""The immutable graph, its builders, the papers' graphs and their structural quantities."""

from zerokelvin.graph import generators
from zerokelvin.graph.builders import epsilon_graph, knn_graph
from zerokelvin.graph.convert import as_graph
from zerokelvin.graph.exponential import ExponentialGraph, exponential_graph
from zerokelvin.graph.generators import LabelledGraph
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.structure import (
    Measured,
    bal,
    cut,
    diameter,
    eccentricity,
    geodesic_distances,
    label_balance,
)
from zerokelvin.graph.wide_paths import wide_diameter, wide_diameters

__all__ = [
    "ExponentialGraph",
    "Graph",
    "LabelledGraph",
    "Measured",
    "as_graph",
    "bal",
    "cut",
    "diameter",
    "eccentricity",
    "epsilon_graph",
    "exponential_graph",
    "generators",
    "geodesic_distances",
    "knn_graph",
    "label_balance",
    "wide_diameter",
    "wide_diameters",
]

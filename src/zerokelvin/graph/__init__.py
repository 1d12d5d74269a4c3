"""The immutable graph, its builders, the papers' graphs and their structural quantities."""

from zerokelvin.graph import generators
from zerokelvin.graph.coercion import as_graph
from zerokelvin.graph.domain import Domain
from zerokelvin.graph.generators import LabelledGraph
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.structure import (
    Measured,
    bal,
    cut,
    diameter,
    eccentricity,
    geodesic_distances,
    label_balance,
)
from zerokelvin.graph.measures.wide_paths import wide_diameter, wide_diameters
from zerokelvin.graph.points.builders import epsilon_graph, knn_graph
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph, exponential_graph

__all__ = [
    "Domain",
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

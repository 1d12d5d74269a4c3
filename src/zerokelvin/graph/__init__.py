"""The immutable graph, its builders, the papers' graphs and their structural quantities."""

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

__all__ = [
    "Graph",
    "Measured",
    "bal",
    "cut",
    "diameter",
    "eccentricity",
    "geodesic_distances",
    "label_balance",
]

"""The immutable graph, its builders, the papers' graphs and their structural quantities."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.graph import generators
    from zerokelvin.graph.coercion import as_graph, with_attributes
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
    "with_attributes",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.graph.coercion": "as_graph with_attributes",
        "zerokelvin.graph.domain": "Domain",
        "zerokelvin.graph.generators": "LabelledGraph",
        "zerokelvin.graph.graph": "Graph",
        "zerokelvin.graph.measures.structure": (
            "Measured bal cut diameter eccentricity geodesic_distances label_balance"
        ),
        "zerokelvin.graph.measures.wide_paths": "wide_diameter wide_diameters",
        "zerokelvin.graph.points.builders": "epsilon_graph knn_graph",
        "zerokelvin.graph.points.exponential_embedding": "ExponentialGraph exponential_graph",
    },
)

"""Online prediction of node labels on a graph, with the proven mistake bound beside the mistakes."""

from zerokelvin.graph import Graph

__all__ = ["Graph"]
__version__ = "0.1.0"

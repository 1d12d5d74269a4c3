"""The immutable graph, its builders, the papers' graphs and their structural quantities."""

from zerokelvin.graph.graph import Graph

__all__ = ["Graph"]

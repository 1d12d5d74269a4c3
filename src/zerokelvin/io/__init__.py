"""Every file format; nothing else opens files."""

from zerokelvin.io.read import read_graph, write_graph

__all__ = ["read_graph", "write_graph"]

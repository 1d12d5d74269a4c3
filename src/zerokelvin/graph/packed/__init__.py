"""Graphs whose arrays lie in a file, mapped into memory; `zerokelvin.io.packs` opens and writes them."""

from zerokelvin.graph.packed.packed_graph import PackedGraph, PackFacts

__all__ = ["PackFacts", "PackedGraph"]

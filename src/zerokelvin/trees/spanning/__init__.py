"""Spanning trees of a graph, drawn and laid out as lines, and what random ones guarantee on average."""

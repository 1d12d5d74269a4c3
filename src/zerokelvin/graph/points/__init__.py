"""Graphs from points: nearest neighbours, ε-balls, the exponential embedding."""

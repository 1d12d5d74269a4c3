"""Solving with the Laplacian of a graph: analyse once, then any number of right-hand sides."""

from zerokelvin.solve.solver import analyse

__all__ = ["analyse"]

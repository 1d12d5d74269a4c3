"""Kernels on the nodes of a graph, by name: columns by solving, by local relaxation, by push."""

from zerokelvin.kernels.kernels import kernel_columns

__all__ = ["kernel_columns"]

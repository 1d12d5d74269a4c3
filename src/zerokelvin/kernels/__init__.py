"""Kernels on the nodes of a graph, by name, a file per family; columns by solving or by local relaxation.

A new file with one ``@graph_kernel("name", "NUMBER")`` line is registered without any other change
(`zerokelvin.registry`).
"""

from zerokelvin.kernels.kernel_names import KERNELS, graph_kernel, parse_kernel
from zerokelvin.kernels.kernels import kernel_columns

__all__ = ["KERNELS", "graph_kernel", "kernel_columns", "parse_kernel"]

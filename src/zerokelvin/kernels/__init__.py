"""Kernels on the nodes of a graph, by name, a file per family; columns by solving or by local relaxation.

Importing this package imports every module in it, so a new file with one ``@graph_kernel("name", "NUMBER")``
line is registered without any other change.
"""

import importlib
import pkgutil

from zerokelvin.kernels.kernel_names import KERNELS, graph_kernel, parse_kernel
from zerokelvin.kernels.kernels import kernel_columns

__all__ = ["KERNELS", "graph_kernel", "kernel_columns", "parse_kernel"]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

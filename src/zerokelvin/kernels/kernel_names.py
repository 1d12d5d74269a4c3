"""Kernels by name: one vocabulary, parsed in one place.

A kernel is one file in this package, or one function in the file of its family:

    @graph_kernel("heat", "T", needs=AT_LEAST_ZERO)
    def heat(graph: Graph, number: float, engine: str, tol: float) -> HeatKernel:
        return HeatKernel(graph, number, tol=tol)

and is then written ``heat:3``, or ``relative-heat:3`` for the same kernel of the graph with its weights
scaled to a mean degree of 4. Every kernel's function takes the graph, the number written behind the colon (0
where the kernel has none), the engine for its solves and its tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.kernels.columns import KernelColumns
from zerokelvin.registry import Registry

__all__ = [
    "AT_LEAST_ZERO",
    "FRACTION",
    "KERNELS",
    "POSITIVE",
    "RELATIVE",
    "WHOLE",
    "GraphKernel",
    "NamedKernel",
    "Need",
    "graph_kernel",
    "has_unit",
    "parse_kernel",
]

RELATIVE = "relative-"
"""Before the name of a kernel: that kernel of the graph with its weights scaled to a mean degree of 4."""

Make = Callable[[Graph, float, str, float], KernelColumns]


class Need(NamedTuple):
    """What a kernel's number must be, in words and as a test."""

    words: str
    test: Callable[[float], bool]


POSITIVE = Need("a positive number", lambda number: math.isfinite(number) and number > 0)
AT_LEAST_ZERO = Need("a number of at least 0", lambda number: math.isfinite(number) and number >= 0)
FRACTION = Need("a number strictly between 0 and 1", lambda number: 0 < number < 1)
WHOLE = Need("a whole number of steps", lambda number: number.is_integer() and number >= 1)


@dataclass(frozen=True)
class GraphKernel:
    """A kernel of the vocabulary.

    Attributes
    ----------
    name, make
        Its name, and the function of graph, number, engine and tolerance that makes its columns.
    needs
        What its number must be.
    has_unit
        Whether it is another kernel when all weights are multiplied by a constant.
    is_symmetric
        Whether it is symmetric, as all but a few learners need it.
    """

    name: str
    make: Make
    needs: Need
    has_unit: bool
    is_symmetric: bool


class NamedKernel(NamedTuple):
    """What a text such as ``relative-heat:3`` stands for: kernel, number, and whether it is relative."""

    text: str
    kernel: GraphKernel
    number: float
    relative: bool

    @property
    def name(self) -> str:
        """The kernel's name, without number and prefix."""
        return self.kernel.name

    def columns(self, graph: Graph, engine: str, tol: float) -> KernelColumns:
        """The kernel's columns on a graph."""
        return self.kernel.make(at_mean_degree(graph) if self.relative else graph, self.number, engine, tol)


KERNELS: Registry[GraphKernel] = Registry("kernel", room="zerokelvin.kernels", decorator="graph_kernel")


def graph_kernel(
    name: str, number: str = "", *, needs: Need = POSITIVE, has_unit: bool = True, is_symmetric: bool = True
) -> Callable[[Make], Make]:
    """Decorator that registers a kernel; see `GraphKernel`, and `Registry.add` for `number`."""

    def register(make: Make) -> Make:
        KERNELS.add(name, number)(GraphKernel(name, make, needs, has_unit, is_symmetric))
        return make

    return register


def parse_kernel(text: str) -> NamedKernel:
    """The kernel of a name with its number, checked.

    >>> parse_kernel("relative-heat:3").name, parse_kernel("relative-heat:3").number
    ('heat', 3.0)
    >>> parse_kernel("walk:2.5")
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: kernel 'walk:2.5' needs a whole number of steps after the colon.
    """
    relative = text.startswith(RELATIVE)
    try:
        kernel, number = KERNELS.parse(text.removeprefix(RELATIVE))
    except ParameterError as problem:
        raise ParameterError(f"{problem} Each may follow {RELATIVE!r}; a matrix is a kernel too.") from None
    if number is not None and not kernel.needs.test(number):
        raise ParameterError(f"kernel '{text}' needs {kernel.needs.words} after the colon.")
    return NamedKernel(text, kernel, number or 0.0, relative)


def has_unit(kernel: Any) -> bool:
    """Whether a kernel changes with the unit of the weights; False for what is no kernel's name.

    >>> [has_unit(kernel) for kernel in ("heat:1", "relative-heat:1", "normalized:0.1")]
    [True, False, False]
    """
    try:
        named = parse_kernel(kernel) if isinstance(kernel, str) else None
    except ParameterError:
        return False
    return named is not None and named.kernel.has_unit and not named.relative

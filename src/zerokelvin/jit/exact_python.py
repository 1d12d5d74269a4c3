"""Whether a kernel's Python function gives, to the last bit, what its compiled code gives.

Sums, products, roots and comparisons of floats are the same everywhere. Not so what each library does in its
own way: NumPy's exponentials and logarithms are not those of the C library, which compiled code and Python's
`math` call; sums of arrays are summed in another order; products of matrices are left to different builds of
BLAS; powers may be products or calls; and the functions of the room `machine` stand for instructions, but
for those marked `same_in_python`. A kernel that uses one of these, itself or in a kernel that it calls, is
not exact and is always compiled.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

__all__ = ["is_exact", "same_in_python"]

OWN_WAYS = {"exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "power", "sin", "cos", "tan", "tanh"}
OWN_WAYS |= {"sum", "cumsum", "prod", "mean", "var", "std", "dot", "vdot", "linalg", "convolve", "hypot"}
"""Of NumPy; a method of one of these names, ``values.sum()``, counts as well."""

Function = TypeVar("Function", bound=Callable[..., Any])

MODULES = {"numpy", "math", "heapq"}

_KNOWN: dict[Callable[..., Any], bool] = {}
_MARKED: set[Callable[..., Any]] = set()


def is_exact(function: Callable[..., Any]) -> bool:
    """Whether the Python function of a kernel may stand for its compiled code.

    >>> import math
    >>> import numpy as np
    >>> is_exact(lambda x: math.exp(x)), is_exact(lambda x: np.exp(x)), is_exact(lambda x: x @ x)
    (True, False, False)
    """
    known = _KNOWN.get(function)
    if known is None:
        _KNOWN[function] = True  # for those that call each other
        known = _KNOWN[function] = all(_is_exact_part(part) for part in _parts(function))
    return known


def same_in_python(function: Function) -> Function:
    """Mark a plain function, for which kernels run instructions of their own, as exact; the same function."""
    _MARKED.add(function)
    return function


def _parts(function: Callable[..., Any]) -> Iterator[Any]:
    """What a function uses: objects by global name, and what it takes from NumPy or calls as a method."""
    code, names = function.__code__, function.__globals__
    module: Any = None
    for step in dis.get_instructions(code):
        name = step.argval
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            module = names.get(name) if isinstance(names.get(name), types.ModuleType) else None
            if name in names and module is None:
                yield names[name]
            elif module is not None and module.__name__ not in MODULES:
                yield module
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if module is None or module.__name__ == "numpy":
                yield _Named(name)
            module = None
        elif step.opname == "BINARY_OP" and step.argrepr.rstrip("=") in ("@", "**"):
            yield _Named("dot" if step.argrepr.startswith("@") else "power")
    if code.co_freevars or any(isinstance(value, types.CodeType) for value in code.co_consts):
        yield function  # a function inside: no kernel of this package has one


class _Named(str):
    """The name of an attribute that a kernel uses, told apart from the texts it holds."""

    __slots__ = ()


def _is_exact_part(part: Any) -> bool:
    if isinstance(part, _Named):
        return part not in OWN_WAYS
    inner = getattr(part, "py_func", None) if getattr(part, "is_lazy_kernel", False) else None
    if inner is not None:
        return is_exact(inner)
    if isinstance(part, types.FunctionType):
        return part in _MARKED
    from numpy import generic  # not before a kernel is called: help texts do without it

    constants = (bool, int, float, str, tuple, type, generic, types.NoneType, types.BuiltinFunctionType)
    return isinstance(part, constants)

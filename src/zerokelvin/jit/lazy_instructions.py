"""Functions that stand for instructions inside kernels, made when a kernel that calls one is compiled.

The room `machine` writes some functions in the instructions of the processor. To make one takes numba, which
takes longer to import than a small graph takes to be worked on. So such a function is this object until numba
asks for its type, which it does when it compiles the first kernel that calls it. Where a function keeps its
Python text and only kernels run instructions instead, what tells numba so waits for the first compilation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from zerokelvin.jit.kernel_code import before_compiling, switched_off

__all__ = ["LazyInstructions", "before_compiling", "instructions"]

Function = TypeVar("Function", bound=Callable[..., Any])


class LazyInstructions:
    """A function by its Python text, and what makes numba's intrinsic of it."""

    def __init__(self, function: Callable[..., Any], make: Callable[[Callable[..., Any]], Any]) -> None:
        self.__doc__, self.__name__, self.__module__ = (
            function.__doc__,
            function.__name__,
            function.__module__,
        )
        self.py_func = function
        self.make = make

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The type of the intrinsic, for numba."""
        from numba.core.registry import cpu_target

        made, typing = self.make(self.py_func), cpu_target.typing_context
        typing.refresh()  # it has been registered just now
        return typing.resolve_value_type(made)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__


def instructions(make: Callable[[Callable[..., Any]], Any]) -> Callable[[Function], Function]:
    """Decorator of a function that kernels call, with what makes its intrinsic of it."""

    def decorate(function: Function) -> Function:
        return function if switched_off() else cast(Function, LazyInstructions(function, make))

    return decorate

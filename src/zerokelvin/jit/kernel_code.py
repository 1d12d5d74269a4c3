"""The decorator of every kernel: the only module that names numba flags.

`kernel` fixes the flags (cached on disk, releases the GIL, no fast-math, no threads of its own), so that
results are the same on every machine and a kernel compiles once per installation. numba itself takes longer
to import than all of this package, so a kernel of the package is a `LazyKernel` until it is first called, by
Python or by another kernel that is being compiled. The cache on disk is bound to the text of all that the
kernel's module imports (`zerokelvin.jit.source_stamps`). Where no folder for the cache can be written (a
read-only installation without a home) kernels are compiled in memory, and a `CacheWarning` says so once; so
they are where the text was changed after this process had begun, which the line about compilation says
(`zerokelvin.jit.compile_line`).
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from zerokelvin.jit.cache_files import bind_to
from zerokelvin.jit.compilation import listen
from zerokelvin.jit.source_stamps import changed_since, module_stamp
from zerokelvin.startup import BEGAN

__all__ = ["CacheWarning", "LazyKernel", "kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"nogil": True, "fastmath": False, "parallel": False}
PACKAGE = Path(__file__).parents[1]
SOURCES = PACKAGE.parent


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on disk, so every process compiles anew."""


def kernel(function: Function) -> Function:
    """Compile `function` on first call and keep the machine code on disk."""
    if not _is_own(function):
        return cast(Function, dispatcher_of(function))  # now: its file may change before the first call
    if _switched_off():
        return function
    return cast(Function, LazyKernel(function))


class LazyKernel:
    """A kernel whose numba dispatcher is made when it is first needed, and stands for it everywhere.

    A call goes to the dispatcher; so does every attribute that is not its own (``overloads``, ``_cache``);
    numba asks for its type when it compiles a kernel that calls this one. Pickled and copied by name. Each is
    of a class of its own, whose call becomes the dispatcher's, so that calls take some 10 ns longer only.
    """

    py_func: Callable[..., Any]

    def __new__(cls, function: Callable[..., Any]) -> Self:
        """An instance of a new subclass."""
        return super().__new__(type(cls.__name__, (cls,), {"__doc__": cls.__doc__}))

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Run the compiled code, the first time."""
        return self.dispatcher(*values, **named)

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, made when first asked for."""
        found = vars(self).get("_dispatcher")
        if found is None:
            with _LOCK:
                found = vars(self).get("_dispatcher")
                if found is None:
                    found = dispatcher_of(self.py_func)
                    vars(self)["_dispatcher"] = found
                    type(self).__call__ = staticmethod(found)  # type: ignore[method-assign]
        return found

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"


_LOCK = threading.RLock()


def _is_own(function: Callable[..., Any]) -> bool:
    """Whether a function is of this package, so that the stamp of its module covers its own text."""
    return function.__module__.startswith(f"{PACKAGE.name}.")


def _switched_off() -> bool:
    """Whether numba is told not to compile; its own setting counts where it is imported already."""
    if "numba" in sys.modules:
        return bool(sys.modules["numba"].config.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of a function with this module's flags; the function itself without compilation."""
    import numba

    listen()
    module = function.__module__
    changed = changed_since(SOURCES, module, BEGAN)
    if changed is not None:
        note = f"for this process alone, since {changed} was changed after it had begun"
        return _noted(numba.njit(**FLAGS)(function), note)
    try:
        compiled: Any = numba.njit(cache=True, **FLAGS)(function)
    except RuntimeError as problem:  # numba found no folder that it may write to
        if "cannot cache function" not in str(problem):
            raise
        _warn_uncached()
        return _noted(numba.njit(**FLAGS)(function), "for this process alone")
    cache = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # absent without compilation
    if cache is not None:
        bind_to(cache, module_stamp(SOURCES, module), covers_module=_is_own(function))
    return _noted(compiled, "once per installation")


def _noted(compiled: Any, kept: str) -> Any:
    """The same with a note for how long it is compiled, for those who tell of compilation."""
    compiled.kept = kept
    return compiled


@functools.cache
def _warn_uncached() -> None:
    warnings.warn(
        "compiled code cannot be kept: neither the folder of the installation nor the user's cache can be "
        "written to, so every process compiles anew; set NUMBA_CACHE_DIR to a folder that can.",
        CacheWarning,
        stacklevel=2,
    )

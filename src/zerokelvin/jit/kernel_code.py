"""The decorator of every kernel: the only module that names numba flags.

`kernel` fixes the flags (cached on disk, releases the GIL, no fast-math, no threads of its own), so that
results are the same on every machine and a kernel compiles once per installation. numba itself takes longer
to import than all of this package, so a kernel of the package is a `LazyKernel` until it is first called, by
Python or by another kernel that is being compiled; and small work is left to its Python function
(`zerokelvin.jit.small_work`). What only kernels call is an `inner_kernel`, compiled without the code that
takes its arguments out of Python objects: for a named tuple of arrays that is more than for many a loop.

The cache on disk is bound to the text of all that the kernel's module imports
(`zerokelvin.jit.source_stamps`). Where no folder for the cache can be written (a read-only installation
without a home) kernels are compiled in memory, and a `CacheWarning` says so once; so they are where the text
was changed after this process had begun, which the line about compilation says
(`zerokelvin.jit.compile_line`).
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from zerokelvin.jit import background, small_work
from zerokelvin.jit.cache_files import bind_to, keep_apart
from zerokelvin.jit.call_types import called_by_type
from zerokelvin.jit.compilation import listen
from zerokelvin.jit.exact_python import is_exact
from zerokelvin.jit.held_interrupts import interrupts_held
from zerokelvin.jit.shared_compiling import is_kept, share
from zerokelvin.jit.source_stamps import changed_since, module_stamp
from zerokelvin.startup import BEGAN

__all__ = ["CacheWarning", "LazyKernel", "before_compiling", "inner_kernel", "kernel"]
__all__ += ["switched_off"]

Function = TypeVar("Function", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"nogil": True, "fastmath": False, "parallel": False, "no_cfunc_wrapper": True}
INNER = {"no_cpython_wrapper": True}
"""What is added for code that kernels call and Python does not."""

PACKAGE = Path(__file__).parents[1]
SOURCES = PACKAGE.parent


LOOK = 0.2
"""Seconds between two looks whether another process has compiled a kernel meanwhile."""


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on disk, so every process compiles anew."""


def kernel(function: Function) -> Function:
    """Compile `function` on first call and keep the machine code on disk."""
    if not _is_own(function):
        return cast(Function, dispatcher_of(function))  # now: its file may change before the first call
    if switched_off():
        return function
    return cast(Function, LazyKernel(function))


def inner_kernel(function: Function) -> Function:
    """A kernel of this package that only other kernels call, which takes a fifth less time to compile.

    Called from Python all the same, in a test, it is compiled once more, as a `kernel` is.
    """
    if switched_off() or not _is_own(function):
        return kernel(function)
    return cast(Function, LazyKernel(function, inner=True))


class LazyKernel:
    """A kernel whose numba dispatcher is made when it is first needed, and stands for it everywhere.

    A call goes to the dispatcher; so does every attribute that is not its own (``overloads``, ``_cache``);
    numba asks for its type when it compiles a kernel that calls this one, and is given that of a second
    dispatcher if the kernel is `inner`. Pickled and copied by name. Each is
    of a class of its own, whose call becomes the dispatcher's, so that calls take some 10 ns longer only.
    """

    py_func: Callable[..., Any]
    is_lazy_kernel = True

    def __new__(cls, function: Callable[..., Any], inner: bool = False) -> Self:
        """An instance of a new subclass."""
        return super().__new__(type(cls.__name__, (cls,), {"__doc__": cls.__doc__}))

    def __init__(self, function: Callable[..., Any], inner: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.inner = inner

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Run the Python function, or the compiled code for the first time."""
        if is_exact(self.py_func):
            if small_work.is_inside():
                return self.py_func(*values, **named)
            if small_work.is_played_first(values):
                background.begin_unless_done()
                return small_work.play(self, values, named)
        return self.dispatcher(*values, **named)

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher for calls from Python, made when first asked for."""
        found = self._made("_dispatcher", inner=False)
        type(self).__call__ = staticmethod(found)  # type: ignore[method-assign]
        return found

    @property
    def _numba_type_(self) -> Any:
        if not self.inner:
            return called_by_type(self.dispatcher)
        return called_by_type(self._made("_inner_dispatcher", inner=True))

    def _made(self, name: str, inner: bool) -> Any:
        """One of the two dispatchers, kept under a name of its own."""
        found = vars(self).get(name)
        if found is None:
            with _LOCK:
                found = vars(self).get(name)
                if found is None:
                    try:
                        found = dispatcher_of(self.py_func, inner)
                    except AttributeError as problem:  # of which Python would make a question to __getattr__
                        raise RuntimeError(f"{self!r} cannot be compiled: {problem}") from problem
                    if not inner and _is_own(self.py_func):
                        leave_small_work(self, found)
                    vars(self)[name] = found
        return found

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


def switched_off() -> bool:
    """Whether numba is told not to compile; its own setting counts where it is imported already.

    While another thread imports numba it is among the modules and has no settings yet.
    """
    settings = getattr(sys.modules.get("numba"), "config", None)
    if settings is not None:
        return bool(settings.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


_WAITING: list[Callable[[], None]] = []


def before_compiling(action: Callable[[], None]) -> Callable[[], None]:
    """Decorator of what tells numba something: it is called before the next kernel is compiled."""
    _WAITING.append(action)
    return action


def dispatcher_of(function: Callable[..., Any], inner: bool = False) -> Any:
    """Numba's dispatcher of a function with this module's flags; the function itself without compilation."""
    with interrupts_held():
        import numba

        listen()
    with _LOCK:
        while _WAITING:
            _WAITING[0]()  # an interrupt leaves it waiting
            del _WAITING[0]
    small_work.use_compiled()
    flags = FLAGS | INNER if inner else FLAGS
    module = function.__module__
    changed = changed_since(SOURCES, module, BEGAN)
    if changed is not None:
        note = f"for this process alone, since {changed} was changed after it had begun"
        return _noted(numba.njit(**flags)(function), note)
    try:
        compiled: Any = numba.njit(cache=True, **flags)(function)
    except RuntimeError as problem:  # numba found no folder that it may write to
        if "cannot cache function" not in str(problem):
            raise
        _warn_uncached()
        return _noted(numba.njit(**flags)(function), "for this process alone")
    cache = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # absent without compilation
    if cache is not None:
        if inner:
            keep_apart(cache, "inner")
        bind_to(cache, module_stamp(SOURCES, module), covers_module=_is_own(function))
        if _is_own(function):
            share(compiled)
    return _noted(compiled, "once per installation")


def leave_small_work(lazy: LazyKernel, compiled: Any) -> None:
    """Let a dispatcher that has no code for a call leave it to the interpreter where it is small.

    Numba asks `_compile_for_args` for what is to be called with arguments that it has no code for.
    """
    if not is_exact(lazy.py_func) or not hasattr(compiled, "_compile_for_args"):
        return
    from numba.core.dispatcher import OmittedArg

    code_for, name = compiled._compile_for_args, f"{lazy.py_func.__module__}.{lazy.py_func.__qualname__}"
    looked = [-LOOK]

    def given(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(value.value if isinstance(value, OmittedArg) else value for value in values)

    def interpreted(*values: Any) -> Any:
        return small_work.play(lazy, given(values), {})

    def code_or_function(*values: Any) -> Any:
        if small_work.is_inside():
            return interpreted
        if not small_work.is_played_on(name, given(values)):
            return code_for(*values)
        if time.monotonic() - looked[0] >= LOOK:
            if is_kept(compiled, tuple(compiled.typeof_pyval(value) for value in values)):
                return code_for(*values)
            looked[0] = time.monotonic()
        background.begin_unless_done()
        return interpreted

    compiled._compile_for_args = code_or_function


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

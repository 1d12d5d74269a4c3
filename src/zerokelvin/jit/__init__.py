"""Compilation of hot loops: the decorator that every kernel carries, and what is told of compiling.

`kernel_code` fixes numba's flags and imports numba when the first kernel is called; `source_stamps` binds
what is kept on disk to the text it was made from; `call_types` lets kernels call each other by type;
`compilation` measures; `compile_line` tells people. `small_work` leaves what is small to the interpreter,
where that gives the same bits (`exact_python`); `background` lets another process compile, and
`shared_compiling` sees to it that no two compile the same.
"""

from zerokelvin.jit.background import compile_ahead, expect
from zerokelvin.jit.compilation import (
    Compilation,
    CompileTime,
    compilation_seconds,
    compilations,
    on_compile,
)
from zerokelvin.jit.compile_line import announce_compilation, quiet
from zerokelvin.jit.kernel_code import CacheWarning, inner_kernel, kernel
from zerokelvin.jit.small_work import compile_now
from zerokelvin.jit.source_stamps import module_stamp

__all__ = [
    "CacheWarning",
    "Compilation",
    "CompileTime",
    "announce_compilation",
    "compilation_seconds",
    "compilations",
    "compile_ahead",
    "compile_now",
    "expect",
    "inner_kernel",
    "kernel",
    "module_stamp",
    "on_compile",
    "quiet",
]

"""The speed benchmarks: scripts that measure everything as ratios within one run.

They stand in the folder ``benchmarks`` of the repository and come with the installed package as
``zerokelvin/benchmarks``; those in ``choices`` measure how well is chosen, not how fast. Each is a script
with options of its own; `run_benchmark` runs one in a process of its own, single-threaded, so that ratios
compare like with like.
"""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import zerokelvin
from zerokelvin.errors import DataError, ParameterError

__all__ = ["Benchmark", "BenchmarkResult", "find_benchmarks", "run_benchmark"]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its name, what it measures, and the script."""

    name: str
    summary: str
    path: Path


@dataclass(frozen=True)
class BenchmarkResult:
    """What a benchmark printed, where that was asked for, and how long it took."""

    name: str
    output: str
    seconds: float


def find_benchmarks() -> dict[str, Benchmark]:
    """The benchmarks by name.

    Examples
    --------
    >>> "solvers" in find_benchmarks()
    True
    """
    package = Path(zerokelvin.__file__).parent
    folders = (package / "benchmarks", package.parents[1] / "benchmarks")
    folder = next((f for f in folders if f.is_dir()), None)
    if folder is None:
        raise DataError(f"no benchmarks at {folders[0]}; install zerokelvin again from a complete wheel.")
    files = (path for path in folder.rglob("*.py") if path.parent.name != "parts")
    scripts = sorted((path for path in files if not path.name.startswith("_")), key=_name)
    return {name: Benchmark(name, _summary(path), path) for path in scripts for name in [_name(path)]}


def run_benchmark(name: str, arguments: list[str], *, capture: bool = False) -> BenchmarkResult:
    """Run a benchmark, by its name or its first word, with its own options; prints without `capture`."""
    known = find_benchmarks()
    alike = [name] if name in known else [other for other in known if other.startswith(f"{name}-")]
    if len(alike) != 1:
        raise ParameterError(f"unknown benchmark '{name}'; known: {', '.join(known)}.")
    name = alike[0]
    began = time.perf_counter()
    with _deaf_to_interrupts():
        process = subprocess.Popen(  # noqa: S603 - our own script with the user's own arguments
            [sys.executable, str(known[name].path), *arguments],
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdout=subprocess.PIPE if capture else None,
            text=True,
        )
    try:
        output, _ = process.communicate()
    finally:
        process.kill()  # does nothing to one that has ended
        process.wait()
    if process.returncode != 0:
        raise ParameterError(
            f"benchmark '{name}' stopped with exit code {process.returncode}; see its message above."
        )
    return BenchmarkResult(name, output or "", time.perf_counter() - began)


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes begun inside do not hear Ctrl-C; this one does, and ends them without a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _name(path: Path) -> str:
    return path.stem.replace("_", "-")


def _summary(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]

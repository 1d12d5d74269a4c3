"""Every speed goal in one table: what a benchmark printed, read against the goal.

The benchmarks print tables; a `GoalSource` names the benchmark, its arguments and how figures are read off
what it prints. All figures are ratios within one run, so they compare between versions: results are kept as
JSON, and `compare_with` sets two of them side by side.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zerokelvin
from zerokelvin.errors import DataError, ZerokelvinError
from zerokelvin.experiments.benchmarks import run_benchmark
from zerokelvin.experiments.speeds.goal_readers import (
    read_latency,
    read_learners_at_scale,
    read_packing,
    read_second_order,
    read_service,
    read_solvers,
    read_spectral,
    read_zero_temperature,
)
from zerokelvin.io.files import PathLike, replacing

__all__ = ["SOURCES", "GoalSource", "Speed", "Speeds", "Unmeasured"]
__all__ += ["measure_speeds", "read_speeds", "write_speeds"]


@dataclass(frozen=True)
class Speed:
    """One figure against its goal: `kind` is ``"at most"`` or ``"at least"``."""

    what: str
    measured: float
    kind: str
    goal: float
    command: str

    @property
    def reached(self) -> bool:
        """Whether the goal is reached.

        >>> Speed("prediction", 0.9, "at most", 1.0, "zerokelvin bench latency").reached
        True
        """
        return self.measured <= self.goal if self.kind == "at most" else self.measured >= self.goal


@dataclass(frozen=True)
class GoalSource:
    """A benchmark, its arguments, and how its figures are read off the lines it prints."""

    benchmark: str
    arguments: tuple[str, ...]
    read: Callable[[Sequence[str]], Iterator[tuple[str, float, str, float]]]

    @property
    def command(self) -> str:
        """What measures this again."""
        return " ".join(["zerokelvin bench", self.benchmark, *self.arguments])


SOURCES: tuple[GoalSource, ...] = (
    GoalSource("latency", (), read_latency),
    GoalSource("spectral", (), read_spectral),
    GoalSource("second-order", ("--quick",), read_second_order),
    GoalSource("zero-temperature", (), read_zero_temperature),
    GoalSource("solvers", ("--sizes", "10000", "100000"), read_solvers),
    GoalSource("learners-at-scale", (), read_learners_at_scale),
    GoalSource("scale", ("--edges", "2e7", "--rows", "pack"), read_packing),
    GoalSource("service", (), read_service),
)


@dataclass(frozen=True)
class Unmeasured:
    """A benchmark that did not come to its end, and why."""

    command: str
    why: str


@dataclass
class Speeds:
    """What was measured so far: figures with their goals, and the benchmarks that failed."""

    measured: list[Speed] = field(default_factory=list)
    failed: list[Unmeasured] = field(default_factory=list)


def measure_speeds(
    sources: Sequence[GoalSource] = SOURCES,
    progress: Callable[[str, int, int | None], None] | None = None,
    keep: Callable[[Sequence[Speed]], None] | None = None,
) -> Speeds:
    """Run the benchmarks one after the other, and read every figure that has a goal.

    `keep` is called with all figures so far after each benchmark, so that what was measured is not lost; one
    that fails does not keep the others from being measured.
    """
    tell = progress or (lambda *_: None)
    found = Speeds()
    for done, source in enumerate(sources):
        tell(f"Benchmark {source.benchmark}", done, len(sources))
        try:
            result = run_benchmark(source.benchmark, list(source.arguments), capture=True)
            read = [Speed(*figure, source.command) for figure in source.read(result.output.splitlines())]
            if not read:
                raise DataError(f"'{source.command}' printed no figure that has a goal; see what it prints.")
        except ZerokelvinError as problem:
            found.failed.append(Unmeasured(source.command, str(problem)))
            continue
        found.measured += read
        if keep is not None:
            keep(found.measured)
    tell("Benchmarks", len(sources), len(sources))
    return found


def write_speeds(path: PathLike, speeds: Sequence[Speed]) -> None:
    """Keep figures with version, date and machine, so that a later version can be compared."""
    value = {
        "version": zerokelvin.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "speeds": [asdict(speed) for speed in speeds],
    }
    with replacing(path) as draft:
        draft.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_speeds(path: PathLike) -> dict[str, Speed]:
    """The figures of a file that `write_speeds` wrote, by what was measured."""
    try:
        values: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        speeds = [Speed(**speed) for speed in values["speeds"]]
    except OSError:
        raise DataError(f"there is no file '{path}' to compare with; write one with --output.") from None
    except (ValueError, LookupError, TypeError):
        raise DataError(f"'{path}' holds no figures of 'zerokelvin bench --all'; name another.") from None
    return {speed.what: speed for speed in speeds}


def machine() -> str:
    """The processor and how many of it this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"

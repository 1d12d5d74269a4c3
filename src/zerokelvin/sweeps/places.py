"""Where cells are computed: in this process, in threads, in processes of this machine, or on a cluster.

A *stage* is what many computations have in common (a graph, its labels, a learner): it is sent to every
worker once, and computes one result from one *task*. A `Workplace` computes tasks on a stage, in any order
and each at least once, and gives the results as they come. Nothing that a place does changes a result.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

__all__ = ["Done", "Here", "Once", "Stage", "Threads", "Work", "Workplace", "cores"]


class Stage(Protocol):
    """What tasks have in common; it travels to workers whole, and must not change."""

    def compute(self, task: Any) -> Any:
        """The result of one task; called where the work is done."""


class Work(NamedTuple):
    """What a stage computes from, with a name for it that is the same in every process.

    Tasks of one `kind` need the same compiled code.
    """

    name: str
    value: Any
    kind: Any = None


class Done(NamedTuple):
    """The number of a task among those given, and its result; without a number, only news of the place."""

    number: int | None
    result: Any = None


class Workplace(ABC):
    """Computes tasks; used in a ``with`` block, which ends what it has started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End whatever was started; here nothing was."""
        return

    @abstractmethod
    def results(self, stage: Stage, tasks: Sequence[Work]) -> Iterator[Done]:
        """The result of every task, as they come."""

    def told(self) -> str:
        """What works on it, for a line of progress; empty where it is this process."""
        return ""


class Here(Workplace):
    """One task after the other, in this process."""

    def results(self, stage: Stage, tasks: Sequence[Work]) -> Iterator[Done]:
        """The results in the order of the tasks."""
        for number, task in enumerate(tasks):
            yield Done(number, stage.compute(task.value))


@dataclass(frozen=True)
class Threads(Workplace):
    """Threads of this process, for work that releases the interpreter lock.

    The first task of every kind runs alone, so that compilation does not race.
    """

    count: int

    def results(self, stage: Stage, tasks: Sequence[Work]) -> Iterator[Done]:
        """The first of every kind, then the rest as they come."""
        first = sorted({task.kind: i for i, task in reversed(list(enumerate(tasks)))}.values())
        for number in first:
            yield Done(number, stage.compute(tasks[number].value))
        pool = ThreadPoolExecutor(self.count)
        try:
            rest = {
                pool.submit(stage.compute, task.value): number
                for number, task in enumerate(tasks)
                if number not in first
            }
            for future in as_completed(rest):
                yield Done(rest[future], future.result())
        finally:
            pool.shutdown(cancel_futures=True)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Once:
    """A value for every key, made by one thread while others wait; the last few are remembered."""

    def __init__(self, room: int = 2) -> None:
        self.room = room
        self.lock = threading.Lock()
        self.made: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[type[Once], tuple[int]]:
        return Once, (self.room,)  # elsewhere it begins empty

    def get(self, key: Any, make: Any) -> Any:
        """The value of a key; ``make()`` where it is not remembered."""
        with self.lock:
            if key not in self.made:
                while len(self.made) >= self.room:
                    del self.made[next(iter(self.made))]
                self.made[key] = make()
            return self.made[key]

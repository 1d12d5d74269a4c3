"""Processes of this machine, each computing one task at a time.

A process that ends before its time (out of memory, killed) costs the task it was at: that one is given to a
new process, and the others do not notice. A task that has cost three processes is named in an error. Workers
do not hear Ctrl-C; they end when the process that began them ends them, or ends itself.

A new process would run the user's script again, up to its ``if __name__ == "__main__":``, and a script
without that line would do everything once more in every worker. It is read again only where a task needs
something that is defined there.

The processes share the cores for linear algebra: threads of two BLAS libraries that wait for each other on
the same cores take many times as long as one of each.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any

from zerokelvin.errors import ClusterError
from zerokelvin.sweeps.places import Done, Stage, Work, Workplace, cores

__all__ = ["MOST_LOST", "Processes"]

MOST_LOST = 3
"""Workers that a task may cost before it is given up; Dask's default too."""


READY = "ready"
"""What a process says first."""

BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What a process reads when it begins; who has set one of them is obeyed."""

_STARTING = threading.Lock()


class _Worker:
    """A process and the pipe to it.

    `reads_script` says whether it runs the user's script when it begins, `ready` whether it has begun, and
    `at` is the number of the task it is at. It has so many `threads` for linear algebra.
    """

    def __init__(self, reads_script: bool, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.reads_script = reads_script
        with _STARTING, _blas_threads(threads), nullcontext() if reads_script else _script_hidden():
            self.process.start()
        theirs.close()  # so that the pipe ends with the process
        self.ready = False
        self.stage: object = None
        self.at: int | None = None

    def begin(self, number: int, task: Any, stage: Stage, text: bytes) -> None:
        """Give it a task, and the stage where it has another; a process that is gone is noticed later."""
        self.at = number
        with suppress(OSError):
            if self.stage is not stage:
                self.stage = stage
                self.pipe.send_bytes(text)
            self.pipe.send((number, task))

    def end(self) -> None:
        """End the process, whatever it is at."""
        self.pipe.close()
        self.process.kill()
        self.process.join()


class Processes(Workplace):
    """So many processes, begun when the first task comes and kept until `close`."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.workers: list[_Worker] = []

    def told(self) -> str:
        """How many processes there are, in words."""
        return "1 process" if self.count == 1 else f"{self.count} processes"

    def results(self, stage: Stage, tasks: Sequence[Work]) -> Iterator[Done]:
        """The result of every task with its number, in the order they come."""
        text = pickle.dumps(("stage", stage))
        needs_script = b"__main__" in text or b"__main__" in pickle.dumps([task.value for task in tasks])
        if needs_script and not all(worker.reads_script for worker in self.workers):
            self.close()
        waiting, lost = deque(range(len(tasks))), Counter[int]()
        while len(self.workers) < min(self.count, len(tasks)):
            self.workers.append(_Worker(needs_script, self._threads))
        for worker in self.workers:
            self._next(worker, waiting, tasks, stage, text)
        while busy := [worker for worker in self.workers if worker.at is not None]:
            ready = wait([worker.pipe for worker in busy])
            for worker in [worker for worker in busy if worker.pipe in ready]:
                number = worker.at
                try:
                    answer = worker.pipe.recv()
                except (EOFError, OSError):
                    self._replace(worker, waiting, tasks, lost)
                    continue
                if answer == READY:
                    worker.ready = True
                    continue
                found, problem = answer
                if problem is not None:
                    raise problem
                worker.at = None
                yield Done(number, found)
            for worker in self.workers:
                if worker.at is None:
                    self._next(worker, waiting, tasks, stage, text)

    @property
    def _threads(self) -> int:
        return max(1, cores() // self.count)

    def close(self) -> None:
        """End the worker processes."""
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.end()

    def _next(
        self, worker: _Worker, waiting: deque[int], tasks: Sequence[Work], stage: Stage, text: bytes
    ) -> None:
        if waiting:
            number = waiting.popleft()
            worker.begin(number, tasks[number].value, stage, text)

    def _replace(self, gone: _Worker, waiting: deque[int], tasks: Sequence[Work], lost: Counter[int]) -> None:
        """Begin another process for one that ended; what it was at comes first."""
        number = gone.at
        gone.end()
        if gone.reads_script and not gone.ready:
            raise ClusterError(
                "a process could not read this script, where something is defined that the work needs; put "
                "what it does under 'if __name__ == \"__main__\":', or what it defines into a module."
            )
        self.workers[self.workers.index(gone)] = _Worker(gone.reads_script, self._threads)
        if number is None:
            return
        lost[number] += 1
        if lost[number] >= MOST_LOST:
            code = gone.process.exitcode
            raise ClusterError(
                f"{MOST_LOST} processes ended at '{tasks[number].name}' (the last with code {code}); it may "
                "need more memory than there is: take fewer --jobs."
            )
        waiting.appendleft(number)


@contextmanager
def _script_hidden() -> Iterator[None]:
    """A process begun in this block finds no script to read: `multiprocessing` looks for it here."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _blas_threads(count: int) -> Iterator[None]:
    """A process begun in this block has so many threads for linear algebra, where nothing else is said."""
    added = () if any(name in os.environ for name in BLAS_THREADS) else BLAS_THREADS
    os.environ.update(dict.fromkeys(added, str(count)))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _serve(pipe: Connection) -> None:
    """What a process does: takes a stage or a task, sends a result or why there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):
        pipe.send(READY)
    stage: Any = None
    while True:
        try:
            kind, value = pipe.recv()
        except (EOFError, OSError):
            return
        except Exception as problem:  # noqa: BLE001 - what was sent cannot be read here
            lack = f"{problem}; what is defined in a notebook or at a prompt has to come from a module here."
            pipe.send((None, ClusterError(lack)))
            return
        if kind == "stage":
            stage = value
            continue
        answer: tuple[Any, Exception | None]
        try:
            answer = stage.compute(value), None
        except Exception as problem:  # noqa: BLE001 - it is raised where the work was asked for
            answer = None, problem
        pipe.send(_sendable(answer))


def _sendable(answer: tuple[Any, Exception | None]) -> Any:
    """The answer; an error that cannot travel as its text."""
    try:
        pickle.loads(pickle.dumps(answer[1]))  # noqa: S301 - our own, a moment old
    except Exception:  # noqa: BLE001
        return None, ClusterError(f"{type(answer[1]).__name__}: {answer[1]}")
    return answer


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

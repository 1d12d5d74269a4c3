"""The promises of the contract tried on many games drawn at random, in several processes.

Each promise (`zerokelvin.checks.PROMISES`) is a function of a learner and a number, so that work is shared
out by numbers and a fault found anywhere is found again from its learner, promise and number.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any

from zerokelvin.checks import PROMISES
from zerokelvin.learners import LEARNERS, make

__all__ = ["Tally", "try_promises"]

BATCH = 50  # games of one learner that go to a process at a time
KEPT = 5  # faults kept of each learner and promise

Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Tally:
    """How one learner kept one promise: games, in how many it said anything, faults and the first of them."""

    learner: str
    promise: str
    games: int
    applied: int
    faults: int
    examples: tuple[str, ...]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return asdict(self)


def try_promises(
    learners: Sequence[str],
    promises: Sequence[str],
    games: int,
    seed: int = 0,
    jobs: int = 1,
    report: Report | None = None,
) -> list[Tally]:
    """Try promises on the games `seed`, `seed` + 1, … of each learner, `jobs` processes at a time.

    >>> tally = try_promises(["nearest"], ["games"], games=3)[0]
    >>> tally.games, tally.faults
    (3, 0)
    """
    pairs = [(name, kind) for name in learners for kind in promises]
    for name, kind in pairs:
        LEARNERS[name], PROMISES[kind]  # refuse unknown ones before the work
    batches = [
        (name, kind, range(first, min(first + BATCH, seed + games)))
        for name, kind in pairs
        for first in range(seed, seed + games, BATCH)
    ]
    tell = report or (lambda *_: None)
    found: dict[tuple[str, str], list[Tally]] = {pair: [] for pair in pairs}
    done = 0
    for tally in _play_here(batches) if jobs == 1 else _play_beside(batches, pairs, seed, jobs):
        found[tally.learner, tally.promise].append(tally)
        done += tally.games
        tell(f"{tally.learner}: {tally.promise}", done, games * len(pairs))
    return [_total(parts) for parts in found.values() if parts]


def _play_here(batches: Any) -> Any:
    for batch in batches:
        yield _try(*batch)


def _play_beside(batches: Any, pairs: Any, seed: int, jobs: int) -> Any:
    for name, kind in pairs:
        _try(name, kind, range(seed, seed + 1))  # compiled once before workers would do so side by side
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        for future in as_completed([pool.submit(_try, *batch) for batch in batches]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _try(name: str, kind: str, numbers: range) -> Tally:
    began, learner, promise = time.perf_counter(), make(name), PROMISES[kind]
    verdicts = [promise(learner, number) for number in numbers]
    faults = [verdict.fault for verdict in verdicts if verdict.fault is not None]
    applied = sum(verdict.applies for verdict in verdicts)
    seconds = time.perf_counter() - began
    return Tally(name, kind, len(verdicts), applied, len(faults), tuple(faults[:KEPT]), seconds)


def _total(parts: Sequence[Tally]) -> Tally:
    first = parts[0]
    examples = tuple(example for part in parts for example in part.examples)[:KEPT]
    games, applied, faults = (sum(getattr(p, name) for p in parts) for name in ("games", "applied", "faults"))
    return Tally(
        first.learner, first.promise, games, applied, faults, examples, sum(part.seconds for part in parts)
    )

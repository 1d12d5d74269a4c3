"""Many claims, measured in processes or on a cluster, each kept as soon as it is there.

A claim that was measured before (same code, same data, same seed and size) is read from the store, so that a
second run computes nothing and an interrupted one loses at most what was being measured. Claims of one group
share results and run in one process. A claim whose data set is not at hand is reported as not measured.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from zerokelvin.errors import DataError, MissingDependencyError
from zerokelvin.experiments.report.claim import CLAIMS, Found
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.io import load_dataset
from zerokelvin.sweeps.places import Here, Work, Workplace
from zerokelvin.sweeps.result_store import KeptResult, ResultStore, code_version

__all__ = ["ClaimResult", "Order", "run_claims"]

Progress = Callable[[str, int, int | None], None]
UNMEASURED = "not measured"


@dataclass(frozen=True)
class Order:
    """What is to be measured, and how: the seed, short sizes, where results are kept."""

    seed: int = 0
    fast: bool = False
    folder: str | None = None


@dataclass(frozen=True)
class ClaimResult:
    """What a claim gave: its findings and games, processor seconds, the version of the code that measured.

    `kept` tells whether it was read from the store; `failure` why there is nothing, as one sentence.
    """

    name: str
    found: Found
    games: tuple[dict[str, Any], ...] = field(repr=False)
    seconds: float
    version: str
    seed: int
    fast: bool
    kept: bool = False
    failure: str = ""

    @property
    def verdict(self) -> str:
        """The verdict of the checks, or that nothing was measured."""
        return UNMEASURED if self.failure else self.found.verdict

    @property
    def command(self) -> str:
        """The command that measures this claim again."""
        short = " --fast" if self.fast else ""
        return f"zerokelvin reproduce all --only {self.name} --seed {self.seed}{short}"


def run_claims(
    names: Sequence[str], order: Order, place: Workplace | None = None, progress: Progress | None = None
) -> list[ClaimResult]:
    """Measure claims, here or at `place`, and give their results in the order of `names`."""
    tell = progress or (lambda *_: None)
    store = ResultStore(order.folder)
    known = {name: result for name in names if (result := _look_up(name, order, store)) is not None}
    groups: dict[str, list[str]] = {}
    for name in names:
        if name not in known:
            groups.setdefault(CLAIMS[name].group or name, []).append(name)
    cost = {name: max(1, round(CLAIMS[name].cost)) for group in groups.values() for name in group}
    left, total = sum(cost.values()), sum(cost.values())
    tell("Measuring claims", 0, max(total, 1))
    longest_first = sorted(groups.values(), key=lambda group: -sum(cost[name] for name in group))
    for measured in _measured(longest_first, order, place or Here()):
        for result in measured:
            known[result.name] = result
            left -= cost[result.name]
            _keep(result, order, store)
        by = place.told() if place is not None else ""
        tell(f"Measuring claims · {by}" if by else "Measuring claims", total - left, max(total, 1))
    tell("Measuring claims", max(total, 1), max(total, 1))
    return [known[name] for name in names]


@dataclass(frozen=True)
class ClaimStage:
    """Measures the claims of a group one after the other, each kept at once where there is a folder."""

    order: Order

    def compute(self, names: Sequence[str]) -> list[ClaimResult]:
        """The results of the claims of a group, measured or kept from before."""
        store = ResultStore(self.order.folder)
        return [_measure(name, self.order, store) for name in names]


def _measured(groups: Sequence[list[str]], order: Order, place: Workplace) -> Iterator[list[ClaimResult]]:
    """The results of each group as they come, and nothing where there is news of the place."""
    if isinstance(place, Here):
        groups = [[name] for group in groups for name in group]  # each is told of when it is there
    tasks = [Work(" ".join(group), group) for group in groups]
    for done in place.results(ClaimStage(order), tasks):
        yield [] if done.number is None else done.result


def _keep(result: ClaimResult, order: Order, store: ResultStore) -> None:
    """Keep a result unless it is: what measured it may have had another disk."""
    if result.failure or result.kept:
        return
    key = _key(result.name, order)
    if store.look_up(key) is None:
        store.keep(key, _values(result))


def _values(result: ClaimResult) -> KeptResult:
    return KeptResult({"found": result.found.as_dict(), "games": result.games, "seconds": result.seconds})


def _measure(name: str, order: Order, store: ResultStore) -> ClaimResult:
    claim = CLAIMS[name]
    lab = Laboratory(store, _room(name), order.seed, order.fast)
    began = time.process_time()
    try:
        found = claim().measure(lab)
        key = _key(name, order)
    except (DataError, MissingDependencyError) as problem:
        return ClaimResult(name, Found(()), (), 0.0, lab.version, order.seed, order.fast, False, str(problem))
    seconds = time.process_time() - began
    games = tuple(asdict(game) for game in lab.games)
    result = ClaimResult(name, found, games, seconds, lab.version, order.seed, order.fast)
    store.keep(key, _values(result))
    return result


def _look_up(name: str, order: Order, store: ResultStore) -> ClaimResult | None:
    try:
        kept = store.look_up(_key(name, order))
    except (DataError, MissingDependencyError):
        return None
    if kept is None:
        return None
    values = kept.result
    found, version = Found.read(values["found"]), code_version(_room(name))
    games = tuple(values["games"])
    return ClaimResult(name, found, games, values["seconds"], version, order.seed, order.fast, True)


def _key(name: str, order: Order) -> dict[str, Any]:
    """All that the result of a claim depends on, by name."""
    data = {of: _content(of) for of in CLAIMS[name].data}
    return {
        "kind": "claim",
        "claim": name,
        "data": data,
        "seed": order.seed,
        "fast": order.fast,
        "code": code_version(_room(name)),
    }


def _room(name: str) -> str:
    """The folder of the reproductions that a claim stands in."""
    return CLAIMS[name].__module__.split(".")[3]


@functools.cache
def _content(name: str) -> str:
    """The hash of what a data set holds."""
    data = load_dataset(name)
    digest = hashlib.sha256()
    if data.network is not None:
        digest.update(data.network.content_hash.encode())
    if data.points is not None:
        digest.update(np.ascontiguousarray(data.points).tobytes())
    digest.update(repr(np.ma.getdata(data.labels).tolist()).encode())
    return digest.hexdigest()

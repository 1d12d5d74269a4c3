"""Power cuts: what was acknowledged is there afterwards, whenever the power fails.

A project is written to in groups of events, with answers, closed and opened again, on a `RecordingDisk`, by
the code and the settings of the service. Then the power fails at random moments of that run, and the
service's own store opens what the disk holds: every event that was acknowledged must be there once, in order
and unchanged, and what was not acknowledged there as whole groups or not at all; the chain must be sound,
the answers of the groups be remembered, and writing must go on.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from zerokelvin.service.store.log import NewEvent, Remembered
from zerokelvin.service.store.log_end import EndFile, LogEnd
from zerokelvin.service.store.sqlite_log import SqliteLog
from zerokelvin.service.store.sqlite_store import SqliteStore
from zerokelvin.service.store.store_errors import StoreError
from zerokelvin.service.store_checks.recorded_disk import Cut, DiskReplay, RecordingDisk

__all__ = ["PowerCuts", "play_power_cuts"]

CUTS_PER_RUN = 40
GROUPS = 60
MEMORY = Path("/dev/shm")  # noqa: S108 - only looked at whether it is there: files in memory are faster


@dataclass
class PowerCuts:
    """How many cuts were played, in how many something acknowledged was lost, and what else was wrong.

    `unsynced` counts cuts at which some writes were under way and did not reach the disk as a whole.
    """

    cuts: int = 0
    losing: int = 0
    unsynced: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass
class _Run:
    """What was written in one run: the groups, and how many events there were after each."""

    disk: RecordingDisk
    groups: list[list[NewEvent]] = field(default_factory=list)
    ends: list[LogEnd] = field(default_factory=list)


def play_power_cuts(
    cuts: int, seed: int = 0, sync: bool = True, report: Callable[[int], object] | None = None
) -> PowerCuts:
    """Play that many power cuts.

    Parameters
    ----------
    cuts
        How many.
    seed
        Of everything that is drawn.
    sync
        False: with ``synchronous=NORMAL``, under which acknowledged events are lost; for checking the check.
    report
        Called with the number of cuts played so far.
    """
    found = PowerCuts()
    while found.cuts < cuts:
        number = seed + found.cuts // CUTS_PER_RUN
        chance = random.Random(f"{seed}-{number}")  # noqa: S311 - a simulation
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            _play_run(Path(folder), chance, sync, min(CUTS_PER_RUN, cuts - found.cuts), found, number)
        if report is not None:
            report(found.cuts)
    return found


def _play_run(
    folder: Path, chance: random.Random, sync: bool, cuts: int, found: PowerCuts, number: int
) -> None:
    run = _write(folder / "data", chance, sync)
    replay = DiskReplay(run.disk.before, run.disk.operations)
    moments = sorted(chance.randint(0, len(run.disk.operations)) for _ in range(cuts))
    for k, moment in enumerate(moments):
        replay.advance(moment)
        cut = replay.cut(chance)
        found.cuts += 1
        found.unsynced += cut.lost > 0
        place = folder / f"cut-{k}"
        said = run.ends[chance.randint(0, cut.note)] if cut.note else None
        lost, fault = _judge(place, cut, said, run.groups)
        found.losing += lost
        if fault and len(found.faults) < 20:
            found.faults.append(f"run {number}, cut {k} after operation {moment}: {fault}")


def _write(data: Path, chance: random.Random, sync: bool) -> _Run:
    """Make a project, and write to it on a recording disk."""
    store = SqliteStore(data)
    store.create("p", b"graph", NewEvent("created", b"{}", 0.0, "check")).close()
    store.close()
    folder = data / "projects" / "p"
    disk = RecordingDisk(folder)
    run = _Run(disk, ends=[LogEnd(1, b"")])
    large = chance.choice((100, 100, 5_000, 200_000))
    try:
        while len(run.groups) < GROUPS:
            log = SqliteLog(folder, "p", {}, disk.connect if sync else disk.connect_without_sync)
            log.lead()
            for _ in range(chance.randint(5, GROUPS)):
                group = len(run.groups) + 1
                size = chance.choice((1, 1, 2, 5, 32))
                events = [
                    NewEvent(
                        "label",
                        chance.randbytes(chance.randint(0, large // size)),
                        chance.random(),
                        str(group),
                    )
                    for _ in range(size)
                ]
                run.groups.append(events)
                last = log.append(events, [Remembered(f"key {group}", b"", 200, str(group).encode(), 0.0)])
                run.ends.append(LogEnd(last, log.chain(last)))
                disk.note(group)
            log.close()
    finally:
        disk.close()
    return run


def _judge(place: Path, cut: Cut, said: LogEnd | None, groups: list[list[NewEvent]]) -> tuple[bool, str]:
    """Whether something acknowledged was lost, and what is wrong ("" if nothing)."""
    place.mkdir()
    for name, content in cut.files.items():
        if name != "end":
            (place / name).write_bytes(content)
    acknowledged = sum(map(len, groups[: cut.note]))
    try:
        log = SqliteLog(place, "p", {})
        try:
            there = [NewEvent(e.kind, e.body, e.at, e.actor) for e in log.read()][1:]
            log.lead()
            log.append([NewEvent("after", b"", 0.0, "check")])
            remembered = [log.remembered(f"key {k + 1}") for k in range(len(groups))]
        finally:
            log.close()
        if said is not None and len(there) >= acknowledged:  # the small file beside it refuses nothing sound
            end = EndFile(place / "end")
            end.write(said)
            end.close()
            SqliteLog(place, "p", {}).close()
    except StoreError as problem:
        return True, str(problem)
    if len(there) < acknowledged:
        return True, f"{acknowledged} events were acknowledged, and {len(there)} are there"
    whole = 0
    written: list[NewEvent] = []
    while len(written) < len(there) and whole < len(groups):
        written += groups[whole]
        whole += 1
    if there != written:
        return False, f"the {len(there)} events are not the first {whole} groups"
    answered = [a is not None and a.answer == str(k + 1).encode() for k, a in enumerate(remembered)]
    if answered != [k < whole for k in range(len(groups))]:
        return False, f"{sum(answered)} answers are remembered for {whole} groups"
    return False, ""

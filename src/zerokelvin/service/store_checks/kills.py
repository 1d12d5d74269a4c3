"""kill -9 at random moments: what a killed process was told is written is there, once.

A process appends to a project and says what was acknowledged; this one counts, kills it, opens the store and
compares. The next process goes on with the same project.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from zerokelvin.service.store import NewEvent, open_store
from zerokelvin.service.store_checks.instance_watch import WatchedInstance, log_faults
from zerokelvin.service.store_checks.writing_instance import PROJECT

__all__ = ["Kills", "play_kills"]

LONGEST = 0.08
"""Seconds after its first event until a process is killed, at most."""

PATIENCE = 30.0


@dataclass
class Kills:
    """How many processes were killed, how many events they had written, and what was wrong."""

    kills: int = 0
    events: int = 0
    acknowledged: int = 0
    faults: list[str] = field(default_factory=list)


def play_kills(where: str, kills: int, seed: int = 0, report: Callable[[int], object] | None = None) -> Kills:
    """Kill that many processes that append to a new project in the store at `where`."""
    chance = random.Random(seed)  # noqa: S311 - a check
    found = Kills()
    store = open_store(where)
    store.create(PROJECT, b"graph", NewEvent("created", b"", 0.0, "check"))
    store.close()
    checked = 1
    while found.kills < kills and len(found.faults) < 20:
        process = WatchedInstance(where, f"process-{found.kills}")
        if not process.wait_for_groups(1, PATIENCE):
            found.faults.append(f"process {found.kills} wrote nothing: {process.last_words()}")
        time.sleep(chance.uniform(0, LONGEST))
        process.kill()
        found.kills += 1
        found.acknowledged += len(process.acknowledged)
        store = open_store(where)
        log = store.open(PROJECT)
        faults = log_faults(log, process.acknowledged, checked)
        found.faults += [f"kill {found.kills}: {fault}" for fault in faults]
        checked = found.events = log.length()
        kept = log.kept()
        if kept is not None and kept.events > checked:
            found.faults.append(f"kill {found.kills}: a snapshot is newer than the log")
        store.close()
        if report is not None:
            report(found.kills)
    store = open_store(where)
    found.faults += (
        [] if sum(1 for _ in store.open(PROJECT).read()) == found.events else ["events are missing"]
    )
    store.close()
    return found

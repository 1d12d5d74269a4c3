"""Instances that share a PostgreSQL server, the writer of which is killed, stopped or cut off.

Two processes want to write to one project. Again and again the one that does is killed, stopped (SIGSTOP, and
continued when the other has taken over), or has its connections ended by the server. The other must have
acknowledged an event within `LIMIT` seconds, the first must not write any more with its epoch, and whatever
either was told is written must be there once.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from zerokelvin.service.store import NewEvent, open_store
from zerokelvin.service.store.postgres.postgres_connections import connect_postgres
from zerokelvin.service.store_checks.instance_watch import WatchedInstance, log_faults
from zerokelvin.service.store_checks.writing_instance import PROJECT

__all__ = ["FAULTS", "Takeovers", "play_takeovers"]

LIMIT = 5.0
FAULTS = ("kill", "stop", "end the lock's connection", "end all connections")


@dataclass
class Takeovers:
    """How often the writer changed, how long that took at most by kind of fault, and what was wrong."""

    rounds: int = 0
    longest: dict[str, float] = field(default_factory=dict)
    events: int = 0
    epochs: int = 0
    faults: list[str] = field(default_factory=list)


def play_takeovers(
    url: str, rounds: int, seed: int = 0, report: Callable[[int], object] | None = None
) -> Takeovers:
    """Make the writer fail that many times, in a new project of the database at `url`."""
    chance = random.Random(seed)  # noqa: S311 - a check
    found = Takeovers()
    store = open_store(url)
    log = store.create(PROJECT, b"graph", NewEvent("created", b"", 0.0, "check"))
    instances = [WatchedInstance(url, "instance-0"), WatchedInstance(url, "instance-1")]
    ended: list[WatchedInstance] = []
    server = connect_postgres(url)
    try:
        while found.rounds < rounds and len(found.faults) < 20:
            leader, other = _roles(instances)
            if not leader.wait_for_groups(3, 2 * LIMIT) or not _settled(other):
                found.faults.append(f"round {found.rounds}: nobody writes: {leader.last_words()}")
                break
            time.sleep(chance.uniform(0, 0.2))
            kind = chance.choice(FAULTS)
            began = time.monotonic()
            _fail(leader, kind, server, log.name)
            if not other.wait_for_groups(1, LIMIT):
                found.faults.append(f"round {found.rounds}, {kind}: nobody took over within {LIMIT:.0f} s")
            took = time.monotonic() - began
            found.longest[kind] = max(took, found.longest.get(kind, 0.0))
            if kind == "stop":
                leader.send(signal.SIGCONT)
            if kind == "kill":
                ended.append(leader)
                instances = [other, WatchedInstance(url, f"instance-{found.rounds + 2}")]
            found.rounds += 1
            if report is not None:
                report(found.rounds)
    finally:
        for instance in instances:
            instance.send(signal.SIGCONT)
            instance.kill()
        server.close()
    told = [group for instance in (*ended, *instances) for group in instance.acknowledged]
    found.faults += log_faults(log, told)
    found.events = log.length()
    found.epochs = len({event.epoch for event in log.read()})
    store.close()
    return found


def _roles(instances: list[WatchedInstance]) -> tuple[WatchedInstance, WatchedInstance]:
    """The one that leads, with the newest epoch, and the other."""
    end = time.monotonic() + 2 * LIMIT
    while not any(instance.leading for instance in instances) and time.monotonic() < end:
        time.sleep(0.01)
    first, second = sorted(instances, key=lambda instance: (instance.leading, instance.epoch))
    return second, first


def _settled(other: WatchedInstance) -> bool:
    """Wait until the other one runs and knows that it does not lead."""
    end = time.monotonic() + 2 * LIMIT
    while other.leading and time.monotonic() < end:
        time.sleep(0.01)
    return not other.leading


def _fail(leader: WatchedInstance, kind: str, server: Any, project: str) -> None:
    if kind == "kill":
        leader.kill()
    elif kind == "stop":
        leader.send(signal.SIGSTOP)
    else:
        holder = server.execute("SELECT holder FROM projects WHERE name = %s", (project,)).fetchone()[0]
        if kind == "end the lock's connection":
            server.execute("SELECT pg_terminate_backend(backend) FROM instances WHERE name = %s", (holder,))
        else:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE starts_with(application_name, %s)",
                (f"zerokelvin {holder} ",),
            )

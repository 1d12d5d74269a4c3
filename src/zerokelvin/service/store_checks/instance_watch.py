"""Watching processes that write: what each was told is written, and whether the log agrees."""

from __future__ import annotations

import itertools
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from zerokelvin.service.store.log import Log, StoredEvent
from zerokelvin.service.store_checks.writing_instance import group_answer, group_events, instance_command

__all__ = ["Acknowledged", "WatchedInstance", "log_faults"]


class Acknowledged(NamedTuple):
    """A group of a process, and the number of its last event."""

    name: str
    group: int
    number: int


class WatchedInstance:
    """A process of `writing_instance`, and what it said."""

    def __init__(self, where: str, name: str) -> None:
        self.name = name
        self.acknowledged: list[Acknowledged] = []
        self.epoch = 0
        self.leading = False
        self.refused: list[str] = []
        self._heard = threading.Condition()
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            instance_command(where, name), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        for line in self._process.stdout:
            if not line.endswith("\n"):
                break
            words = line.split()
            with self._heard:
                if words[0] == "ack":
                    self.acknowledged.append(Acknowledged(self.name, int(words[1]), int(words[2])))
                elif words[0] == "lead":
                    self.epoch, self.leading = int(words[1]), True
                else:
                    self.leading = False
                    self.refused += [line.strip()] if words[0] == "refused" else []
                self._heard.notify_all()

    def wait_for_groups(self, more: int, seconds: float) -> bool:
        """Wait until that many more groups were acknowledged; whether they were in time."""
        end = time.monotonic() + seconds
        with self._heard:
            wanted = len(self.acknowledged) + more
            return self._heard.wait_for(lambda: len(self.acknowledged) >= wanted, end - time.monotonic())

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it at once, and hear what it had said."""
        self._process.kill()
        self._process.wait()
        self._listening.join()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def last_words(self) -> str:
        """What a process that ended by itself wrote to standard error; "" while it runs."""
        if self._process.poll() is None or self._process.stderr is None:
            return ""
        return self._process.stderr.read()[-500:]


def log_faults(log: Log, acknowledged: Iterable[Acknowledged], after: int = 1) -> list[str]:
    """What is wrong with the events behind `after`, given what was acknowledged of them.

    Nothing acknowledged may be missing or elsewhere than said, no event be there twice, no group in part or
    torn apart, no group without its answer, and no event of an older epoch behind one of a newer.
    """
    faults = []
    stored = list(log.read(after))
    twice = [body for body, n in Counter(event.body for event in stored).items() if n > 1]
    faults += [f"event {body!r} is there more than once" for body in twice[:3]]
    for before, event in itertools.pairwise(stored):
        if event.epoch < before.epoch:
            faults.append(f"event {event.number} has epoch {event.epoch} behind epoch {before.epoch}")
    ends = _group_ends(stored, faults)
    for name, group, number in acknowledged:
        if ends.get((name, group)) != number:
            faults.append(f"group {group} of {name} was acknowledged as event {number}, and is not there")
    for name, group in ends:
        if log.remembered(f"{name} {group}") != group_answer(name, group):
            faults.append(f"group {group} of {name} is there without its answer")
    return faults[:20]


def _group_ends(stored: list[StoredEvent], faults: list[str]) -> dict[tuple[str, int], int]:
    """The number of the last event of each group; groups that are not whole are faults."""
    ends: dict[tuple[str, int], int] = {}
    position = 0
    while position < len(stored):
        name, group, _, size = stored[position].body.decode().rsplit(" ", 3)
        here = [event.body for event in stored[position : position + int(size)]]
        if here != [event.body for event in group_events(name, int(group))]:
            faults.append(f"group {group} of {name} is not whole at event {stored[position].number}")
        ends[name, int(group)] = stored[position].number + int(size) - 1
        position += int(size)
    return ends

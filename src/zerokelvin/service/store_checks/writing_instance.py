"""A process that leads a project and appends to it until it is killed, saying what was acknowledged.

Run as ``python -m zerokelvin.service.store_checks.writing_instance WHERE NAME``. It writes lines to standard
output: ``lead EPOCH`` when it has become the writer, ``ack GROUP NUMBER`` after a group of events was
acknowledged, ``lost EPOCH`` when it found that another leads, ``refused REASON`` when something else went
wrong. Where another instance leads, it asks again every `ASK` seconds.

The events of a group carry the name of the process, the number of the group and their place in it, so that
whoever reads the log can tell what is missing, doubled or torn.
"""

from __future__ import annotations

import os
import random
import sys
import time

from zerokelvin.service.store import (
    Kept,
    LeadLost,
    LedElsewhere,
    Log,
    NewEvent,
    Remembered,
    StoreError,
    open_store,
)

__all__ = ["PROJECT", "GroupWriter", "group_answer", "group_events", "instance_command"]

PROJECT = "p"
ASK = 0.2
KEEP_EVERY = 97


def instance_command(where: str, name: str) -> list[str]:
    """The command that runs such a process."""
    return [sys.executable, "-m", __name__, where, name]


def group_events(name: str, group: int) -> list[NewEvent]:
    """The events of a group, the same whenever it is asked for."""
    size = random.Random(f"{name} {group}").choice((1, 1, 2, 3, 8))  # noqa: S311 - a check
    return [
        NewEvent("label", f"{name} {group} {place} {size}".encode(), float(group), name)
        for place in range(size)
    ]


def group_answer(name: str, group: int) -> Remembered:
    """The answer that is remembered with a group."""
    return Remembered(f"{name} {group}", b"", 200, str(group).encode(), float(group))


def say(*words: object) -> None:
    """Write a line that is either read as a whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def main() -> None:
    """Lead a project and append groups to its log, again and again, until the process is killed."""
    where, name = sys.argv[1:]
    writer = GroupWriter(open_store(where).open(PROJECT), name)
    while True:
        try:
            say("lead", writer.log.lead())
            writer.append_on()
        except LedElsewhere:
            time.sleep(ASK)
        except LeadLost as problem:
            say("lost", problem)
        except StoreError as problem:
            say("refused", problem)
            time.sleep(ASK)


class GroupWriter:
    """Appends groups, each once: one of which it is not known whether it was written is not sent again."""

    def __init__(self, log: Log, name: str) -> None:
        self.log = log
        self.name = name
        self.group = 0
        self._kept = 0

    def append_on(self) -> None:
        """Append groups until something is wrong."""
        while True:
            group = self.group
            self.group += 1
            number = self.log.append(group_events(self.name, group), [group_answer(self.name, group)])
            say("ack", group, number)
            if number - self._kept >= KEEP_EVERY:
                self.log.keep(Kept.of(number, self.log.chain(number), os.urandom(5000)))
                self._kept = number


if __name__ == "__main__":
    main()

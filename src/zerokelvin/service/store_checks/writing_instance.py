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
    StoreUnavailable,
    open_store,
)

__all__ = ["PROJECT", "ProcessLine", "group_answer", "group_events", "instance_command"]

PROJECT = "p"
ASK = 0.2
KEEP_EVERY = 97

ProcessLine = list[str]
"""The words of a line."""


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
    """Lead and append, for ever."""
    where, name = sys.argv[1:]
    log = open_store(where).open(PROJECT)
    group = 0
    while True:
        try:
            say("lead", log.lead())
            group = append_on(log, name, group)
        except LedElsewhere:
            time.sleep(ASK)
        except StoreUnavailable as problem:
            say("refused", problem)
            time.sleep(ASK)


def append_on(log: Log, name: str, group: int) -> int:
    """Append groups until another leads; returns the number of the next group."""
    kept = 0
    while True:
        try:
            number = log.append(group_events(name, group), [group_answer(name, group)])
        except LeadLost as problem:
            say("lost", problem)
            return group
        except (
            StoreError
        ) as problem:  # whether it was written is not known: the next group has another number
            say("refused", problem)
            return group + 1
        say("ack", group, number)
        group += 1
        if number - kept >= KEEP_EVERY:
            log.keep(Kept.of(number, log.chain(number), os.urandom(5000)))
            kept = number


if __name__ == "__main__":
    main()

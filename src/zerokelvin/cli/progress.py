"""A progress bar and the compilation notice, on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from zerokelvin.jit import on_compile

__all__ = ["COMPILING", "Report", "reporting"]

Report = Callable[[str, int, int | None], None]
"""Told of (task, steps done, steps in all or None); what follows " · " in a task may change as it goes on."""

EVERY = 30.0
"""Seconds between lines where there is no bar."""

COMPILING = "Compiling the learner's inner loop (once per installation) …"


@contextmanager
def reporting() -> Iterator[Report]:
    """Show what is being done: call the result with (task, steps done, steps in all or None).

    The bar appears only where standard error is a terminal, and goes when the block ends; elsewhere, in a log
    say, a line tells every half minute how far it is. The line about compilation appears wherever standard
    error goes, once, if something must be compiled.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    said, due = False, time.monotonic() + EVERY

    def say(line: str) -> None:
        with suppress(OSError):  # standard error may be closed or full
            console.print(line, markup=False)

    def compiling(_kernel: str) -> None:
        nonlocal said
        if not said:
            say(COMPILING)
        said = True

    tasks: dict[str, TaskID] = {}
    with (
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as progress,
        on_compile(compiling),
    ):

        def report(task: str, done: int, total: int | None) -> None:
            nonlocal due
            if not console.is_terminal and time.monotonic() >= due:
                due = time.monotonic() + EVERY
                say(f"{task}: {done:,}" + ("" if total is None else f" of {total:,}"))
            name = task.split(" · ", maxsplit=1)[0]
            if name not in tasks:
                tasks[name] = progress.add_task(task, total=total)
            progress.update(tasks[name], description=task, completed=done, total=total)

        yield report

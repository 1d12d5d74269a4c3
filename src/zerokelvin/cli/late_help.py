"""Options whose help text is put together when somebody asks for it.

A help text that lists what is registered, the policies or the peers, imports the room that registers them.
Such an option is declared with what to list, and looks it up when its line of ``--help`` is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["LateHelp"]


class LateHelp(click.Option):
    """An option whose help has a list in it: ``{}`` in `help` stands for what `listing` gives.

    >>> option = LateHelp(["--policy"], help="When to ask: {}.", listing=lambda: ["always", "random"])
    >>> option.get_help_record(click.Context(click.Command("run")))
    ('--policy TEXT', 'When to ask: always, random.')
    """

    def __init__(self, *declarations: Any, listing: Callable[[], list[str]], **options: Any) -> None:
        super().__init__(*declarations, **options)
        self._listing = listing

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help, as they stand in ``--help``."""
        if self.help is not None and "{}" in self.help:
            self.help = self.help.format(", ".join(self._listing()))
        return super().get_help_record(ctx)

"""What all commands share: --json, --debug, and errors as one sentence with exit code 2."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click
from click.shell_completion import shell_complete

from zerokelvin.cli.output import OutputError, say
from zerokelvin.errors import ZerokelvinError
from zerokelvin.startup import INTERRUPTED

__all__ = ["CommandLine", "common_options"]

BAD_INPUT = 2
NOT_WRITTEN = 1
COMPLETION = "_ZEROKELVIN_COMPLETE"  # what shells set when they ask for the words that may follow


class CommandLine(click.Group):
    """A group that lists its commands as its help text brings them up, and whose errors are one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the help text, then those it does not mention."""
        words = (self.help or "").split()
        return sorted(
            self.commands, key=lambda name: (words.index(name) if name in words else len(words), name)
        )

    def main(  # type: ignore[override]  # it never returns, so there is no mode in which it would
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **context: Any
    ) -> NoReturn:
        """Run a command and exit: 0 when done, 2 on bad input, 130 when interrupted.

        1 means that what was to be printed could not be: no one reads it any more, or the disk is full.
        Click's own loop is not used, since it writes an empty line when Ctrl-C falls into it.
        """
        name = prog_name or "zerokelvin"
        if instruction := os.environ.get(COMPLETION):
            sys.exit(shell_complete(self, context, name, COMPLETION, instruction))
        try:
            try:
                with self.make_context(
                    name, list(sys.argv[1:] if args is None else args), **context
                ) as scope:
                    self.invoke(scope)
                code = 0
            except click.exceptions.Exit as done:
                code = done.exit_code
            if sys.stdout is not None:
                sys.stdout.flush()
        except click.UsageError as problem:
            where = problem.ctx.command_path if problem.ctx is not None else "zerokelvin"
            _fail(f"{_sentence(problem.format_message())} See '{where} --help'.")
        except click.ClickException as problem:
            _fail(_sentence(problem.format_message()))
        except (click.Abort, EOFError, KeyboardInterrupt):
            say("Interrupted.")
            sys.exit(INTERRUPTED)
        except (OutputError, OSError) as problem:
            cause = problem.__cause__ if isinstance(problem, OutputError) else problem
            _mute()
            if not isinstance(cause, BrokenPipeError):  # else whoever read our output has gone
                say(f"Error: standard output cannot be written: {getattr(cause, 'strerror', cause)}.")
            sys.exit(NOT_WRITTEN)
        sys.exit(code)


def common_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --json, passed on as `as_json`, and --debug, which lets errors through with their traceback."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON value and nothing else.")
    @click.option("--debug", is_flag=True, help="Show where in the code an error came from.")
    @functools.wraps(command)
    def guarded(*args: Any, debug: bool, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            raise click.Abort from None
        except (ZerokelvinError, OSError, MemoryError) as problem:
            if debug:
                raise
            raise click.ClickException(_text(problem)) from None

    return guarded


def _text(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"'{problem.filename}' cannot be used: {(problem.strerror or 'input error').lower()}"
    if isinstance(problem, MemoryError):
        wanted = f" ({problem})" if str(problem) else ""
        return f"the memory of this machine is not enough for that{wanted}; ask for less"
    return str(problem)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", ")")) else f"{line}."


def _fail(text: str) -> NoReturn:
    say(f"Error: {text}")
    sys.exit(BAD_INPUT)


def _mute() -> None:
    """Send what is still in the buffer of standard output nowhere, so that no one trips over it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

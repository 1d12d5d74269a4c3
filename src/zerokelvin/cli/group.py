"""What all commands share: --json, --debug, and errors as one sentence with exit code 2."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from zerokelvin.errors import ZerokelvinError

__all__ = ["CommandLine", "common_options"]

BAD_INPUT = 2
INTERRUPTED = 130


class CommandLine(click.Group):
    """A group whose commands are listed as added, and whose errors are one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order they were added."""
        return list(self.commands)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit: 0 when done, 2 on bad input, 130 when interrupted."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.UsageError as problem:
            where = problem.ctx.command_path if problem.ctx is not None else "zerokelvin"
            _fail(f"{_sentence(problem.format_message())} See '{where} --help'.")
        except click.ClickException as problem:
            _fail(_sentence(problem.format_message()))
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has gone; say nothing more
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)


def common_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --json, passed on as `as_json`, and --debug, which lets errors through with their traceback."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON value and nothing else.")
    @click.option("--debug", is_flag=True, help="Show where in the code an error came from.")
    @functools.wraps(command)
    def guarded(*args: Any, debug: bool, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            raise
        except (ZerokelvinError, OSError) as problem:
            if debug:
                raise
            raise click.ClickException(_text(problem)) from None

    return guarded


def _text(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename is not None:
        return f"'{problem.filename}' cannot be used: {(problem.strerror or 'input error').lower()}"
    return str(problem)


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", ")")) else f"{line}."


def _fail(text: str) -> NoReturn:
    click.echo(f"Error: {text}", err=True)
    sys.exit(BAD_INPUT)

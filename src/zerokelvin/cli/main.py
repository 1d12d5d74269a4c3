"""The entry point: collects the commands and turns every error of the user into one sentence."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from zerokelvin import __version__
from zerokelvin.cli.commands import COMMANDS
from zerokelvin.cli.group import CommandLine
from zerokelvin.startup import INTERRUPTED, finish, interrupted, leave, watch

__all__ = ["cli", "main"]


@click.group(
    cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="zerokelvin", help="Show the version and exit.")
@click.pass_context
def cli(context: click.Context) -> None:
    """Predict the labels of a graph's nodes as they arrive, and ask only when it must.

    Nodes come one at a time. Each is predicted at once; its true label is asked for when the learner is
    unsure; every answer is learned from; and the proven bound stands beside the mistakes.

    \b
    Start here:
      zerokelvin demo                       see it at work on handwritten digits
      zerokelvin learners                   what can learn
      zerokelvin datasets                   what can be loaded by name
      zerokelvin predict edges.csv known.csv --out labels.csv   label the rest of your graph
      zerokelvin queue edges.csv known.csv  what to review next
      zerokelvin evaluate edges.csv labels.csv   how good that would be
      zerokelvin run edges.csv labels.csv   measure a learner on your own graph
      zerokelvin compare cora               all learners, and what you might use instead
      zerokelvin pack edges/*.parquet --out graph.zkg   a graph beyond memory
      zerokelvin serve --data projects      predictions and labels over HTTP, nothing lost
      zerokelvin reproduce table2           measure a paper's table again
      zerokelvin bench                      measure how fast it is
      zerokelvin check                      try every promise on games drawn at random
      zerokelvin warm                       compile ahead, so that nothing waits for it later

    Every command takes --json for one JSON value on standard output, and --help for its examples.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in COMMANDS.values():
    cli.add_command(command)


def main() -> None:
    """Run the command line with the arguments of this process, and end it."""
    watch()
    try:
        code = _run()
    except BaseException:
        if not interrupted():
            raise
        code = INTERRUPTED  # whatever the interrupt has led to
        with suppress(OSError):
            click.echo("Interrupted.", err=True)
    if code == INTERRUPTED:
        leave(code)  # without waiting for the threads of a pool
    sys.exit(code)


def _run() -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a ? instead
    try:
        cli()
    except SystemExit as done:
        finish()
        return done.code if isinstance(done.code, int) else 1
    return 0

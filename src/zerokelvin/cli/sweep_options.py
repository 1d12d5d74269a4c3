"""Where the games of a command are played: --jobs, --cluster, --results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from zerokelvin.cli.number_options import JOBS
from zerokelvin.cli.output import say

__all__ = ["sweep_options", "tell_of_results"]

Command = Callable[..., None]


def sweep_options(command: Command) -> Command:
    """Add --jobs, --cluster and --results, passed on together as `spread`."""

    @click.option("--jobs", type=JOBS, metavar="N", help="Play in N processes of this machine.")
    @click.option(
        "--cluster",
        metavar="WHERE",
        help="Play on a Dask cluster: local, local:N or tcp://HOST:PORT (zerokelvin[cluster]).",
    )
    @click.option(
        "--results",
        metavar="DIR",
        help="Keep each result in DIR as it comes; what is there is not computed again.  [default: with "
        "--jobs or --cluster the user's cache, else nothing is kept]",
    )
    @functools.wraps(command)
    def gathered(
        *args: Any, jobs: int | None, cluster: str | None, results: str | None, **given: Any
    ) -> None:
        from zerokelvin.sweeps.cells import Spread

        command(*args, spread=Spread(jobs, cluster, results), **given)

    return gathered


def tell_of_results(spread: Any) -> None:
    """Say on standard error how many results were computed, and where they are kept."""
    told = spread.told()
    if told:
        say(f"Results: {told}")

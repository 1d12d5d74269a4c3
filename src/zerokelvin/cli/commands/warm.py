"""``zerokelvin warm``: compile ahead, so that nobody waits for it later."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import Number
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting
from zerokelvin.errors import ParameterError

if TYPE_CHECKING:
    from zerokelvin.experiments.warming import Practised

__all__ = ["warm"]

JOBS = Number(1, 1024)


@click.command()
@click.argument("learner", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Compile what all learners need.")
@click.option("--jobs", type=JOBS, help="How many processes compile at a time.  [default: one per core]")
@common_options
def warm(learner: tuple[str, ...], everything: bool, jobs: int | None, as_json: bool) -> None:
    """Compile what a LEARNER needs, so that its first use does not have to.

    Inner loops are compiled when they are first used, once per installation, which takes from seconds to a
    minute. This does it ahead, for 'auto' unless learners are named, in as many processes as there are cores:
    in the build of a container, say. What is compiled already is not compiled again.

    \b
    Examples:
      zerokelvin warm
      zerokelvin warm perceptron pounce
      zerokelvin warm --all --jobs 4
      NUMBA_CACHE_DIR=/opt/kernels zerokelvin warm --json

    With --json: learners, kernels, seconds, practices; each of these has learner, work, kernels,
    seconds, note.

    Next: 'zerokelvin run GRAPH LABELS' starts at once.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments.warming import DEFAULT
    from zerokelvin.experiments.warming import warm as compile_ahead
    from zerokelvin.learners import names

    if everything and learner:
        raise ParameterError("learners are named and --all is given; use one of them.")
    chosen = list(names() if everything else learner or DEFAULT)
    began = time.perf_counter()
    with reporting() as report:
        done = compile_ahead(chosen, jobs, report)
    seconds, kernels = time.perf_counter() - began, sum(one.kernels for one in done)
    if as_json:
        print_json(
            {
                "learners": chosen,
                "kernels": kernels,
                "seconds": seconds,
                "practices": [one.as_dict() for one in done],
            }
        )
        return
    _show(done)
    where = os.environ.get("NUMBA_CACHE_DIR")
    kept = f"kept in {where}" if where else "kept with the installation or in the user's cache"
    print_text(f"{kernels} kernels compiled in {seconds:.0f} s, {kept}.")


def _show(done: list[Practised]) -> None:
    rows = [[one.learner, one.work, str(one.kernels), f"{one.seconds:.1f}", one.note] for one in done]
    print_table(["learner", "what it did", "kernels", "seconds", ""], rows, numbers=(2, 3))

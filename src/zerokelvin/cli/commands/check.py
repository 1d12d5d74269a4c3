"""``zerokelvin check``: the promises of every learner, tried on games drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import GAMES, SEED, Number
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

if TYPE_CHECKING:
    from zerokelvin.experiments.fuzzing import Tally

__all__ = ["check"]

BROKEN = 1
JOBS = Number(1, 1024)


@click.command()
@click.argument("learner", nargs=-1)
@click.option(
    "--games",
    type=GAMES,
    default=100,
    show_default=True,
    help="Games of each learner and promise.",
)
@click.option(
    "--promise", "promises", multiple=True, help="Try this promise only; may be given several times."
)
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="Number of the first game; a fault names its own.",
)
@click.option(
    "--jobs",
    type=JOBS,
    default=1,
    show_default=True,
    help="How many processes play at a time.",
)
@common_options
def check(
    learner: tuple[str, ...], games: int, promises: tuple[str, ...], seed: int, jobs: int, as_json: bool
) -> None:
    """Try what is promised of every LEARNER, all by default, on games drawn at random.

    Small graphs of many shapes (forests above all), orders, labels, policies, budgets, delays, repeats and
    noise: compiled play must be the step-by-step game and a session's, a bound that says it holds must hold,
    and so on. Faults are counted, and the first of them told with the number that draws its game again; the
    exit code is then 1.

    \b
    Examples:
      zerokelvin check
      zerokelvin check longest-path --games 10000 --jobs 2
      zerokelvin check --promise games --promise certificates --json

    Next: 'zerokelvin check LEARNER --games 1 --seed NUMBER' plays the game of a fault again.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.checks import PROMISES
    from zerokelvin.experiments.fuzzing import try_promises
    from zerokelvin.learners import names

    with reporting() as report:
        tallies = try_promises(learner or names(), promises or list(PROMISES), games, seed, jobs, report)
    faults = sum(tally.faults for tally in tallies)
    if as_json:
        print_json([tally.as_dict() for tally in tallies])
    else:
        print_table(
            ["learner", "promise", "games", "applied", "broken", "seconds"],
            [_row(tally) for tally in tallies],
            numbers=(2, 3, 4, 5),
        )
        for tally in tallies:
            for example in tally.examples:
                print_text(f"{tally.learner}, {tally.promise}: {example}")
        print_text(f"{sum(tally.games for tally in tallies)} games, {faults} broken promises.")
    if faults:
        raise SystemExit(BROKEN)


def _row(tally: Tally) -> list[str]:
    return [
        tally.learner,
        tally.promise,
        str(tally.games),
        str(tally.applied),
        str(tally.faults),
        f"{tally.seconds:.1f}",
    ]

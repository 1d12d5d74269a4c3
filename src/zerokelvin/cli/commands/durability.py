"""``zerokelvin durability``: whether the service's store keeps what it has acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import SEED, Number
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

if TYPE_CHECKING:
    from zerokelvin.service.store_checks.named_checks import CheckResult

__all__ = ["durability"]

LOST = 1
ROUNDS = Number(1, 10_000_000)
CHECKS = ("power-cuts", "kills", "takeovers")


@click.command()
@click.argument("check", nargs=-1, type=click.Choice(CHECKS))
@click.option("--rounds", type=ROUNDS, help="How many cuts, kills or takeovers.  [default: 1000, 100, 20]")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of all that is drawn.")
@click.option("--store", help="Where: a new folder, or the URL of a PostgreSQL database without projects.")
@common_options
def durability(
    check: tuple[str, ...], rounds: int | None, seed: int, store: str | None, as_json: bool
) -> None:
    """Try whether the store of the service keeps what it acknowledged: each CHECK named, or all.

    power-cuts: the power fails at a random moment, and any part of what was not synced is lost (SQLite).
    kills: a process that writes is killed. takeovers: of two instances on one PostgreSQL server the writer is
    killed, stopped or cut off. Nothing acknowledged may be missing, doubled or torn afterwards. Faults are
    counted, and the exit code is then 1.

    \b
    Examples:
      zerokelvin durability power-cuts --rounds 10000
      zerokelvin durability kills --rounds 1000 --store /srv/try
      zerokelvin durability takeovers --rounds 200 --store postgresql://localhost/try

    With --json: an array of objects with check, rounds, seconds, faults and what was counted.

    Next: 'zerokelvin bench service' measures how fast it is.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.service.store_checks.named_checks import run_check

    with reporting() as report:
        done = [run_check(name, rounds, seed, store, report) for name in check or CHECKS]
    if as_json:
        print_json([one.as_dict() for one in done])
    else:
        _show(done)
    if any(one.faults for one in done):
        raise SystemExit(LOST)


def _show(done: list[CheckResult]) -> None:
    rows = [
        [one.name, str(one.rounds), str(len(one.faults)), f"{one.seconds:.0f}", one.summary] for one in done
    ]
    print_table(["check", "rounds", "faults", "seconds", ""], rows, numbers=(1, 2, 3))
    for one in done:
        for fault in one.faults:
            print_text(f"{one.name}: {fault}")

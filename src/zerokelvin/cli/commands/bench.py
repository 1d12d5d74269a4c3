"""``zerokelvin bench``: how fast it is, as ratios in one run."""

from __future__ import annotations

import sys

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

__all__ = ["bench"]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--all", "everything", is_flag=True, help="Every speed goal in one table.")
@click.option("--check", is_flag=True, help="With --all: exit code 1 where a goal is missed or not measured.")
@click.option("--output", metavar="FILE", help="With --all: the file in which figures are kept, JSON.")
@click.option("--against", metavar="FILE", help="With --all: figures kept by another version, beside these.")
@common_options
def bench(
    name: str | None,
    arguments: tuple[str, ...],
    everything: bool,
    check: bool,
    output: str | None,
    against: str | None,
    as_json: bool,
) -> None:
    """List the speed benchmarks, or run the one called NAME with ARGUMENTS of its own.

    Every benchmark measures against a named alternative in the same run and prints ratios, so that
    its figures mean the same on any machine. With --all those that have a goal run one after the other;
    with NAME too, that one alone.

    \b
    Examples:
      zerokelvin bench
      zerokelvin bench solvers --sizes 10000 --families tree grid
      zerokelvin bench second-order --quick
      zerokelvin bench --all --output speeds.json
      zerokelvin bench --all --check --against speeds.json

    Next: 'zerokelvin bench NAME -- --help' lists the options of one benchmark.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.errors import ParameterError
    from zerokelvin.experiments.benchmarks import find_benchmarks, run_benchmark

    if everything:
        _measure_all(name, check, output, against, as_json)
        return
    for option, value in (("--check", check), ("--output", output), ("--against", against)):
        if value and name is None:
            raise ParameterError(f"{option} goes with --all; write zerokelvin bench --all {option}.")
    given = [*(["--check"] if check else []), *(["--output", output] if output else [])]
    given += ["--against", against] if against else []
    if name is None:
        known = find_benchmarks().values()
        if as_json:
            print_json([{"name": b.name, "summary": b.summary} for b in known])
            return
        print_table(["benchmark", "what it measures"], [[b.name, b.summary] for b in known])
        print_text("Run one: zerokelvin bench NAME")
        return
    result = run_benchmark(name, [*arguments, *given], capture=as_json)
    if as_json:
        lines = result.output.splitlines()
        print_json({"benchmark": result.name, "seconds": result.seconds, "output": lines})


def _measure_all(
    name: str | None, check: bool, output: str | None, against: str | None, as_json: bool
) -> None:
    from dataclasses import asdict
    from functools import partial

    from zerokelvin.errors import DataError, ParameterError
    from zerokelvin.experiments.speeds.speed_goals import (
        SOURCES,
        machine,
        measure_speeds,
        read_speeds,
        write_speeds,
    )
    from zerokelvin.io.writable import writable_file

    chosen = [source for source in SOURCES if name in (None, source.benchmark)]
    if not chosen:
        known = ", ".join(source.benchmark for source in SOURCES)
        raise ParameterError(f"benchmark '{name}' has no goal; those that have: {known}.")
    before = {} if against is None else read_speeds(against)
    if output is not None:
        writable_file(output)
    with reporting() as report:
        found = measure_speeds(chosen, report, None if output is None else partial(write_speeds, output))
    speeds = found.measured
    if len(found.failed) == len(chosen):
        raise DataError(found.failed[0].why)
    missed = [speed for speed in speeds if not speed.reached]
    if as_json:
        rows = [asdict(speed) | {"reached": speed.reached} for speed in speeds]
        for row in rows:
            row["before"] = before[row["what"]].measured if row["what"] in before else None
        failed = [asdict(one) for one in found.failed]
        print_json({"machine": machine(), "speeds": rows, "missed": len(missed), "failed": failed})
    else:
        heads = ["what", "measured", "goal", "verdict", *(["before"] if before else []), "command"]
        rows_shown = []
        for speed in speeds:
            cells = [speed.what, f"{speed.measured:.4g}", f"{speed.kind} {speed.goal:g}"]
            cells.append("reached" if speed.reached else "MISSED")
            if before:
                cells.append(f"{before[speed.what].measured:.4g}" if speed.what in before else "–")
            rows_shown.append([*cells, speed.command])
        print_table(heads, rows_shown, numbers=(1,))
        print_text(f"{len(speeds) - len(missed)} of {len(speeds)} goals reached on {machine()}.")
        for one in found.failed:
            print_text(f"Not measured: {one.command}. {one.why}")
    if check and (missed or found.failed):
        sys.exit(1)

"""``zerokelvin bench``: how fast it is, as ratios in one run."""

from __future__ import annotations

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.output import print_json, print_table, print_text

__all__ = ["bench"]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@common_options
def bench(name: str | None, arguments: tuple[str, ...], as_json: bool) -> None:
    """List the speed benchmarks, or run the one called NAME with ARGUMENTS of its own.

    Every benchmark measures against a named alternative in the same run and prints ratios, so that
    its figures mean the same on any machine.

    \b
    Examples:
      zerokelvin bench
      zerokelvin bench solvers --sizes 10000 --families tree grid
      zerokelvin bench second-order --quick

    Next: 'zerokelvin bench NAME -- --help' lists the options of one benchmark.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments.benchmarks import find_benchmarks, run_benchmark

    if name is None:
        known = find_benchmarks().values()
        if as_json:
            print_json([{"name": b.name, "summary": b.summary} for b in known])
            return
        print_table(["benchmark", "what it measures"], [[b.name, b.summary] for b in known])
        print_text("Run one: zerokelvin bench NAME")
        return
    result = run_benchmark(name, list(arguments), capture=as_json)
    if as_json:
        output = result.output.splitlines()
        print_json({"benchmark": result.name, "seconds": result.seconds, "output": output})

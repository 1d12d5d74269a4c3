"""``zerokelvin learners``: what can learn, with parameters and papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from zerokelvin.experiments import LearnerInfo

__all__ = ["learners"]


@click.command()
@click.argument("name", required=False)
@common_options
def learners(name: str | None, as_json: bool) -> None:
    """List the learners, or explain the one called NAME.

    The list shows each learner's parameters with their defaults and the paper it comes from. With a
    NAME: what it is for, when to choose it, what it costs, how it works, its bound, what every parameter
    does, and an example.

    \b
    Examples:
      zerokelvin learners
      zerokelvin learners perceptron
      zerokelvin learners --json

    Next: measure one with 'zerokelvin run GRAPH --learner NAME --param name=value'.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import describe_learner, list_learners

    if name is not None:
        info = describe_learner(name)
        print_json(info.as_dict()) if as_json else print_text(info.text)
        return
    known = list_learners()
    if as_json:
        print_json([info.as_dict() for info in known])
        return
    rows = [[info.name, info.summary, _parameters(info), info.reference] for info in known]
    print_table(["learner", "what it is", "parameters", "paper"], rows)
    print_text("More: zerokelvin learners NAME")


def _parameters(info: LearnerInfo) -> str:
    return "\n".join(f"{name}={default}" for name, default in info.parameters.items())

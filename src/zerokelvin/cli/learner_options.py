"""The options that choose a learner and when it asks: --learner, --param, --policy, --cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from zerokelvin.cli.late_help import LateHelp

__all__ = ["grid_options", "learner_options", "policy_option"]

Command = Callable[..., None]


def learner_options(command: Command) -> Command:
    """Add --learner and --param, passed on as `learner` and `assignments`."""
    return _learner_options(command, "A parameter of the learner; may be repeated.")


def grid_options(command: Command) -> Command:
    """The same where a parameter may have several values, NAME=V1,V2,...: all combinations are played."""
    return _learner_options(
        command, "A parameter of the learner; may be repeated. NAME=V1,V2,... plays each value."
    )


def _learner_options(command: Command, about: str) -> Command:
    named = click.option(
        "--learner", default="auto", show_default=True, help="A name 'zerokelvin learners' lists."
    )
    parameter = click.option(
        "--param",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help=about,
    )
    return named(parameter(command))


def policy_option(default: str) -> Callable[[Command], Command]:
    """Add --policy with its default, and --cost, which makes a policy of prices."""
    options: dict[str, Any] = {"default": default, "show_default": True, "metavar": "POLICY"}
    about = "When to ask for a label: {}."

    def add(command: Command) -> Command:
        chosen = click.option(
            "--policy", cls=LateHelp, listing=_policies, help=about, callback=_priced, **options
        )
        return chosen(_COST(command))

    return add


def _kept(context: click.Context, _: click.Parameter, prices: tuple[str, ...]) -> None:
    """Keep the prices for the policy, which is read later."""
    context.meta[COSTS] = prices


def _priced(context: click.Context, _: click.Parameter, policy: str) -> str:
    """The policy, or that of the prices."""
    prices: tuple[str, ...] = context.meta.get(COSTS, ())
    if not prices:
        return policy
    if context.get_parameter_source("policy") is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError(f"--cost decides when to ask; leave --policy {policy} out, or the costs.")
    from zerokelvin.asking import Costs
    from zerokelvin.errors import ParameterError

    named = [price.partition("=") for price in prices]
    ordered = sorted(named, key=lambda price: price[0] == "class")  # a class may hold commas: it comes last
    try:
        return str(Costs.written(",".join("".join(price) for price in ordered)))
    except ParameterError as error:
        raise click.UsageError(f"--cost: {error}") from None


COSTS = "zerokelvin.costs"
"""Under which name a command keeps its prices."""

_COST = click.option(
    "--cost",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_kept,
    metavar="NAME=PRICE",
    help="What a miss, an alarm and a question (ask) cost, which then decide; class=CLASS may be named.",
)


def _policies() -> list[str]:
    from zerokelvin.asking import POLICIES

    return POLICIES.forms

"""The options that choose a learner and when it asks: --learner, --param, --policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from zerokelvin.cli.late_help import LateHelp

__all__ = ["learner_options", "policy_option"]

Command = Callable[..., None]


def learner_options(command: Command) -> Command:
    """Add --learner and --param, passed on as `learner` and `assignments`."""
    named = click.option(
        "--learner", default="auto", show_default=True, help="A name 'zerokelvin learners' lists."
    )
    parameter = click.option(
        "--param",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of the learner; may be repeated.",
    )
    return named(parameter(command))


def policy_option(default: str) -> Callable[[Command], Command]:
    """Add --policy with its default."""
    options: dict[str, Any] = {"default": default, "show_default": True, "metavar": "POLICY"}
    about = "When to ask for a label: {}."
    return click.option("--policy", cls=LateHelp, listing=_policies, help=about, **options)


def _policies() -> list[str]:
    from zerokelvin.asking import POLICIES

    return POLICIES.forms

"""Schemas that grow: numbered steps, each run once, in one transaction with the number it leads to.

A step never changes once it was released; a new shape of the tables is one more step at the end. Data that
were written by a newer version, with steps that are not known here, are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from zerokelvin.service.store.store_errors import SchemaTooNew

__all__ = ["Migration", "migrate"]


class Migration(NamedTuple):
    """A step: what it does in a few words, and its statements."""

    summary: str
    statements: tuple[str, ...]


def migrate(steps: Sequence[Migration], version: int, what: str, execute: Callable[[str], object]) -> int:
    """Run the steps behind `version` by `execute`, inside a transaction of the caller.

    Parameters
    ----------
    steps
        All steps, the first of which leads to version 1.
    version
        Where the data stand; 0 if they are new.
    what
        Which data, for the error.
    execute
        Runs one statement.

    Returns
    -------
    The version they stand at now.

    Examples
    --------
    >>> steps = [Migration("table", ("create table t(x)",)), Migration("index", ("create index i on t(x)",))]
    >>> migrate(steps, 1, "example", print)
    create index i on t(x)
    2
    """
    if version > len(steps):
        raise SchemaTooNew(
            f"{what} has schema version {version}, and this zerokelvin knows versions up to {len(steps)}; "
            "start the newer zerokelvin that wrote it, or restore a backup made before the upgrade."
        )
    for step in steps[version:]:
        for statement in step.statements:
            execute(statement)
    return len(steps)

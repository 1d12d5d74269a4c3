"""What was read from a file, to be announced: which columns, how many rows, and what was left out.

Every reader hands a `ReadReport` to the function given as ``report=`` and logs its sentence, at level INFO,
on the logger ``zerokelvin.io``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from zerokelvin.io.limits import short

__all__ = ["ReadReport", "Reporter", "announce"]

_LOGGER = logging.getLogger("zerokelvin.io")
_SHOWN = 8


@dataclass(frozen=True)
class ReadReport:
    """What a reader took from one file; as text, one sentence.

    Attributes
    ----------
    path
        The file.
    columns
        For tables: the name (or, without a header, the position) of the column in each role: source, target
        and weight, or node and label.
    unread
        For tables: the columns that were not read.
    rows
        For tables: how many rows there are, a header not counted.
    dropped
        For tables: how many rows were dropped, by reason.
    holds
        What was found, by kind: nodes and edges, or labels and classes.
    note
        Something to look at, or empty.

    Examples
    --------
    >>> columns = {"source": "payer", "target": "payee", "weight": "amount"}
    >>> print(ReadReport(Path("edges.csv"), columns, rows=200_000, dropped={"self-loops": 3}))
    edges.csv: source = payer, target = payee, weight = amount, 3 of 200,000 rows dropped: self-loops.
    """

    path: Path
    columns: Mapping[str, str | int] = field(default_factory=dict)
    unread: tuple[str | int, ...] = ()
    rows: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    holds: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        roles = [f"{role} = {_column(name)}" for role, name in self.columns.items()]
        parts = [", ".join([*roles, self._rows()])] if roles else []
        if self.unread:
            more = f" and {len(self.unread) - _SHOWN:,} more" if len(self.unread) > _SHOWN else ""
            parts.append(f"not read: {', '.join(map(_column, self.unread[:_SHOWN]))}{more}")
        if self.holds:
            parts.append(", ".join(f"{count:,} {kind}" for kind, count in self.holds.items()))
        return f"{self.path.name}: {'; '.join(parts)}. {self.note}".rstrip()

    def _rows(self) -> str:
        """How many rows there were, and how many were dropped and why, in words."""
        count = sum(self.dropped.values())
        if not count:
            return f"{self.rows:,} rows"
        reasons = list(self.dropped)
        why = reasons[0] if len(reasons) == 1 else ", ".join(f"{n:,} {r}" for r, n in self.dropped.items())
        return f"{count:,} of {self.rows:,} rows dropped: {why}"


Reporter = Callable[[ReadReport], None]


def announce(found: ReadReport, report: Reporter | None) -> None:
    """Log what was read, and pass it to the caller's `report` where there is one."""
    _LOGGER.info("%s", found)
    if report is not None:
        report(found)


def _column(name: str | int) -> str:
    """A column by name or position, for a sentence."""
    return f"column {name}" if isinstance(name, int) else short(name, 40) or "''"

"""Cells of tables as plain numbers: dates and times as days since 1970, durations as days.

A time without a zone counts as UTC, a time of day as a share of a day. Decimals become floats; whatever else
a cell holds stays as it is.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["days_of_text", "plain_number"]

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plain_number(cell: Any) -> Any:
    """A date, time, duration or decimal as a float, anything else as it is.

    >>> plain_number(date(1970, 1, 3)), plain_number(timedelta(hours=12)), plain_number("1970")
    (2.0, 0.5, '1970')
    """
    if hasattr(cell, "dtype") and getattr(cell.dtype, "kind", "") in "mM":
        cell = cell.astype(f"{cell.dtype.kind}8[us]").item()
    if isinstance(cell, datetime):
        at = cell.replace(tzinfo=UTC) if cell.tzinfo is None else cell
        return float((at - EPOCH) / DAY)
    if isinstance(cell, date):
        return float(cell.toordinal() - EPOCH.toordinal())
    if isinstance(cell, timedelta):
        return cell / DAY
    if isinstance(cell, time):
        return timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second) / DAY
    return float(cell) if isinstance(cell, Decimal) else cell


def days_of_text(text: str) -> float | None:
    """The days since 1970 of a date or time written as ISO 8601 has it, with hyphens; None of any other text.

    >>> days_of_text("1970-01-03T12:00"), days_of_text("tomorrow")
    (2.5, None)
    """
    try:
        return float(plain_number(datetime.fromisoformat(text.strip()))) if "-" in text else None
    except ValueError:
        return None

"""Precision and recall of every class, as the table that several commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerokelvin.cli.output import percent, print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["print_classes"]

SHOWN = 20
"""Classes that are listed; of more, the most frequent."""


def print_classes(rows: Sequence[dict[str, Any]]) -> None:
    """Print rows with label, count, precision, recall and f1, the most frequent classes first."""
    ordered = sorted(rows, key=lambda row: -row["count"])
    cells = [
        [
            str(row["label"]),
            f"{row['count']:,.0f}",
            percent(row["precision"]),
            percent(row["recall"]),
            f"{row['f1']:.3f}",
        ]
        for row in ordered[:SHOWN]
    ]
    print_table(["class", "nodes", "precision", "recall", "F1"], cells, numbers=(1, 2, 3, 4))
    if len(ordered) > SHOWN:
        print_text(f"{len(ordered) - SHOWN:,} rarer classes are not listed; --json has all.")

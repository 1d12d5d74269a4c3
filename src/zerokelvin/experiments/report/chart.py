"""What a picture of the report shows, as plain values: curves and marks, points in the plane, a heat map.

A chart is kept with the result it belongs to and drawn when the page is written
(`zerokelvin.experiments.report.svg`), so that a change of style computes nothing anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from zerokelvin.array_types import Ints

__all__ = ["curves", "heat_map", "plane"]


def curves(
    title: str,
    x: str,
    y: str,
    series: Mapping[str, Sequence[Sequence[Any]]],
    *,
    log_x: bool = False,
    log_y: bool = False,
    dashed: Sequence[str] = (),
    loose: bool = False,
    diagonal: str = "",
    caption: str = "",
) -> dict[str, Any]:
    """Curves by name, each a list of (x, y) or (x, y, text on hover); `loose` marks are not joined.

    `dashed` names the curves that are bounds; `diagonal` names the line y = x, drawn where given.
    """
    named = [
        {"name": name, "points": [_numbers(point) for point in points], "dashed": name in dashed}
        for name, points in series.items()
    ]
    return {
        "kind": "curves",
        "title": title,
        "x": x,
        "y": y,
        "series": named,
        "log_x": log_x,
        "log_y": log_y,
        "loose": loose,
        "diagonal": diagonal,
        "caption": caption,
    }


def plane(
    title: str,
    points: Sequence[Sequence[Any]],
    classes: Sequence[str],
    *,
    edges: Iterable[Sequence[int]] | Ints = (),
    circles: Sequence[Sequence[Any]] = (),
    caption: str = "",
) -> dict[str, Any]:
    """Points (x, y, number of the class, text on hover), edges between them, circles (x, y, radius, text)."""
    return {
        "kind": "plane",
        "title": title,
        "points": [[*_numbers(point[:2]), int(point[2]), str(point[3])] for point in points],
        "classes": list(classes),
        "edges": [[int(a), int(b)] for a, b in edges],
        "circles": [[*_numbers(circle[:3]), str(circle[3])] for circle in circles],
        "caption": caption,
    }


def heat_map(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    digits: int = 3,
    caption: str = "",
    best: str = "low",
) -> dict[str, Any]:
    """A value for every row and column, None where there is none; `best` is ``"low"`` or ``"high"``."""
    return {
        "kind": "heat",
        "title": title,
        "rows": list(rows),
        "columns": list(columns),
        "values": [[None if v is None else float(v) for v in row] for row in values],
        "digits": digits,
        "caption": caption,
        "best": best,
    }


def _numbers(point: Sequence[Any]) -> list[Any]:
    return [value if isinstance(value, str) else float(value) for value in point]

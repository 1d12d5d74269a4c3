"""Which columns of a table are the two nodes and the weight, and whether its first row is a header.

Columns are given by name or by position. By default the nodes are a pair of columns with usual names
(source and target, from and to, …) or else the first two, and the weight is a column called weight, w
or value, or else the third column if it holds numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.io.text import TextTable, is_number

__all__ = [
    "NODE_PAIRS",
    "WEIGHT_WORDS",
    "Column",
    "find_column",
    "has_header",
    "node_columns",
    "require_distinct",
    "weight_column",
]

Column = str | int

NODE_PAIRS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("node1", "node2"),
    ("fromnodeid", "tonodeid"),
    ("source_id", "target_id"),
)
WEIGHT_WORDS = ("weight", "w", "value")


def has_header(table: TextTable, words: Sequence[str]) -> bool:
    """Whether the first row looks like a header.

    It does when it holds source and target, or one of `words`, or when some column holds a number in
    every other row but not in the first. But save for source and target, a row is no header when one of
    its first two cells stands in those columns again.
    """
    first, rest = [cell.lower() for cell in table.first[0]], table.first[1:]
    if "source" in first and "target" in first and "source" in words:
        return True
    below = {cell for row in rest for cell in row[:2]}
    if any(cell in below for cell in table.first[0][:2]):
        return False
    if any(cell in words for cell in first):
        return True
    for position, cell in enumerate(first):
        others = [row[position] for row in rest if position < len(row) and row[position]]
        if cell and others and not is_number(cell) and all(is_number(other) for other in others):
            return True
    return False


def find_column(column: Column, names: Sequence[str], path: Path) -> int:
    """Position of a column given by name or by position (from 0)."""
    if isinstance(column, str):
        if column in names:
            if list(names).count(column) > 1:
                raise DataError(f"'{path}' has several columns '{column}'; give the position of one, from 0.")
            return list(names).index(column)
        raise DataError(f"'{path}' has no column '{column}'; its columns are {', '.join(names)}.")
    if not 0 <= column < len(names):
        raise DataError(f"'{path}' has no column {column}; its {len(names)} columns are numbered from 0.")
    return int(column)


def require_distinct(names: Sequence[str], path: Path) -> None:
    """Refuse a table that can only be read by column names and has one of them twice."""
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise DataError(f"'{path}' has several columns '{twice}'; rename them.")


def node_columns(
    source: Column | None, target: Column | None, names: Sequence[str], path: Path
) -> tuple[int, int]:
    """Positions of the two node columns, as given or by default."""
    if len(names) < 2:
        raise DataError(
            f"'{path}' has one column only, '{names[0] if names else ''}', and an edge needs two nodes; "
            "check the delimiter."
        )
    lower = [name.lower() for name in names]
    pairs = ((lower.index(a), lower.index(b)) for a, b in NODE_PAIRS if a in lower and b in lower)
    default = next(pairs, (0, 1))
    first = default[0] if source is None else find_column(source, names, path)
    second = default[1] if target is None else find_column(target, names, path)
    if first == second:
        raise DataError(
            f"column '{names[first]}' of '{path}' is both source and target; name two different columns."
        )
    return first, second


def weight_column(
    weight: Column | bool | None, names: Sequence[str], nodes: tuple[int, int], numeric: bool, path: Path
) -> int | None:
    """Position of the weight column, or None; `numeric` says whether the third column holds numbers."""
    if weight is False:
        return None
    if weight is not None and weight is not True:
        return find_column(weight, names, path)
    lower = [name.lower() for name in names]
    named = [lower.index(word) for word in WEIGHT_WORDS if word in lower and lower.index(word) not in nodes]
    if named:
        return named[0]
    if numeric and 2 not in nodes:
        return 2
    if weight is True:
        raise DataError(f"'{path}' has no weight column; name it with weight=.")
    return None

"""Which columns of a table of edges are the two nodes and the weight; what is not plain is refused.

Columns are given by name or by position from 0. Otherwise they are plain

- with a header, where exactly one pair of names is known (source and target, from and to, …), and the weight
  is called weight (or w, value) or no other column holds numbers;
- without a header, where there are two columns, or three of which the last holds numbers that do not look
  like times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.graph.edge_columns import known_pair, known_weights, plain_name
from zerokelvin.io.limits import short

__all__ = ["Column", "EdgeColumns", "edge_columns", "find_column", "listed", "require_distinct"]

Column = str | int

_NO_WEIGHTS = frozenset({"", "unnamed:0", "index", "id", "edgeid", "eid", "key"})
_OPTIONS = "source= and target= (--source, --target on the command line)"


@dataclass(frozen=True)
class EdgeColumns:
    """Positions of the two nodes and the weight, the latter None where there is none."""

    nodes: tuple[int, int]
    weight: int | None

    def roles(self, names: Sequence[Column]) -> dict[str, Column]:
        """The name of the column in each role."""
        found = {"source": names[self.nodes[0]], "target": names[self.nodes[1]]}
        return found if self.weight is None else found | {"weight": names[self.weight]}

    def unread(self, names: Sequence[Column]) -> tuple[Column, ...]:
        """The names of the columns that have no role, in their order."""
        return tuple(name for i, name in enumerate(names) if i not in (*self.nodes, self.weight))


def edge_columns(
    names: Sequence[str] | None,
    width: int,
    given: tuple[Column | None, Column | None, Column | bool | None],
    numeric: Callable[[int], bool],
    timed: Callable[[int], bool],
    path: Path,
    *,
    text: bool = True,
) -> EdgeColumns:
    """Choose the columns of a table of edges.

    Parameters
    ----------
    names
        The header, or None.
    width
        The number of columns.
    given
        Source, target and weight as the caller gave them.
    numeric, timed
        Whether the column at a position holds numbers, or what looks like times.
    path
        Where the table is, for the error messages.
    text
        Whether it is a text file, whose header may be in doubt.
    """
    source, target, weight = given
    header = [str(i) for i in range(width)] if names is None else names
    if width < 2:
        raise DataError(
            f"'{path}' has one column only, '{short(header[0] if header else '')}', and an edge needs "
            "two nodes; check the delimiter."
        )
    ends = (
        None if source is None else find_column(source, header, path),
        None if target is None else find_column(target, header, path),
    )
    doubt = ", or say header=False (--no-header) if the first row is an edge" if text else ""
    nodes = _nodes(names, width, ends, numeric, timed, path, doubt)
    if nodes[0] == nodes[1]:
        raise DataError(
            f"column '{short(header[nodes[0]])}' of '{path}' is both source and target; name two "
            "different columns."
        )
    if weight is False:
        return EdgeColumns(nodes, None)
    if weight is not None and weight is not True:
        chosen = find_column(weight, header, path)
        if chosen in nodes:
            raise DataError(
                f"column '{short(header[chosen])}' of '{path}' is both a node and the weight; name "
                "another one."
            )
        return EdgeColumns(nodes, chosen)
    if names is None and width == 3 and ends == (None, None):
        return EdgeColumns(nodes, 2)
    known = [] if names is None else known_weights(names, nodes)
    if len(known) == 1:
        return EdgeColumns(nodes, known[0])
    ignored = () if names is None else [i for i in range(width) if plain_name(names[i]) in _NO_WEIGHTS]
    unclear = known or [i for i in range(width) if i not in nodes and i not in ignored and numeric(i)]
    if unclear:
        raise DataError(
            f"'{path}' has {listed(names, width)}, and it is not plain whether "
            f"{_name(names, unclear[0])} is the weight; give weight= (--weight) with its name or "
            "position, or weight=False (--weight none)."
        )
    if weight is True:
        raise DataError(f"'{path}' has no weight column; name it with weight=.")
    return EdgeColumns(nodes, None)


def find_column(column: Column, names: Sequence[str], path: Path) -> int:
    """Position of a column given by name or by position (from 0)."""
    if isinstance(column, str):
        if column in names:
            if list(names).count(column) > 1:
                raise DataError(f"'{path}' has several columns '{column}'; give the position of one, from 0.")
            return list(names).index(column)
        raise DataError(
            f"'{path}' has no column '{short(column)}'; its columns are "
            f"{listed(names, len(names), bare=True)}."
        )
    if isinstance(column, bool) or not 0 <= column < len(names):
        raise DataError(f"'{path}' has no column {column}; its {len(names)} columns are numbered from 0.")
    return int(column)


def require_distinct(names: Sequence[str], path: Path) -> None:
    """Refuse a table that can only be read by column names and has one of them twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"'{path}' has several columns '{short(name)}'; rename them.")
        seen.add(name)


def listed(names: Sequence[str] | None, width: int, *, bare: bool = False) -> str:
    """The columns of a table, named or counted, for a sentence."""
    if names is None:
        return f"{width} columns without a header"
    text = ", ".join(short(name, 30) or "''" for name in names[:12])
    text += f" and {len(names) - 12:,} more" if len(names) > 12 else ""
    return text if bare else f"the columns {text}"


def _nodes(
    names: Sequence[str] | None,
    width: int,
    ends: tuple[int | None, int | None],
    numeric: Callable[[int], bool],
    timed: Callable[[int], bool],
    path: Path,
    doubt: str,
) -> tuple[int, int]:
    """The positions of the source and the target: as given, else by name, else the first of two or three."""
    first, second = ends
    if first is not None and second is not None:
        return first, second
    known = None if names is None else known_pair(names)
    if first is None and second is None:
        if known is not None:
            return known
        if names is not None:
            raise DataError(
                f"'{path}' has {listed(names, width)}, of which no two are plainly source and target; name "
                f"them with {_OPTIONS}{doubt}."
            )
        if (width == 2 and timed(0) == timed(1)) or (
            width == 3 and numeric(2) and timed(0) == timed(1) and not timed(2)
        ):
            return 0, 1
        raise DataError(
            f"'{path}' has {listed(names, width)}, and it is not plain which hold the nodes and the weight; "
            f"give positions from 0 with {_OPTIONS} and weight= (--weight), or header=True (--header) if "
            "the first row names them."
        )
    missing = "source" if first is None else "target"
    one = second if first is None else first
    named = None if known is None else known[0] if first is None else known[1]
    other = named if named != one else None
    if other is None and width == 2 and one is not None:
        other = 1 - one
    if other is None or one is None:
        raise DataError(
            f"'{path}' has {listed(names, width)}, and it is not plain which is the {missing}; name it with "
            f"{missing}= (--{missing})."
        )
    return (other, one) if first is None else (one, other)


def _name(names: Sequence[str] | None, position: int) -> str:
    """A column by name, or by position where there are no names, for a sentence."""
    return f"column {position}" if names is None else f"'{short(names[position], 30)}'"

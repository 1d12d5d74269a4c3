"""Parquet parts with edges, as one relation of DuckDB, whatever types each part has its columns in.

DuckDB reads many files with the types of the first, and rounds the weights of all others to whole numbers
where that one has such. So parts are read by their types, each kind by itself, and joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from zerokelvin.errors import DataError
from zerokelvin.io.formats.table_columns import Column, edge_columns
from zerokelvin.io.packs.sql_text import file_list, quoted

__all__ = ["ParquetEdges", "parquet_edges"]

ParquetEdges = tuple[str, dict[str, Column], bool, bool]
"""A relation with columns u, v and, if there are weights, w; the columns by role; whether all names are
whole numbers; whether there are weights."""


def parquet_edges(found: Sequence[Path], given: tuple[Any, Any, Any]) -> ParquetEdges:
    """The edges of parquet files with the columns that the first of them has."""
    schemas = [_schema(path) for path in found]
    schema = schemas[0]
    kinds = [field.type for field in schema]

    def numeric(i: int) -> bool:
        kind = kinds[i]
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        return bool(number or pa.types.is_temporal(kind))

    chosen = edge_columns(schema.names, len(schema), given, numeric, lambda i: False, found[0], text=False)
    places = [*chosen.nodes] if chosen.weight is None else [*chosen.nodes, chosen.weight]
    wanted = [schema.names[i] for i in places]
    groups: dict[tuple[str, ...], list[Path]] = {}
    whole = True
    for path, other in zip(found, schemas, strict=True):
        missing = [name for name in wanted if name not in other.names]
        if missing:
            raise DataError(f"'{path}' has no column '{missing[0]}', which '{found[0]}' has.")
        numbers = [_is_whole(other.field(name).type, path, name) for name in wanted[:2]]
        whole = whole and all(numbers)
        groups.setdefault(tuple(str(other.field(name).type) for name in wanted), []).append(path)
    name = "" if whole else "::VARCHAR"
    u, v, *weight = (quoted(column, '"') for column in wanted)
    columns = f"{u}{name} AS u, {v}{name} AS v{f', CAST({weight[0]} AS DOUBLE) AS w' if weight else ''}"
    reads = [f"SELECT {columns} FROM read_parquet({file_list(paths)})" for paths in groups.values()]
    return f"({' UNION ALL '.join(reads)})", chosen.roles(list(schema.names)), whole, bool(weight)


def _schema(path: Path) -> Any:
    """The columns of a file."""
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"'{path}' cannot be read as parquet: {str(problem).rstrip('.')}.") from None


def _is_whole(kind: Any, path: Path, name: str) -> bool:
    """Whether a column of names holds whole numbers; anything but these and texts is refused."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return True
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return False
    raise DataError(
        f"column '{name}' of '{path}' holds {kind}; node names are integers or strings, so cast the column "
        "or name another."
    )

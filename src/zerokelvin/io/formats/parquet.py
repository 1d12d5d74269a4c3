"""Columns of a parquet file: chosen from its schema, their size checked before they are read and decoded.

A parquet file squeezes repeated values into almost nothing: a billion equal rows take a kilobyte. So the
rows and the bytes it declares are checked first, text is read as codes into a dictionary, and what these
would take as plain text is counted before they are decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from zerokelvin.errors import DataError
from zerokelvin.io.files import existing_file
from zerokelvin.io.formats.table_columns import require_distinct
from zerokelvin.io.limits import Limits, short

__all__ = ["read_columns"]

_CELL = 8  # bytes a value or a code takes at most, text apart


def read_columns(
    path: Path, choose: Callable[[Any], list[int]], limits: Limits
) -> tuple[list[str], dict[int, Any]]:
    """The names of all columns, and by position the columns that `choose` picks from the schema."""
    existing_file(path)
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            limits.check("columns", len(schema), path)
            require_distinct(schema.names, path)
            chosen = sorted(set(choose(schema)))
            names = [schema.names[i] for i in chosen]
            _check_size(file.metadata, names, limits, path)
        texts = [schema.names[i] for i in chosen if _is_text(schema.field(i).type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            rows = file.read(columns=names)
        rows.validate(full=True)
        columns = {i: _decoded(rows[name], limits, path) for i, name in zip(chosen, names, strict=True)}
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, MemoryError, KeyError) as problem:
        reason = short(str(problem) or type(problem).__name__, 120).rstrip(".")
        raise DataError(f"'{path}' cannot be read as parquet: {reason}.") from None
    return list(schema.names), columns


def _check_size(metadata: Any, names: list[str], limits: Limits, path: Path) -> None:
    """Refuse columns that would take more memory than the limits allow."""
    limits.check("rows", metadata.num_rows, path)
    size = max(metadata.num_rows, 0) * _CELL * len(names)
    for group in (metadata.row_group(i) for i in range(metadata.num_row_groups)):
        for column in (group.column(i) for i in range(group.num_columns)):
            if column.path_in_schema.partition(".")[0] in names:
                size += max(column.total_uncompressed_size, 0)
    limits.check("bytes", size, path)


def _is_text(kind: Any) -> bool:
    """Whether an Arrow type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _decoded(column: Any, limits: Limits, path: Path) -> Any:
    """A column of plain values; where it holds codes of texts, their length is counted first."""
    kind = column.type
    if not pa.types.is_dictionary(kind):
        return column
    if _is_text(kind.value_type):
        size = 0
        for chunk in column.chunks:
            lengths = pc.binary_length(chunk.dictionary).take(chunk.indices)
            size += pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0
            limits.check("bytes", size, path)
        return column.cast(pa.large_string())
    return column.cast(kind.value_type)

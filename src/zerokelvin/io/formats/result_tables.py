"""Results as tables: csv, tsv, parquet or one JSON object per line, told by the suffix of the file name.

Rows come in parts, so that a table of millions of rows is never held whole, and the file is there when all of
them are written, or not at all. In csv and tsv a text that a spreadsheet would take for a formula has an
apostrophe before it (`zerokelvin.io.spreadsheet`); parquet and jsonl hold every text as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from zerokelvin.errors import ParameterError
from zerokelvin.io.files import PathLike, format_suffix, replacing
from zerokelvin.io.spreadsheet import FORMULA
from zerokelvin.io.writable import writable_file

__all__ = ["TABLES", "Column", "check_table", "write_table"]

TABLES: dict[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson"),
}

Column = Sequence[Any] | np.ndarray[Any, Any]


class _Sink(Protocol):
    """What takes a table part by part."""

    def write_table(self, table: Any) -> None: ...


def check_table(path: PathLike) -> Path:
    """The path, refused where no table can be written there, before work is put into one."""
    final = Path(path)
    kind = _kind(final)
    if kind == "parquet" and final.suffix.lower() == ".gz":
        raise ParameterError(f"parquet is compressed already; leave out the .gz of '{final.name}'.")
    return writable_file(final)


def write_table(path: PathLike, parts: Iterable[dict[str, Column]]) -> int:
    """Write the rows of all parts, each a mapping from the same column names; how many rows there were.

    Parameters
    ----------
    path
        The file; csv, tsv and jsonl may be compressed (``.gz``).
    parts
        Columns of equal length: whole numbers, numbers, truth values or texts. The first part decides the
        types.

    Examples
    --------
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/labels.csv"
    >>> write_table(path, [{"node": ["ann", "=1+1"], "ask": [True, False]}])
    2
    >>> print(Path(path).read_text().strip())
    "node","ask"
    "ann",true
    "'=1+1",false
    """
    final = check_table(path)
    kind, rows, schema = _kind(final), 0, None
    with replacing(final) as draft:
        sink: _Sink | None = None
        with _closing() as opened:
            for part in parts:
                table = pa.table({name: _array(values) for name, values in part.items()}, schema=schema)
                if kind in ("csv", "tsv"):
                    table = _safe(table)
                if sink is None:
                    schema, sink = table.schema, _open(opened, draft, kind, final, table.schema)
                sink.write_table(table)
                rows += table.num_rows
    return rows


def _kind(path: Path) -> str:
    suffix = format_suffix(path)
    for kind, suffixes in TABLES.items():
        if suffix in suffixes:
            return kind
    known = ", ".join(suffixes[0] for suffixes in TABLES.values())
    raise ParameterError(f"'{path}' has the unknown suffix '{suffix}' for a table; end its name in {known}.")


@contextmanager
def _closing() -> Iterator[list[Any]]:
    """A list of open things, the last closed first."""
    opened: list[Any] = []
    try:
        yield opened
    finally:
        for one in reversed(opened):
            one.close()


def _open(opened: list[Any], draft: Path, kind: str, final: Path, schema: Any) -> _Sink:
    """Begin a table; whatever has to be closed is added to `opened`."""
    if kind == "parquet":
        opened.append(pq.ParquetWriter(draft, schema, compression="zstd"))
        return opened[-1]
    compression = "gzip" if final.suffix.lower() == ".gz" else None
    opened.append(pa.output_stream(draft, compression=compression))
    if kind == "jsonl":
        return _JsonLines(opened[-1])
    options = pacsv.WriteOptions(delimiter="," if kind == "csv" else "\t", quoting_style="needed")
    opened.append(pacsv.CSVWriter(opened[-1], schema, write_options=options))
    return opened[-1]


class _JsonLines:
    """Writes every row as one JSON object on a line of its own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write_table(self, table: Any) -> None:
        lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in table.to_pylist())
        self._stream.write("".join(f"{line}\n" for line in lines).encode())


def _array(values: Column) -> Any:
    """A column as Arrow holds it, texts as large strings."""
    array = pa.array(values, from_pandas=False)
    return array.cast(pa.large_string()) if pa.types.is_string(array.type) else array


def _safe(table: Any) -> Any:
    """The same table with an apostrophe before every text that looks like a formula."""
    for i, field in enumerate(table.schema):
        if not pa.types.is_large_string(field.type):
            continue
        column = table.column(i)
        pattern = "^[" + "".join(f"\\{sign}" if sign in "=+-@" else sign for sign in FORMULA) + "]"
        risky = pc.match_substring_regex(column, pattern)
        if pc.any(risky).as_py():
            mark, nothing = (pa.scalar(text, pa.large_string()) for text in ("'", ""))
            safe = pc.if_else(risky, pc.binary_join_element_wise(mark, column, nothing), column)
            table = table.set_column(i, field, safe)
    return table

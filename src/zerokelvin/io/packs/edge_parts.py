"""Tables of edges in parts, as DuckDB reads them: which columns, which rows, which names.

The columns are chosen as for one table (`zerokelvin.io.formats.table_columns`), by the first part; all parts
have the same. Names are whole numbers if every one of every part is, else texts, as everywhere.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerokelvin.errors import DataError
from zerokelvin.graph.edge_columns import EDGE_WORDS, NODE_PAIRS
from zerokelvin.io.files import PathLike, existing_file, format_suffix
from zerokelvin.io.formats.headers import has_header, looks_like_times
from zerokelvin.io.formats.table_columns import Column, edge_columns
from zerokelvin.io.formats.text import LONGEST_ROW, is_number, open_text
from zerokelvin.io.packs.parquet_parts import parquet_edges
from zerokelvin.io.packs.sql_text import file_list, quoted

__all__ = ["EdgeParts", "edge_parts"]

Given = tuple[Column | None, Column | None, Column | bool | None]

_TEXT = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".txt": "txt", ".edges": "txt", ".edgelist": "txt"}
_PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class EdgeParts:
    """Where the edges are, as SQL.

    Attributes
    ----------
    rows
        A relation with columns u and v, texts or numbers, and w, a float or NULL where it is none; of text
        files also `raw`, the weight as it was written.
    columns
        The name of the column in each role.
    text
        Whether the parts are text, in which numbers have to be told from texts.
    numbers
        Whether the names are numbers; of text files not known yet.
    weighted
        Whether there is a column of weights.
    """

    rows: str
    columns: dict[str, Column]
    text: bool
    numbers: bool
    weighted: bool

    def named(self, numbers: bool) -> str:
        """The same relation with names as 64-bit numbers, or as texts."""
        kind = "BIGINT" if numbers else "VARCHAR"
        weight = ", w" if self.weighted else ""
        return f"(SELECT CAST(u AS {kind}) AS u, CAST(v AS {kind}) AS v{weight} FROM {self.rows})"


def edge_parts(paths: Sequence[PathLike], given: Given, header: bool | None = None) -> EdgeParts:
    """The edges of some files, all parquet or all text, with the columns of the first."""
    found = [existing_file(path) for path in paths]
    if not found:
        raise DataError("no edges are given; name at least one parquet or csv file.")
    suffixes = {format_suffix(path) for path in found}
    if suffixes <= set(_PARQUET):
        rows, columns, numbers, weighted = parquet_edges(found, given)
        return EdgeParts(rows, columns, False, numbers, weighted)
    if len(suffixes) == 1 and suffixes <= _TEXT.keys():
        return _text_parts(found, given, header, _TEXT[suffixes.pop()])
    raise DataError(
        f"parts with the suffixes {', '.join(sorted(suffixes))} cannot be packed together; give parquet "
        "files, or text files of one kind (csv, tsv, txt)."
    )


def _text_parts(found: list[Path], given: Given, header: bool | None, kind: str) -> EdgeParts:
    first = found[0]
    table = _first_rows(first, kind)
    if table.delimiter == " ":
        raise DataError(f"'{first}' is divided by blanks, which pack does not read; use commas or tabs.")
    if header is None:
        by_name = any(isinstance(column, str) for column in given)
        header = by_name or has_header(table, EDGE_WORDS, NODE_PAIRS[0])
    names = table.first[0] if header else None
    if names is not None:
        _require_the_same_header(found, names, kind)
    body = table.first[header:]

    def cells(position: int) -> list[str]:
        return [row[position] for row in body if position < len(row)]

    chosen = edge_columns(
        names,
        table.width,
        given,
        lambda i: any(is_number(cell) for cell in cells(i)),
        lambda i: looks_like_times(cells(i)),
        first,
    )
    named = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(table.width))
    read = (
        f"read_csv({file_list(found)}, columns={{{named}}}, auto_detect=false, header={str(header).lower()}, "
        f"delim={quoted(table.delimiter)}, quote='\"', escape='\"', comment='#', nullstr='')"
    )
    u, v = (f"trim(c{i}, E' \\t')" for i in chosen.nodes)
    weight = ""
    if chosen.weight is not None:
        weight = f", TRY_CAST(c{chosen.weight} AS DOUBLE) AS w, c{chosen.weight} AS raw"
    spoken: list[Column] = list(range(table.width)) if names is None else list(names)
    rows = f"(SELECT {u} AS u, {v} AS v{weight} FROM {read})"
    return EdgeParts(rows, chosen.roles(spoken), True, False, bool(weight))


def _require_the_same_header(found: list[Path], names: list[str], kind: str) -> None:
    """Refuse parts whose columns have other names, or another order; columns go by their place."""
    for path in found[1:]:
        with suppress(_NoRowsError):
            other = _first_rows(path, kind).first[0]
            if other != names:
                raise DataError(
                    f"'{path}' begins with the columns {', '.join(other)}, and '{found[0]}' with "
                    f"{', '.join(names)}; give parts that have the same columns in the same order."
                )


class _NoRowsError(DataError):
    """A file is empty."""


def _first_rows(path: Path, kind: str) -> Any:
    """The first rows of a text file, whatever its size."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as source:
            sample = source.read(LONGEST_ROW)
            more = bool(source.read(1))
    except (OSError, EOFError) as problem:
        raise DataError(f"'{path}' cannot be read: {problem}.") from None
    if not sample.strip():
        raise _NoRowsError(f"'{path}' is empty; it holds no rows.")
    if more:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / path.name.removesuffix(".gz").removesuffix(".GZ")
        part.write_bytes(sample)
        try:
            return open_text(part, kind=kind)
        except DataError as problem:
            raise DataError(str(problem).replace(str(part), str(path))) from None

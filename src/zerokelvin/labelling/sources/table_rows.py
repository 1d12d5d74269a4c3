"""Rows of a table as items: csv, tsv, parquet, jsonl.

With a text column the items are texts. Without one they are rows, joined by their columns of numbers: those
named, or else all that hold numbers in at least nine rows of ten.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError
from zerokelvin.io.limits import short
from zerokelvin.labelling.item_vectors import number_vectors, text_vectors
from zerokelvin.labelling.items import NewItems, title_of
from zerokelvin.labelling.source import ItemOptions, ItemSource, column_named, unique_names

__all__ = ["TABLES", "read_columns_as_text", "read_table_items"]

TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson")
FIRST_LINE = 1 << 16
"""Bytes in which the first line is looked for."""

MOSTLY = 0.9
"""Share of cells that must be numbers for a column to count as one of numbers."""


def read_table_items(path: Path, options: ItemOptions) -> ItemSource:
    """The rows of a table as items, with vectors made of their columns."""
    columns = read_columns_as_text(path)
    names = list(columns)
    count = len(next(iter(columns.values()), []))
    if not count:
        raise DataError(f"'{path}' has no rows; there is nothing to label.")
    given = [column_named(name, names, path) for name in (options.text, options.name, options.label) if name]
    labels = None if options.label is None else [value.strip() or None for value in columns[options.label]]
    called = list(map(str, range(1, count + 1)))
    if options.name is not None:
        called = unique_names(columns[options.name], options.name, path)
    if options.text is not None:
        texts = columns[options.text]
        shown = {name: values for name, values in columns.items() if name not in given}
        titles = [title_of(text) or f"row {name}" for text, name in zip(texts, called, strict=True)]
        items = NewItems("text", called, titles, texts, shown, labels=labels)
        if options.embedding is not None:
            return ItemSource(items, doubles=texts)
        return ItemSource(items, text_vectors(texts), cosine=True, doubles=texts)
    shown = {name: values for name, values in columns.items() if name != options.label}
    titles = called if options.name is not None else [_row_title(shown, row) for row in range(count)]
    items = NewItems("row", called, titles, None, shown, labels=labels)
    if options.embedding is not None:
        return ItemSource(items)
    wanted = [column_named(name, names, path) for name in options.columns]
    taken = wanted or [name for name in names if name not in given and _mostly_numbers(columns[name])]
    if not taken:
        raise DataError(
            f"'{path}' has no columns of numbers to compare its rows by; name the column of the text with "
            f"--text, or give --embedding; its columns are {', '.join(short(name) for name in names[:20])}."
        )
    matrix = np.array([[_number(value) for value in columns[name]] for name in taken]).T
    many = f"{len(taken)} columns" if len(taken) > 1 else "one column"
    said = [f"rows are compared by {many} of numbers: {', '.join(map(short, taken[:8]))}"]
    strange = [v for i, name in enumerate(taken) for v in _no_numbers(columns[name], matrix[:, i])]
    if strange:
        holds, counts = ("one cell there holds", "counts")
        if len(strange) > 1:
            holds, counts = (f"{len(strange):,} cells there hold", "count")
        said.append(f"{holds} no number ('{short(strange[0])}') and {counts} as the mean of the column")
    return ItemSource(items, number_vectors(matrix), said=said)


def _no_numbers(cells: list[str], numbers: Floats) -> list[str]:
    """The cells that hold something, and no number."""
    return [
        cell
        for cell, number in zip(cells, numbers, strict=True)
        if cell.strip() and not math.isfinite(number)
    ]


def read_columns_as_text(path: Path) -> dict[str, list[str]]:
    """The columns of a table, every cell as text, empty where there is nothing."""
    suffix = path.suffix.lower()
    try:
        if suffix in (".jsonl", ".ndjson"):
            return _from_lines(path)
        if suffix in (".parquet", ".pq"):
            table = pq.read_table(path)
        else:
            table = _from_delimited(path, "\t" if suffix in (".tsv", ".tab") else ",;\t")
    except (pa.ArrowInvalid, pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        if isinstance(problem, UnicodeDecodeError) or "UTF8" in str(problem):
            raise DataError(
                f"'{path}' is not UTF-8 text; convert it first, as by 'iconv -f WINDOWS-1252 -t UTF-8'."
            ) from None
        raise DataError(f"'{path}' cannot be read as a table: {str(problem).splitlines()[0]}.") from None
    return {str(name): [_as_text(v) for v in table[name].to_pylist()] for name in table.column_names}


def _from_delimited(path: Path, delimiters: str) -> Any:
    """A csv or tsv file, all cells as text, split at the first of the delimiters that its first line has.

    It is UTF-8, or UTF-16 where it begins with the mark of that, as what spreadsheets save as Unicode text.
    """
    with path.open("rb") as file:
        start = file.read(FIRST_LINE)
    if not start:
        raise DataError(f"'{path}' is empty; there is nothing to label.")
    encoding = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    first_line = start.decode(encoding, errors="replace").lstrip("\r\n").partition("\n")[0]
    delimiter = next((mark for mark in delimiters if mark in first_line), delimiters[0])
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    read = pacsv.ReadOptions(encoding=encoding)
    first = pacsv.open_csv(path, read, parse).schema
    if len(set(first.names)) != len(first.names):
        raise DataError(f"'{path}' has two columns of one name; name every column once.")
    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(first.names, pa.string()), strings_can_be_null=False
    )
    return pacsv.read_csv(path, read, parse, convert)


def _from_lines(path: Path) -> dict[str, list[str]]:
    """A file with one JSON object in a line."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as problem:
                raise DataError(f"line {number} of '{path}' is no JSON: {problem}.") from None
            if not isinstance(row, dict):
                raise DataError(f"line {number} of '{path}' is no JSON object.")
            rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [_as_text(row.get(name)) for row in rows] for name in names}


def _as_text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _mostly_numbers(values: list[str]) -> bool:
    said = [value for value in values if value.strip()]
    return bool(said) and sum(not math.isnan(_number(value)) for value in said) >= MOSTLY * len(values)


def _row_title(columns: dict[str, list[str]], row: int) -> str:
    """The first cells of a row that say something."""
    cells = [values[row] for values in columns.values() if values[row].strip()]
    return title_of(" · ".join(cells[:4])) or f"row {row + 1}"

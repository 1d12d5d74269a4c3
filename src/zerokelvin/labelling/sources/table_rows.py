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

from zerokelvin.errors import DataError
from zerokelvin.io.limits import short
from zerokelvin.labelling.item_vectors import number_vectors, text_vectors
from zerokelvin.labelling.items import NewItems, title_of
from zerokelvin.labelling.source import ItemOptions, ItemSource, column_named, unique_names

__all__ = ["TABLES", "read_columns_as_text", "read_table_items"]

TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson")
MOSTLY = 0.9
"""Share of cells that must be numbers for a column to count as one of numbers."""


def read_table_items(path: Path, options: ItemOptions) -> ItemSource:
    """The items of a table."""
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
    said = [f"rows are compared by {len(taken)} columns of numbers: {', '.join(map(short, taken[:8]))}"]
    return ItemSource(items, number_vectors(matrix), said=said)


def read_columns_as_text(path: Path) -> dict[str, list[str]]:
    """The columns of a table, every cell as text, empty where there is nothing."""
    suffix = path.suffix.lower()
    try:
        if suffix in (".jsonl", ".ndjson"):
            return _from_lines(path)
        if suffix in (".parquet", ".pq"):
            table = pq.read_table(path)
        else:
            table = _from_delimited(path, "\t" if suffix in (".tsv", ".tab") else ",")
    except (pa.ArrowInvalid, pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        raise DataError(f"'{path}' cannot be read as a table: {str(problem).splitlines()[0]}.") from None
    return {str(name): [_as_text(v) for v in table[name].to_pylist()] for name in table.column_names}


def _from_delimited(path: Path, delimiter: str) -> Any:
    """A csv or tsv file, all cells as text."""
    if not path.stat().st_size:
        raise DataError(f"'{path}' is empty; there is nothing to label.")
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    first = pacsv.open_csv(path, parse_options=parse).schema
    if len(set(first.names)) != len(first.names):
        raise DataError(f"'{path}' has two columns of one name; name every column once.")
    convert = pacsv.ConvertOptions(
        column_types=dict.fromkeys(first.names, pa.string()), strings_can_be_null=False
    )
    return pacsv.read_csv(path, parse_options=parse, convert_options=convert)


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

"""Delimited text: find delimiter, comments and header from the first rows, let pyarrow read the rest.

The first rows are looked at in Python; the rows themselves are parsed by pyarrow, columns by
position and with types fixed beforehand, so that no type is guessed from part of a file. Comment
lines become empty ones, so that a row found wanting can be named by its line in the file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.io.files import PathLike, format_suffix, read_bytes

__all__ = ["TextTable", "is_number", "open_text"]

SAMPLE_ROWS = 200
BLOCK_BYTES = 1 << 23
BLANKS = " "  # the delimiter that stands for any run of spaces and tabs
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNEVEN_BLANKS = re.compile(rb"[ \t][ \t]|\t|^[ \t]|[ \t]\r?$", re.MULTILINE)


@dataclass(frozen=True)
class TextTable:
    """A delimited file in memory, with what its first rows tell.

    Attributes
    ----------
    path
        Where the text came from.
    data
        The whole text, comment lines emptied.
    delimiter
        One character; a space stands for runs of blanks.
    first
        The cells of up to 200 rows from the top, a header included.
    """

    path: Path
    data: bytes
    delimiter: str
    first: list[list[str]]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.first[0])

    def read(self, types: Mapping[int, Any], *, header: bool) -> Any:
        """The columns at the given positions as a pyarrow table with columns ``"0"``, ``"1"`` and so on."""
        bad: list[str] = []

        def stop(row: Any) -> str:
            bad.append(row.text)
            return "error"

        names = [str(i) for i in range(self.width)]
        rows = memoryview(self.data)[self._start(header) :]
        if not rows.nbytes:
            return pa.table({str(i): pa.array([], kind) for i, kind in types.items()})
        try:
            return pacsv.read_csv(
                pa.BufferReader(pa.py_buffer(rows)),
                pacsv.ReadOptions(column_names=names, block_size=BLOCK_BYTES),
                pacsv.ParseOptions(delimiter=self.delimiter, invalid_row_handler=stop),
                pacsv.ConvertOptions(
                    include_columns=[str(i) for i in types],
                    column_types={str(i): kind for i, kind in types.items()},
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid as problem:
            if bad:
                raise DataError(self._ragged(bad)) from None
            if "UTF8" in str(problem):
                raise DataError(f"'{self.path}' is not UTF-8 text; convert it first.") from None
            reason = str(problem).splitlines()[0].rstrip(".")
            raise DataError(f"'{self.path}' cannot be read as delimited text: {reason}.") from None

    def line(self, row: int, *, header: bool) -> int:
        """The line of the file, counted from 1, on which a data row (counted from 0) stands."""
        matches = re.finditer(rb"[^\r\n]+", self.data)
        at = next(islice(matches, row + header, None)).start()
        return self.data.count(b"\n", 0, at) + 1

    def _start(self, header: bool) -> int:
        if not header:
            return 0
        match = re.search(rb"[^\r\n]+(\r?\n|$)", self.data)
        return match.end() if match else len(self.data)

    def _ragged(self, rows: Iterable[str]) -> str:
        def place(text: str) -> int:
            pattern = rb"^" + re.escape(text.encode().rstrip(b"\r\n")) + rb"\r?$"
            match = re.search(pattern, self.data, re.MULTILINE)
            return self.data.count(b"\n", 0, match.start()) + 1 if match else 0

        line, text = min((place(text), text) for text in rows)
        got = len(next(csv.reader([text], delimiter=self.delimiter), []))
        return (
            f"line {line} of '{self.path}' has {_columns(got)} where the first row has {self.width}: "
            f"{text[:60]!r}; give every row the same columns or another delimiter."
        )


def open_text(path: PathLike, *, delimiter: str | None = None, kind: str | None = None) -> TextTable:
    """Read a text file and look at its first rows.

    Parameters
    ----------
    path
        The file; decompressed where the name ends in ``.gz``.
    delimiter
        One character. By default a comma for csv (a semicolon or tab where the first line has no
        comma), a tab for tsv, and for txt the first of tab, comma, semicolon and blanks that splits
        the first rows evenly.
    kind
        ``"csv"``, ``"tsv"`` or ``"txt"``; by default the suffix of the path.
    """
    found = Path(path)
    data = read_bytes(found).removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data or _CONTROL.search(data, 0, BLOCK_BYTES):
        raise DataError(f"'{found}' holds binary data, not text; check its format.")
    data = _without_comments(data)
    try:
        lines = [match.group().decode() for match in islice(_rows(data), SAMPLE_ROWS)]
    except UnicodeDecodeError:
        raise DataError(f"'{found}' is not UTF-8 text; convert it first.") from None
    if not lines:
        raise DataError(f"'{found}' is empty; it holds no rows.")
    kind = kind or {".tsv": "tsv", ".tab": "tsv", ".csv": "csv"}.get(format_suffix(found), "txt")
    chosen = _checked(delimiter) if delimiter is not None else _sniff(lines, kind)
    if chosen == BLANKS:
        data = _single_blanks(data)
        lines = [" ".join(line.split()) for line in lines]
    first = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=chosen)]
    return TextTable(found, data, chosen, first)


def is_number(text: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked(delimiter: str) -> str:
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise ParameterError(
            f"delimiter {delimiter!r} is not one ASCII character; give one such as ',' or tab."
        )
    return delimiter


def _rows(data: bytes) -> Iterable[re.Match[bytes]]:
    return re.finditer(rb"[^\r\n]*[^\s][^\r\n]*", data)


def _without_comments(data: bytes) -> bytes:
    """Empty the lines that begin with ``#`` or ``%``; the leading ones cheaply."""
    top = re.match(rb"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*", data)
    end = top.end() if top else 0
    head = b"\n" * data.count(b"\n", 0, end)
    rest = data[end:]
    if rest[:1] in (b"#", b"%") or b"\n#" in rest or b"\n%" in rest:
        rest = re.sub(rb"^[#%][^\n]*", b"", rest, flags=re.MULTILINE)
    return head + rest if head else rest


def _single_blanks(data: bytes) -> bytes:
    if not _UNEVEN_BLANKS.search(data):
        return data
    data = re.sub(rb"[ \t]+", b" ", data)
    return re.sub(rb"^ | (?=\r?$)", b"", data, flags=re.MULTILINE)


def _sniff(lines: list[str], kind: str) -> str:
    if kind == "tsv":
        return "\t"
    if kind == "csv":
        return next((mark for mark in ",;\t" if mark in lines[0]), ",")
    for mark in "\t,;":
        widths = {len(row) for row in csv.reader(lines, delimiter=mark)}
        if len(widths) == 1 and widths != {1}:
            return mark
    return BLANKS


def _columns(count: int) -> str:
    return f"{count} column" if count == 1 else f"{count} columns"

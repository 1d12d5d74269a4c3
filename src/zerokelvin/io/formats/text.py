"""Delimited text: find delimiter, comments and header from the first rows, let pyarrow read the rest.

The first rows are looked at in Python; the rows themselves are parsed by pyarrow, columns by
position and with types fixed beforehand, so that no type is guessed from part of a file. Comment
lines become empty ones, so that a row found wanting can be named by its line in the file.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.io.files import PathLike, format_suffix
from zerokelvin.io.limits import DEFAULT, Limits, read_limited, short

__all__ = ["TextTable", "is_number", "open_text"]

SAMPLE_ROWS = 200
BLOCK_BYTES = 1 << 23
LONGEST_ROW = 1 << 20  # bytes; a row of nodes and a weight takes some dozens
BLANKS = " "  # the delimiter that stands for any run of spaces and tabs
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_DATA_LINE = re.compile(rb"(?m)^[ \t]*+(?![#%\s])")
_MARK = re.compile(rb"\S")
_DECIMAL_COMMA = re.compile(r"^([+-]?\d*),(\d+)$")
_DECIMAL_COMMAS = re.compile(r"(?:[^,]|(?<=\d),(?=\d))*;(?:[^,]|(?<=\d),(?=\d))*")
_LINE_END = re.compile(rb"\r\n|[\r\n]|\Z")
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
    second
        Where in `data` the first row ends.
    """

    path: Path
    data: bytes
    delimiter: str
    first: list[list[str]]
    second: int

    @property
    def width(self) -> int:
        """Number of columns, by the first row."""
        return len(self.first[0])

    def read(self, types: Mapping[int, Any], *, header: bool) -> Any:
        """The columns at the given positions as a pyarrow table with columns ``"0"``, ``"1"`` and so on."""
        bad: list[str] = []

        def stop(row: Any) -> str:
            bad.append(row.text)
            return "error"

        names = [str(i) for i in range(self.width)]
        rows = memoryview(self.data)[self.second if header else 0 :]
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
        except (pa.ArrowException, UnicodeDecodeError) as problem:
            if bad:
                raise DataError(self._ragged(bad)) from None
            if "UTF8" in str(problem) or isinstance(problem, UnicodeDecodeError):
                raise DataError(
                    f"'{self.path}' is not UTF-8 text; save it as UTF-8 (spreadsheets: 'CSV UTF-8')."
                ) from None
            reason = short(problem, 120).rstrip(".")
            raise DataError(f"'{self.path}' cannot be read as delimited text: {reason}.") from None

    def line(self, row: int, *, header: bool) -> int:
        """The line of the file, counted from 1, on which a data row (counted from 0) stands."""
        matches = re.compile(rb"[^\r\n]+").finditer(self.data, self.second if header else 0)
        return self._line_at(next(islice(matches, row, None)).start())

    def _line_at(self, position: int) -> int:
        """The line, counted from 1, of a position in `data`; lines may end in a carriage return alone."""
        ends = self.data.count(b"\n", 0, position)
        return ends + 1 if ends else self.data.count(b"\r", 0, position) + 1

    def _ragged(self, rows: Iterable[str]) -> str:
        """The error for rows with another number of cells than the first; it names the topmost."""

        def place(text: str) -> int:
            pattern = rb"^" + re.escape(text.encode().rstrip(b"\r\n")) + rb"\r?$"
            match = re.search(pattern, self.data, re.MULTILINE)
            return self._line_at(match.start()) if match else 0

        line, text = min((place(text), text) for text in rows)
        got = len(_cells([text], self.delimiter, self.path)[0])
        return (
            f"line {line} of '{self.path}' has {_columns(got)} where the first row has {self.width}: "
            f"{text[:60]!r}; give every row the same columns or another delimiter."
        )


def open_text(
    path: PathLike, *, delimiter: str | None = None, kind: str | None = None, limits: Limits = DEFAULT
) -> TextTable:
    """Read a text file and look at its first rows.

    Parameters
    ----------
    path
        The file; decompressed where the name ends in ``.gz``.
    delimiter
        One character. By default a comma for csv (a semicolon or tab where the first line has no
        comma, a semicolon where commas stand between digits only), a tab for tsv, and for txt the
        first of tab, comma, semicolon and blanks that splits the first rows evenly.
    kind
        ``"csv"``, ``"tsv"`` or ``"txt"``; by default the suffix of the path.
    limits
        How much the file may hold.
    """
    found = Path(path)
    data = read_limited(found, limits).removeprefix(b"\xef\xbb\xbf")
    data = _from_utf16(data)
    if b"\0" in data or _CONTROL.search(data, 0, BLOCK_BYTES):
        raise DataError(f"'{found}' holds binary data, not text; check its format.")
    data = _without_comments(data)
    limits.check("rows", data.count(b"\n"), found)
    spans = list(islice(_rows(data), SAMPLE_ROWS))
    if any(end - start > LONGEST_ROW for start, end, _ in spans):
        raise DataError(f"'{found}' has a row of more than {LONGEST_ROW:,} bytes; check its format.")
    try:
        lines = [data[start:end].decode() for start, end, _ in spans]
    except UnicodeDecodeError:
        raise DataError(f"'{found}' is not UTF-8 text; convert it first.") from None
    if not lines:
        raise DataError(f"'{found}' is empty; it holds no rows.")
    kind = kind or {".tsv": "tsv", ".tab": "tsv", ".csv": "csv"}.get(format_suffix(found), "txt")
    widest = 1 + max(line.count(mark) for line in lines for mark in ",;\t")
    limits.check("columns", widest, found)
    chosen = _checked(delimiter) if delimiter is not None else _sniff(lines, kind, found)
    limits.check("columns", max(line.count(chosen) for line in lines) + 1 if chosen != BLANKS else 1, found)
    second = spans[0][2]
    if chosen == BLANKS:
        data, second = _single_blanks(data, second)
        lines = [" ".join(line.split()) for line in lines]
        limits.check("columns", max(line.count(" ") for line in lines) + 1, found)
    first = [[cell.strip() for cell in row] for row in _cells(lines, chosen, found)]
    if chosen == ";":  # which columns hold numbers is found out from these
        first = [[_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in row] for row in first]
    return TextTable(found, data, chosen, first, second)


def is_number(text: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_utf16(data: bytes) -> bytes:
    """UTF-8 for UTF-16, which spreadsheets call Unicode text; anything else as it is."""
    if data[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeError:
        return data


def _checked(delimiter: str) -> str:
    """The delimiter, refused where it is not one ASCII character that can be one."""
    if len(delimiter) != 1 or delimiter in '"\r\n' or not delimiter.isascii():
        raise ParameterError(
            f"delimiter {delimiter!r} is not one ASCII character; give one such as ',' or tab."
        )
    return delimiter


def _cells(lines: list[str], delimiter: str, path: Path) -> list[list[str]]:
    """The cells of every line, split at the delimiter."""
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as problem:
        raise DataError(f"'{path}' cannot be split into cells: {problem}.") from None


def _rows(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Where each row that is not blank begins and ends, and where the next line begins."""
    at = 0
    while (mark := _MARK.search(data, at)) is not None:
        start = max(data.rfind(b"\n", at, mark.start()), data.rfind(b"\r", at, mark.start()), at - 1) + 1
        end = _LINE_END.search(data, mark.start())
        if end is None:
            return
        yield start, end.start(), end.end()
        at = end.end()


def _without_comments(data: bytes) -> bytes:
    """Empty the lines that begin with ``#`` or ``%``; the leading ones cheaply."""
    top = _DATA_LINE.search(data)
    end = top.start() if top else len(data)
    head = b"\n" * data.count(b"\n", 0, end)
    rest = data[end:]
    if rest[:1] in (b"#", b"%") or b"\n#" in rest or b"\n%" in rest:
        rest = re.sub(rb"^[#%][^\r\n]*+", b"", rest, flags=re.MULTILINE)
    return head + rest if head else rest


def _single_blanks(data: bytes, second: int) -> tuple[bytes, int]:
    """One space between cells and none around a row; and where the second row begins then."""
    if not _UNEVEN_BLANKS.search(data):
        return data, second
    head, rest = (
        re.sub(rb"^ | (?=\r?$)", b"", re.sub(rb"[ \t]++", b" ", part), flags=re.MULTILINE)
        for part in (data[:second], data[second:])
    )
    return head + rest, len(head)


def _sniff(lines: list[str], kind: str, path: Path) -> str:
    """The delimiter of a file by its format and first lines."""
    if kind == "tsv":
        return "\t"
    if kind == "csv":
        if all(_DECIMAL_COMMAS.fullmatch(line) for line in lines[1:] or lines) and ";" in lines[0]:
            return ";"
        return next((mark for mark in ",;\t" if mark in lines[0]), ",")
    for mark in "\t,;":
        widths = {len(row) for row in _cells(lines, mark, path)}
        if len(widths) == 1 and widths != {1}:
            return mark
    return BLANKS


def _columns(count: int) -> str:
    """A number of columns in words."""
    return f"{count} column" if count == 1 else f"{count} columns"

"""How much a file may grow to in memory, checked against what it declares before anything is allocated.

A few bytes can declare billions: a gzip or zip member inflates a thousandfold, a header names any number of
nodes, one label code any number of classes. What goes beyond a limit is refused in one sentence that names
the limit and how to raise it.
"""

from __future__ import annotations

import gzip
import stat
import zlib
from dataclasses import dataclass, fields
from pathlib import Path

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.io.files import PathLike, existing_file

__all__ = ["DEFAULT", "Limits", "parse_limits", "read_limited", "short"]

_CHUNK = 1 << 22


@dataclass(frozen=True)
class Limits:
    """The most that one file may hold.

    Attributes
    ----------
    bytes
        Bytes after decompression (gz, members of npz, columns of parquet); 2 GiB. A file that is not
        compressed is as large as it is.
    nodes
        Nodes, counted or declared; 20 million.
    classes
        Classes of a labelling, counted or declared by the largest code; 100,000.
    columns
        Columns of a table; 10,000.
    rows
        Rows of a table; 500 million. They take some thirty times the bytes that short ones have in a text.

    Examples
    --------
    >>> Limits(nodes=10**9).nodes
    1000000000
    """

    bytes: int = 2 << 30
    nodes: int = 20_000_000
    classes: int = 100_000
    columns: int = 10_000
    rows: int = 500_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ParameterError(f"limit {field.name}={value!r} is no whole number of at least 1.")

    def check(self, what: str, count: int, path: PathLike) -> None:
        """Refuse a file with more of `what` (the name of a limit) than allowed."""
        limit = int(getattr(self, what))
        if count > limit:
            raise DataError(
                f"'{path}' holds or declares {_counted(count)} {what}, above the limit of {limit:,}; "
                "if the file is to be trusted, raise it with "
                f"limits=Limits({what}={min(count, 10**18)}) or, on the command line, --limit "
                f"{what}={min(count, 10**18)}."
            )


DEFAULT = Limits()


def parse_limits(assignments: tuple[str, ...]) -> Limits:
    """Limits from texts such as ``nodes=50000000``; what is not named stays as it is.

    >>> parse_limits(("classes=5",)).classes
    5
    """
    names = [field.name for field in fields(Limits)]
    given: dict[str, int] = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        digits = value.strip().replace("_", "")
        if not equals or name.strip() not in names or not digits.isdecimal() or len(digits) > 18:
            raise ParameterError(
                f"limit '{short(text)}' is not NAME=NUMBER; the names are {', '.join(names)}, as in --limit "
                "nodes=50000000."
            )
        given[name.strip()] = int(digits)
    return Limits(**given)


def read_limited(path: PathLike, limits: Limits) -> bytes:
    """The content of a file, decompressed where its name ends in ``.gz``; never empty or above the limit."""
    found = existing_file(path)
    squeezed = found.suffix.lower() == ".gz"
    try:
        if not squeezed and stat.S_ISREG(found.stat().st_mode):
            data = found.read_bytes()
        else:
            data = _in_chunks(found, squeezed, limits)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise DataError(f"'{found}' is not a complete gzip file: {problem}.") from None
    except OSError as problem:
        raise DataError(f"'{found}' cannot be read: {problem.strerror or problem}.") from None
    except MemoryError:
        raise DataError(f"'{found}' does not fit into memory.") from None
    if not data:
        raise DataError(f"'{found}' is empty; it holds no rows.")
    return data


def short(text: object, length: int = 60) -> str:
    """A text cut to a length that fits into a sentence, on one line.

    >>> short("a" * 99, 5)
    'aaaa…'
    """
    line = " ".join(str(text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _in_chunks(path: Path, squeezed: bool, limits: Limits) -> bytes:
    """The content of a file, unpacked if it is gzip, refused as soon as it is too long."""
    chunks: list[bytes] = []
    size = 0
    with path.open("rb") as raw:
        source = gzip.GzipFile(fileobj=raw) if squeezed else raw
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            limits.check("bytes", size, path)
            chunks.append(chunk)
    return b"".join(chunks)


def _counted(count: int) -> str:
    """A count for a sentence, with commas, or as a power of ten if it is huge."""
    return f"{count:,}" if count < 10**18 else f"about 10^{len(str(count)) - 1}"

"""The rules that make numbers of attributes, fixed on the nodes there are and kept for those that come later.

A column of numbers of which at least half of the known values are 0 (words, counts, flags) is divided by the
root mean square of its other values, so that 0 stays 0 and a 0/1 column stays as it is. Any other column of
numbers is standardised: its mean is taken off and it is divided by its standard deviation. A column of truth
values is one of numbers; so is one of dates, times or durations, in days (`zerokelvin.day_numbers`). Of a
column of text every distinct value is a 0/1 column of its own (a category) where values come twice on the
average, at most `MOST_CATEGORIES` of them; else every word is, lower-cased letters and digits, at most
`MOST_WORDS` of those that two nodes have, the most frequent first. A missing value counts as the mean of its
column, or as no category and no word; where a column of numbers has some, a further 0/1 column says which.
Values, categories and words never seen when the rules were fixed count as none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Bools, Floats
from zerokelvin.day_numbers import days_of_text, plain_number
from zerokelvin.errors import GraphError

__all__ = ["FrameRules", "MatrixRules", "as_dense", "frame_rules", "matrix_rules"]

MOST_CATEGORIES = 1_000
"""Distinct values up to which a column of text may hold categories."""

MOST_WORDS = 20_000
"""Words of a column of text that are columns of their own: a limit on memory."""

WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class MatrixRules:
    """Of a table of numbers: what is taken off every column and what it is divided by, each (columns,).

    `gaps` says of which columns a further one tells where values are missing.
    """

    names: tuple[str, ...]
    shift: Floats
    scale: Floats
    gaps: Bools

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that come out."""
        return self.names + tuple(
            f"{name} is missing" for name, gap in zip(self.names, self.gaps, strict=True) if gap
        )

    def encode(self, table: Any) -> sp.csr_array:
        """The rows of a table by these rules, (rows, columns)."""
        if sp.issparse(table):
            given = as_sparse(table, len(self.names))
            if not self.shift.any() and not self.gaps.any():
                return sp.csr_array(given @ sp.diags_array(1.0 / self.scale))
            table = given.toarray()
        numbers = as_dense(table, len(self.names))
        missing = np.isnan(numbers)
        own = np.where(missing, 0.0, (numbers - self.shift) / self.scale)
        return sp.csr_array(np.hstack([own, missing[:, self.gaps].astype(np.float64)]))


def matrix_rules(table: Any, names: Sequence[str] | None = None) -> MatrixRules:
    """The rules of a table of numbers, dense or sparse.

    >>> matrix_rules(np.array([[0.0, 1.0], [2.0, 3.0]])).encode([[2.0, 2.0]]).toarray().tolist()
    [[1.0, 0.0]]
    """
    if sp.issparse(table):
        given = as_sparse(table)
        squares, filled = sp.csc_array(given.power(2)), np.diff(given.tocsc().indptr)
        scale = np.sqrt(np.asarray(squares.sum(axis=0)).ravel() / np.maximum(filled, 1))
        width = given.shape[1]
        return MatrixRules(
            _names(names, width),
            np.zeros(width),
            np.where(scale > 0, scale, 1.0),
            np.zeros(width, dtype=np.bool_),
        )
    numbers = as_dense(table)
    missing = np.isnan(numbers)
    known = np.maximum((~missing).sum(axis=0), 1)
    filled = np.where(missing, 0.0, numbers)
    others = np.maximum((filled != 0).sum(axis=0), 1)
    mean = filled.sum(axis=0) / known
    off = np.where(missing, 0.0, numbers - mean)
    flat = 2 * (filled != 0).sum(axis=0) <= known
    shift = np.where(flat, 0.0, mean)
    scale = np.where(flat, np.sqrt((filled**2).sum(axis=0) / others), np.sqrt((off**2).sum(axis=0) / known))
    tiny = scale <= 1e-12 * np.abs(mean)  # a constant column, up to rounding
    return MatrixRules(
        _names(names, numbers.shape[1]),
        shift,
        np.where(tiny, 1.0, scale),
        np.asarray(missing.any(axis=0)),
    )


@dataclass(frozen=True)
class TextRule:
    """Of a column of text: the values, or the words, that are columns of their own."""

    name: str
    values: tuple[str, ...]
    words: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that come out."""
        sign = ": " if self.words else "="
        return tuple(f"{self.name}{sign}{value}" for value in self.values)

    def encode(self, cells: Sequence[Any]) -> sp.csr_array:
        """The cells by this rule, (rows, values)."""
        place = {value: i for i, value in enumerate(self.values)}
        rows = [sorted({place[part] for part in _parts(cell, self.words) if part in place}) for cell in cells]
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        indices = np.array([i for row in rows for i in row], dtype=np.int64)
        return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(rows), len(place)))


@dataclass(frozen=True, eq=False)
class FrameRules:
    """Of a frame: a rule for every column, by its name."""

    rules: tuple[tuple[str, MatrixRules | TextRule], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that come out."""
        return tuple(name for _, rule in self.rules for name in rule.columns)

    def encode(self, frame: dict[str, list[Any]]) -> sp.csr_array:
        """The rows of a frame by these rules; a column that it lacks is missing everywhere."""
        count = max((len(cells) for cells in frame.values()), default=0)
        parts = []
        for name, rule in self.rules:
            cells = frame.get(name, [None] * count)
            table: Any = cells if isinstance(rule, TextRule) else numbers_of(name, cells)
            parts.append(rule.encode(table))
        return sp.csr_array(sp.hstack([sp.csr_array((count, 0)), *parts]))


def frame_rules(frame: dict[str, list[Any]]) -> FrameRules:
    """The rules of a frame, given as its columns by name; None and NaN are missing.

    >>> rules = frame_rules({"age": [30, 50, None], "town": ["Ulm", "Ulm", None]})
    >>> rules.columns
    ('age', 'age is missing', 'town=Ulm')
    >>> rules.encode({"age": [60], "town": ["Ulm"]}).toarray().tolist()
    [[2.0, 0.0, 1.0]]
    """
    rules: list[tuple[str, MatrixRules | TextRule]] = []
    for name, cells in frame.items():
        known = [plain_number(cell) for cell in cells if not is_missing(cell)]
        if all(isinstance(cell, (int, float, np.number, np.bool_)) for cell in known):
            rules.append((name, matrix_rules(numbers_of(name, cells), [name])))
        else:
            rules.append((name, _text_rule(name, [str(cell) for cell in known])))
    return FrameRules(tuple(rules))


def _text_rule(name: str, cells: list[str]) -> TextRule:
    distinct = sorted(set(cells))
    if 2 * len(distinct) <= len(cells) and len(distinct) <= MOST_CATEGORIES:
        return TextRule(name, tuple(distinct), words=False)
    found = Counter(word for cell in cells for word in set(_parts(cell, words=True)))
    often = sorted(
        (word for word, count in found.items() if count >= 2), key=lambda word: (-found[word], word)
    )
    return TextRule(name, tuple(often[:MOST_WORDS]), words=True)


def _parts(cell: Any, words: bool) -> list[str]:
    """The words of a cell, or the one value in it; none where it is missing."""
    if is_missing(cell):
        return []
    return WORD.findall(str(cell).lower()) if words else [str(cell)]


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NA or no text."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, str):
        return not cell
    return isinstance(cell, (float, np.floating)) and math.isnan(cell)


def numbers_of(name: str, cells: Sequence[Any]) -> Floats:
    """A column of numbers, (rows, 1), NaN where one is missing; text among them is refused."""
    try:
        values = [np.nan if is_missing(cell) else _number(cell) for cell in cells]
    except (TypeError, ValueError):
        bad = next(cell for cell in cells if not is_missing(cell) and not _is_number(cell))
        raise GraphError(
            f"attribute '{name}' is a column of numbers, but holds {bad!r}; leave it empty where unknown."
        ) from None
    return as_dense(np.array(values).reshape(-1, 1), 1)


def _number(cell: Any) -> float:
    """A cell as a float, a date that comes as text (from a request) in days."""
    days = days_of_text(cell) if isinstance(cell, str) else None
    return float(plain_number(cell)) if days is None else days


def _is_number(cell: Any) -> bool:
    try:
        _number(cell)
    except (TypeError, ValueError):
        return False
    return True


def as_dense(table: Any, width: int | None = None) -> Floats:
    """A table of numbers as floats, NaN where one is missing; refused where it is none."""
    numbers = _floats(table)
    _require_shape(numbers.shape, width)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers).any(axis=1))[0])
        raise GraphError(f"row {row} of the attributes holds an infinite value; give a number or NaN.")
    return numbers


def _floats(table: Any) -> Floats:
    """An array of floats; rows of several lengths, text and complex numbers are refused."""
    try:
        given = np.asarray(table)
    except ValueError:
        raise GraphError(
            "the rows of the attributes differ in length; give as many columns for every node."
        ) from None
    if given.dtype.kind == "c":
        raise GraphError("attributes are complex numbers; give real and imaginary parts as columns.")
    if given.dtype.kind in "mM":
        raise GraphError("attributes are times; give them as a column of a data frame.")
    try:
        return given.astype(np.float64)
    except (TypeError, ValueError):
        raise GraphError("attributes are no table of numbers; give text in a data frame.") from None


def as_sparse(table: Any, width: int | None = None) -> sp.csr_array:
    """A sparse table of finite numbers, without zeros that are kept."""
    if table.dtype.kind == "c":
        raise GraphError("attributes are complex numbers; give real and imaginary parts as columns.")
    given = sp.csr_array(table, dtype=np.float64)
    _require_shape(given.shape, width)
    if not np.isfinite(given.data).all():
        raise GraphError("the sparse attributes hold NaN or infinite values; leave those cells out.")
    given.sum_duplicates()
    given.eliminate_zeros()
    return given


def _require_shape(shape: tuple[int, ...], width: int | None) -> None:
    if len(shape) != 2 or shape[1] == 0:
        raise GraphError(f"attributes have shape {shape}; give one row per node, with at least one column.")
    if width is not None and shape[1] != width:
        raise GraphError(f"attributes of new nodes have {shape[1]} columns, those at the start {width}.")


def _names(names: Sequence[str] | None, width: int) -> tuple[str, ...]:
    return tuple(names) if names is not None else tuple(f"column {i}" for i in range(width))

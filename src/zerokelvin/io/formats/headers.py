"""Whether the first row of a text table names its columns.

It does when it plainly says so (known column names), when a word stands over a column of numbers, or when
its cells look like titles: words such as ``customer_id`` or ``date``, or words without digits over cells
that all have some. A row whose nodes occur again further down is an edge, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from zerokelvin.graph.edge_columns import plain_name
from zerokelvin.io.formats.text import TextTable, is_number

__all__ = ["has_header", "looks_like_times"]

_TITLES = frozenset(
    (
        "account", "actor", "address", "age", "amount", "area", "author", "authors", "buyer", "callee",
        "caller", "category", "child", "cited", "citing", "class", "code", "count", "country",
        "customer", "date", "datetime", "day", "destination", "domain", "dst", "email", "employee",
        "end", "entity", "event", "followee", "follower", "friend", "from", "gene", "group", "hash",
        "id", "ids", "index", "item", "key", "kind", "label", "left", "link", "member", "merchant",
        "message", "month", "movie", "name", "node", "nodes", "number", "object", "order", "origin",
        "page", "paper", "parent", "payee", "payer", "person", "price", "product", "protein", "rating",
        "receiver", "recipient", "relation", "right", "role", "sample", "score", "seller", "sender",
        "source", "src", "start", "station", "status", "subject", "supplier", "tag", "target", "time",
        "timestamp", "title", "to", "topic", "total", "transaction", "type", "uid", "url", "user",
        "userid", "username", "users", "uuid", "value", "vendor", "vertex", "weight", "year",
    )
)  # fmt: skip
_DATE = re.compile(r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d\d")
_TIMES = ((1e9, 2.2e9), (1e12, 2.2e12), (1e15, 2.2e15), (1e18, 2.2e18))  # 2001 to 2039 in s, ms, µs, ns


def has_header(table: TextTable, words: Collection[str], sure: tuple[str, str] | None = None) -> bool:
    """Whether the first row is a header.

    Parameters
    ----------
    table
        The table, of which the first rows are looked at.
    words
        Plain names (see `plain_name`) by which columns are known.
    sure
        Two plain names that make a header even where they occur again as nodes.
    """
    first, rest = table.first[0], table.first[1:]
    plain = [plain_name(cell) for cell in first]
    if sure is not None and sure[0] in plain and sure[1] in plain:
        return True
    if all(is_number(cell) for cell in first if cell):
        return False
    below = {cell for row in rest for cell in row[:2]}
    if any(cell in below for cell in first[:2]):
        return False
    if any(name in words for name in plain) or any(_is_title(cell) for cell in first):
        return True
    columns = [[row[i] for row in rest if i < len(row) and row[i]] for i in range(len(first))]
    if any(
        cell and others and not is_number(cell) and all(is_number(other) for other in others)
        for cell, others in zip(first, columns, strict=True)
    ):
        return True
    return all(
        others and not _has_digit(cell) and all(_has_digit(other) for other in others)
        for cell, others in zip(first, columns, strict=True)
    )


def looks_like_times(cells: list[str]) -> bool:
    """Whether every cell is a date, a time of day, or the seconds since 1970 in a usual unit."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_is_time(cell) for cell in filled)


def _is_time(cell: str) -> bool:
    """Whether a cell is a date, a time of day or seconds since 1970."""
    if _DATE.match(cell):
        return True
    return is_number(cell) and any(low <= float(cell) < high for low, high in _TIMES)


def _is_title(cell: str) -> bool:
    """Whether a cell reads like the title of a column: few words, one of them usual in titles."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", cell[:200])
    words = [word for word in re.split(r"[^A-Za-z]+", parts) if word]
    return 0 < len(words) <= 4 and any(word.lower() in _TITLES for word in words)


def _has_digit(cell: str) -> bool:
    """Whether a cell holds a digit."""
    return any(mark.isdigit() for mark in cell)

"""Texts as they stand in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zerokelvin.io.names import INTEGER

__all__ = ["file_list", "quoted", "whole_numbers"]


def quoted(text: str, mark: str = "'") -> str:
    """A text, or with ``mark='"'`` a name.

    >>> quoted("it's")
    "'it''s'"
    """
    return mark + text.replace(mark, mark + mark) + mark


def file_list(paths: Sequence[Path]) -> str:
    """Files, each under its own name: what stands for patterns in DuckDB stands for itself.

    >>> file_list([Path("a.csv"), Path("b[1].csv")])
    "['a.csv', 'b[[]1].csv']"
    """
    return "[" + ", ".join(quoted(_literal(str(path))) for path in paths) + "]"


def _literal(path: str) -> str:
    """A path in which no letter is a pattern."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def whole_numbers(column: str) -> str:
    """SQL that says whether a column of texts spells a whole number in its usual way."""
    return f"regexp_full_match({column}, {quoted(INTEGER.strip('^$'))})"

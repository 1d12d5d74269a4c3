"""Text that no spreadsheet takes for a formula.

Excel, LibreOffice and Google Sheets run a cell that begins with one of a few characters, also one that came
from a file (OWASP, "CSV injection"). A name such as ``=HYPERLINK(...)`` would then do on the reader's machine
what whoever chose the name wanted. An apostrophe before it makes it text.
"""

from __future__ import annotations

from typing import TypeVar

__all__ = ["FORMULA", "safe_cell"]

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that spreadsheets take for a formula."""

T = TypeVar("T")


def safe_cell(value: T) -> T | str:
    """A value as a cell of a table: a text that looks like a formula gets an apostrophe before it.

    >>> safe_cell("=1+1"), safe_cell("ann"), safe_cell(-1)
    ("'=1+1", 'ann', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

"""What is read for labelling: the options of a person, and what a kind of input makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.io.limits import short
from zerokelvin.labelling.items import NewItems

__all__ = ["ItemOptions", "ItemSource", "column_named", "unique_names"]


@dataclass(frozen=True)
class ItemOptions:
    """Which columns are what: of the text, of the names, of labels known already, and those of numbers.

    `edges` are the columns of a table of edges, as `read_graph` takes them: source, target, weight.
    """

    text: str | None = None
    name: str | None = None
    label: str | None = None
    columns: tuple[str, ...] = ()
    embedding: Path | None = None
    attributes: Path | None = None
    edges: Mapping[str, Any] = field(default_factory=dict)

    def files(self, source: Path | None) -> dict[str, Path]:
        """The files that are given, by what they are for."""
        given = {"file": source, "--embedding": self.embedding, "--attributes": self.attributes}
        return {role: path for role, path in given.items() if path is not None}

    def columns_named(self) -> dict[str, str]:
        """The columns that are named, by option."""
        said = {"--text": self.text, "--name": self.name, "--label": self.label}
        said |= {f"--{role}": "none" if column is False else column for role, column in self.edges.items()}
        said["--columns"] = ",".join(self.columns) or None
        return {option: str(column) for option, column in said.items() if column is not None}


@dataclass(eq=False)
class ItemSource:
    """Items with either vectors, of which a graph is made, or a graph of their own.

    `doubles` are texts by which near-duplicates are told, where vectors would not do.
    """

    items: NewItems
    vectors: Floats | None = None
    graph: Graph | None = None
    cosine: bool = False
    doubles: list[str] | None = None
    said: list[str] = field(default_factory=list)


def column_named(wanted: str, columns: list[str], path: Path) -> str:
    """The column, if there is one of this name; otherwise the columns there are."""
    if wanted in columns:
        return wanted
    shown = ", ".join(short(name) for name in columns[:20]) or "none"
    more = f" and {len(columns) - 20} more" if len(columns) > 20 else ""
    raise DataError(f"'{path}' has no column '{short(wanted)}'; its columns are {shown}{more}.")


def unique_names(names: list[str], column: str, path: Path) -> list[str]:
    """The names, if each stands for one item."""
    seen: set[str] = set()
    for row, name in enumerate(names):
        if not name or name in seen:
            what = "is empty" if not name else f"'{short(name)}' stands there twice"
            raise DataError(f"column '{column}' of '{path}' cannot name the items: row {row + 1} {what}.")
        seen.add(name)
    return names

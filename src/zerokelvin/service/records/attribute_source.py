"""What is known of the nodes of a project beside their edges: from columns, rows or a file of a request."""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.client.messages import AttributeSource, AttributeTable
from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.io import read_attributes
from zerokelvin.service.records.graph_source import GraphRules, file_at, file_sent, limits_of, limits_sent
from zerokelvin.service.records.refusals import RefusedError, TooLargeError

__all__ = ["checked_table", "with_attributes"]

FORMATS = ("csv", "tsv", "txt", "parquet", "npz")

MOST_COLUMNS = 100_000
"""Columns of a table; those of numbers are all kept, in memory and in every snapshot of a grown graph."""

Columns = dict[str, tuple[str | int | float | bool | None, ...]]
Rows = tuple[tuple[float | None, ...], ...]


def with_attributes(graph: Graph, source: AttributeSource | None, rules: GraphRules) -> Graph:
    """The graph with the attributes that a request gives its nodes."""
    if source is None:
        return graph
    fields = ("columns", "rows", "path", "content")
    given = [name for name in fields if getattr(source, name) is not None]
    if len(given) != 1:
        raise RefusedError("attributes", ", ".join(given) or "{}", f"must have one of {', '.join(fields)}")
    table: Any
    if source.path is not None:
        table = file_at(
            source.path, "attributes.path", rules, lambda path: read_attributes(path, limits=limits_of(rules))
        )
    elif source.content is not None:
        table = file_sent(
            source.content,
            source.format,
            FORMATS,
            "attributes",
            lambda path: read_attributes(path, limits=limits_sent(source.format, rules)),
        )
    else:
        columns, rows = checked_table(source)
        table = columns if columns is not None else np.array(rows, dtype=np.float64)
    if not isinstance(table, dict) and table.ndim == 2 and table.shape[1] > MOST_COLUMNS:
        raise TooLargeError(f"{table.shape[1]:,} columns are more than the {MOST_COLUMNS:,} allowed.")
    try:
        return graph.with_attributes(table)
    except GraphError as problem:
        raise RefusedError("attributes", "[…]", f"cannot be used: {problem}"[:-1]) from None


def checked_table(table: AttributeTable) -> tuple[Columns | None, Rows | None]:
    """The columns or the rows of a table in a request, one of them None; refused where they are none."""
    if (table.columns is None) == (table.rows is None):
        raise RefusedError("attributes", "{}", "must have either columns or rows")
    if table.columns is not None:
        if not table.columns or len(table.columns) > MOST_COLUMNS:
            raise RefusedError(
                "attributes.columns", len(table.columns), f"must be from 1 to {MOST_COLUMNS:,} columns"
            )
        return {name: tuple(cells) for name, cells in table.columns.items()}, None
    rows = table.rows or []
    width = len(rows[0]) if rows else 0
    for i, row in enumerate(rows):
        if len(row) != width or not row:
            raise RefusedError(
                f"attributes.rows[{i}]", len(row), "must be as long as the first row, and not empty"
            )
    return None, tuple(map(tuple, rows))

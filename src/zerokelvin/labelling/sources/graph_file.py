"""The nodes of a graph as items; a table of attributes is shown beside them, and predicted from."""

from __future__ import annotations

from pathlib import Path

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io import read_graph
from zerokelvin.io.formats.attribute_files import typed_cells
from zerokelvin.io.limits import short
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.source import ItemOptions, ItemSource, column_named
from zerokelvin.labelling.sources.table_rows import read_columns_as_text

__all__ = ["read_graph_items"]


def read_graph_items(path: Path, options: ItemOptions) -> ItemSource:
    """The nodes of a graph file."""
    graph = read_graph(path, **options.edges)
    names = [str(graph.name(i)) for i in range(graph.num_nodes)]
    if not names:
        raise DataError(f"'{path}' has no nodes; there is nothing to label.")
    fields: dict[str, list[str]] = {}
    labels: list[str | None] | None = None
    titles, said = names, []
    if options.attributes is not None:
        table = read_columns_as_text(options.attributes)
        columns = list(table)
        key = column_named(options.name or columns[0], columns, options.attributes)
        rows = {name: row for row, name in enumerate(table[key])}
        missing = sum(name not in rows for name in names)
        if missing == len(names):
            raise DataError(
                f"no node of '{path}' stands in column '{short(key)}' of '{options.attributes}'; "
                "name the column of the nodes with --name."
            )
        if missing:
            said.append(f"{missing} of {len(names)} nodes have no row in '{options.attributes}'")

        def column(name: str) -> list[str]:
            return [table[name][rows[node]] if node in rows else "" for node in names]

        if options.label is not None:
            wanted = column_named(options.label, columns, options.attributes)
            labels = [value.strip() or None for value in column(wanted)]
        fields = {name: column(name) for name in columns if name not in (key, options.label)}
        graph = _with_attributes(graph, fields, options.attributes, said)
    elif options.label is not None:
        raise DataError("a graph has no column of labels; give the table that has one with --attributes.")
    items = NewItems("node", names, titles, fields=fields, labels=labels, said=said)
    return ItemSource(items, graph=graph)


def _with_attributes(graph: Graph, fields: dict[str, list[str]], path: Path, said: list[str]) -> Graph:
    """The graph with the columns of a table as attributes, unless nothing can be learnt from them."""
    known = {name: typed_cells([cell or None for cell in cells]) for name, cells in fields.items()}
    if not known:
        return graph
    try:
        found = graph.with_attributes(known)
    except GraphError as problem:  # texts without a common word, say
        said.append(f"'{path}' is shown and not predicted from: {str(problem).rstrip('.')}")
        return graph
    more = f" and {len(known) - 8} more" if len(known) > 8 else ""
    said.append(f"predictions use the edges and {', '.join(short(name) for name in list(known)[:8])}{more}")
    return found

"""Graphs as tables of edges: csv, tsv, txt and parquet.

One row is one edge. Integer names are numbered in ascending order, other names in the order in which
they first stand in the source column, then in the target column. So that a graph comes back with
every node in its place, the writers add a row ``v, v, 0`` (a loop, which every reader of graphs here
drops) for each isolated node and, where the names are strings, for each node that no edge lists as
its source.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.columns import (
    NODE_PAIRS,
    WEIGHT_WORDS,
    Column,
    has_header,
    node_columns,
    require_distinct,
    weight_column,
)
from zerokelvin.io.files import existing_file, replacing
from zerokelvin.io.names import integers, name_values
from zerokelvin.io.text import TextTable, is_number, open_text

__all__ = ["read_parquet", "read_text", "write_parquet", "write_text"]

Floats = NDArray[np.float64]
Spec = Column | None

_HEADER_WORDS = [word for pair in NODE_PAIRS for word in pair] + list(WEIGHT_WORDS)


def read_text(
    path: Path,
    kind: str,
    source: Spec = None,
    target: Spec = None,
    weight: Column | bool | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
) -> Graph:
    """Read a graph from delimited text."""
    table = open_text(path, delimiter=delimiter, kind=kind)
    if header is None:
        by_name = any(isinstance(column, str) for column in (source, target, weight))
        header = by_name or has_header(table, _HEADER_WORDS)
    names = table.first[0] if header else [str(i) for i in range(table.width)]
    nodes = node_columns(source, target, names, path)
    body = table.first[header:]
    third = next((row[2] for row in body if len(row) > 2 and row[2]), "") if table.width > 2 else ""
    numeric = is_number(third)
    chosen = weight_column(weight, names, nodes, numeric, path)
    types: dict[int, Any] = dict.fromkeys(nodes, pa.string())
    if chosen is not None and chosen not in nodes:
        types[chosen] = pa.string()
    rows = _read_weighted(table, types, chosen, header)

    def place(row: int) -> str:
        return f"line {table.line(row, header=header)} of '{path}'"

    weights = None if chosen is None else _finite(rows[str(chosen)], place)
    ends = [_filled(rows[str(i)], names[i] if header else str(i), place) for i in nodes]
    return _graph(ends[0], ends[1], weights, path, text=True)


def read_parquet(
    path: Path, source: Spec = None, target: Spec = None, weight: Column | bool | None = None
) -> Graph:
    """Read a graph from a parquet file."""
    existing_file(path)
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            require_distinct(schema.names, path)
            third = len(schema) > 2 and _is_numeric(schema.field(2).type)
            nodes = node_columns(source, target, schema.names, path)
            chosen = weight_column(weight, schema.names, nodes, third, path)
            positions = [*nodes] if chosen is None else [*nodes, chosen]
            rows = file.read(columns=[schema.names[i] for i in positions])
            rows.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        reason = str(problem).splitlines()[0].rstrip(".")
        raise DataError(f"'{path}' cannot be read as parquet: {reason}.") from None

    def place(row: int) -> str:
        return f"row {row + 1} of '{path}'"

    weights = None
    if chosen is not None:
        column = rows[schema.names[chosen]]
        if not _is_numeric(column.type):
            raise DataError(
                f"column '{schema.names[chosen]}' of '{path}' holds {column.type}, not numbers; "
                "choose another weight column."
            )
        weights = _finite(column, place)
    ends = [
        _filled(_names(rows[schema.names[i]], schema.names[i], path), schema.names[i], place) for i in nodes
    ]
    if ends[0].type != ends[1].type:
        ends = [end.cast(pa.large_string()) for end in ends]
    return _graph(ends[0], ends[1], weights, path, text=False)


def write_text(graph: Graph, path: Path, kind: str) -> None:
    """Write a graph as delimited text with a header: commas for csv, tabs for tsv and txt."""
    table = _edge_table(graph, kind, clean=True)
    options = pacsv.WriteOptions(delimiter="," if kind == "csv" else "\t", quoting_style="needed")
    compression = "gzip" if path.suffix.lower() == ".gz" else None
    with replacing(path) as draft, pa.output_stream(draft, compression=compression) as sink:
        pacsv.write_csv(table, sink, options)


def write_parquet(graph: Graph, path: Path) -> None:
    """Write a graph as a parquet file with columns source, target and, unless all are 1, weight."""
    table = _edge_table(graph, "parquet", clean=False)
    with replacing(path) as draft:
        pq.write_table(table, draft, compression="zstd")


def _read_weighted(table: TextTable, types: dict[int, Any], chosen: int | None, header: bool) -> Any:
    if chosen is None:
        return table.read(types, header=header)
    try:
        return table.read({**types, chosen: pa.float64()}, header=header)
    except DataError as problem:
        cells = table.read({chosen: pa.string()}, header=header)[str(chosen)].to_pylist()
        for row, cell in enumerate(cells):
            if cell is not None and not is_number(cell):
                line = table.line(row, header=header)
                raise DataError(
                    f"line {line} of '{table.path}' has weight {cell!r}, which is not a number; correct it, "
                    "or read without weights (weight=False)."
                ) from None
        raise problem from None


def _is_numeric(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _finite(column: Any, place: Any) -> Floats:
    values: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy()
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row = int(bad[0])
        given = "no weight" if column[row].as_py() is None else f"weight {values[row]}"
        raise GraphError(f"{place(row)} has {given}; weights must be finite numbers.")
    return values


def _filled(column: Any, name: str, place: Any) -> Any:
    if column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise DataError(f"{place(row)} has no node in column '{name}'; fill or drop that row.")
    return column


def _names(column: Any, name: str, path: Path) -> Any:
    """A parquet column of names as int64 or large strings."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_integer(kind):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise DataError(f"column '{name}' of '{path}' holds integers beyond 64 bits signed.") from None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    raise DataError(
        f"column '{name}' of '{path}' holds {kind}; node names are integers or strings, so cast the column "
        "or name another."
    )


def _graph(source: Any, target: Any, weights: Floats | None, path: Path, *, text: bool) -> Graph:
    """The graph of two columns of names; texts that all spell integers are integers."""
    if len(source) == 0:
        raise DataError(f"'{path}' holds no edges; give at least one row.")
    if pa.types.is_integer(source.type):
        return _integer_graph(source, target, weights)
    if text:
        sources, targets = integers(source), integers(target)
        if sources is not None and targets is not None:
            return _integer_graph(sources, targets, weights)
    both = pa.chunked_array([*source.chunks, *target.chunks])
    encoded = both.dictionary_encode().unify_dictionaries()
    names = encoded.chunk(0).dictionary
    if text and pc.any(pc.match_substring_regex(names, r"^\s|\s$")).as_py():
        source, target = (pc.utf8_trim_whitespace(column) for column in (source, target))
        return _graph(source, target, weights, path, text=True)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks]).astype(np.int64)
    return Graph.from_edges(codes.reshape(2, -1).T, weights, names=names.to_pylist())


def _integer_graph(source: Any, target: Any, weights: Floats | None) -> Graph:
    columns = {"source": source, "target": target}
    if weights is None:
        return Graph.from_arrow(pa.table(columns), "source", "target")
    return Graph.from_arrow(pa.table({**columns, "weight": weights}), "source", "target", "weight")


def _edge_table(graph: Graph, kind: str, *, clean: bool) -> Any:
    """Edges, and loops for the nodes that would otherwise be lost or misplaced, by source."""
    names = name_values(graph, kind, clean=clean)
    listed = np.zeros(graph.num_nodes, dtype=bool)
    listed[graph.edges[:, 0]] = True
    if not isinstance(names, list):
        listed[graph.edges[:, 1]] = True
    loops = np.flatnonzero(~listed)
    source = np.concatenate([graph.edges[:, 0], loops])
    order = np.argsort(source, kind="stable")
    target = np.concatenate([graph.edges[:, 1], loops])[order]
    values = pa.array(names, pa.large_string() if isinstance(names, list) else pa.int64())
    columns = {"source": values.take(pa.array(source[order])), "target": values.take(pa.array(target))}
    if (graph.edge_weights != 1.0).any():
        columns["weight"] = pa.array(np.concatenate([graph.edge_weights, np.zeros(len(loops))])[order])
    return pa.table(columns)

"""Graphs as tables of edges: csv, tsv, txt and parquet.

One row is one edge. Integer names are numbered in ascending order, other names in the order in which
they first stand in the source column, then in the target column. So that a graph comes back with
every node in its place, the writers add a row ``v, v, 0`` (a loop, which every reader of graphs here
drops) for each isolated node and, where the names are strings, for each node that no edge lists as
its source.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.graph.edge_columns import EDGE_WORDS, NODE_PAIRS
from zerokelvin.io.files import replacing
from zerokelvin.io.formats.headers import has_header, looks_like_times
from zerokelvin.io.formats.parquet import read_columns
from zerokelvin.io.formats.table_columns import Column, EdgeColumns, edge_columns
from zerokelvin.io.formats.text import TextTable, is_number, open_text
from zerokelvin.io.limits import DEFAULT, Limits, short
from zerokelvin.io.names import integers, name_values
from zerokelvin.io.report import ReadReport, Reporter, announce

__all__ = ["read_parquet", "read_text", "write_parquet", "write_text"]

Given = tuple[Column | None, Column | None, Column | bool | None]
Place = Callable[[int], str]

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*(,\d+)?\s*")


def read_text(
    path: Path,
    kind: str,
    given: Given = (None, None, None),
    header: bool | None = None,
    delimiter: str | None = None,
    limits: Limits = DEFAULT,
    report: Reporter | None = None,
) -> Graph:
    """Read a graph from delimited text; `given` are the columns of source, target and weight."""
    table = open_text(path, delimiter=delimiter, kind=kind, limits=limits)
    if header is None:
        by_name = any(isinstance(column, str) for column in given)
        header = by_name or has_header(table, EDGE_WORDS, NODE_PAIRS[0])
    names = table.first[0] if header else None
    body = table.first[header:]

    def cells(position: int) -> list[str]:
        return [row[position] for row in body if position < len(row)]

    chosen = edge_columns(
        names,
        table.width,
        given,
        lambda i: any(is_number(cell) for cell in cells(i)),
        lambda i: looks_like_times(cells(i)),
        path,
    )
    types: dict[int, Any] = dict.fromkeys(chosen.nodes, pa.string())
    if chosen.weight is not None and chosen.weight not in chosen.nodes:
        types[chosen.weight] = pa.string()
    rows = _read_weighted(table, types, chosen.weight, header)

    def place(row: int) -> str:
        return f"line {table.line(row, header=header)} of '{path}'"

    weights = None if chosen.weight is None else _finite(rows[str(chosen.weight)], place)
    spoken: list[Column] = list(range(table.width)) if names is None else list(names)
    ends = [_filled(rows[str(i)], spoken[i], place) for i in chosen.nodes]
    return _Edges(path, chosen, spoken, limits, report).graph(ends[0], ends[1], weights, text=True)


def read_parquet(
    path: Path,
    given: Given = (None, None, None),
    limits: Limits = DEFAULT,
    report: Reporter | None = None,
) -> Graph:
    """Read a graph from a parquet file; `given` are the columns of source, target and weight."""
    found: list[EdgeColumns] = []

    def choose(schema: Any) -> list[int]:
        """The positions of the columns to read; which is which is kept in `found`."""
        kinds = [field.type for field in schema]
        chosen = edge_columns(
            schema.names,
            len(schema),
            given,
            lambda i: _is_numeric(kinds[i]) or pa.types.is_temporal(kinds[i]),
            lambda i: False,
            path,
            text=False,
        )
        found.append(chosen)
        return [*chosen.nodes] if chosen.weight is None else [*chosen.nodes, chosen.weight]

    names, rows = read_columns(path, choose, limits)
    chosen = found[0]

    def place(row: int) -> str:
        return f"row {row + 1} of '{path}'"

    weights = None
    if chosen.weight is not None:
        column = rows[chosen.weight]
        if not _is_numeric(column.type):
            raise DataError(
                f"column '{short(names[chosen.weight])}' of '{path}' holds {_kind(column.type)}, not "
                "numbers; choose another weight column."
            )
        weights = _finite(column, place)
    ends = [_filled(_names(rows[i], names[i], path), names[i], place) for i in chosen.nodes]
    if ends[0].type != ends[1].type:
        ends = [end.cast(pa.large_string()) for end in ends]
    return _Edges(path, chosen, list(names), limits, report).graph(ends[0], ends[1], weights, text=False)


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
    """The rows of a text table with the weight as numbers; a weight that is none is named in the error.

    Between semicolons, as spreadsheets write where the comma is the decimal point, 1,5 is one and a half.
    """
    if chosen is None:
        return table.read(types, header=header)
    try:
        return table.read({**types, chosen: pa.float64()}, header=header)
    except DataError as problem:
        rows = table.read({**types, chosen: pa.string()}, header=header)
        cells = rows[str(chosen)].to_pylist()
        if table.delimiter == ";" and all(cell is None or _DECIMAL_COMMA.fullmatch(cell) for cell in cells):
            points = pc.cast(pc.replace_substring(rows[str(chosen)], ",", "."), pa.float64())
            return rows.set_column(rows.schema.get_field_index(str(chosen)), str(chosen), points)
        for row, cell in enumerate(cells):
            if cell is not None and not is_number(cell):
                line = table.line(row, header=header)
                raise DataError(
                    f"line {line} of '{table.path}' has weight {short(cell)!r}, which is not a "
                    "number; correct it, or read without weights (weight=False, --weight none)."
                ) from None
        raise problem from None


def _kind(kind: Any) -> str:
    """The name of an Arrow type, for a sentence."""
    return short(str(kind).removeprefix("large_"))


def _is_numeric(kind: Any) -> bool:
    """Whether an Arrow type holds integers, floats or decimals."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _finite(column: Any, place: Place) -> Floats:
    """A column of weights as floats; missing and infinite ones are refused, by their place."""
    values: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy()
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row = int(bad[0])
        given = "no weight" if column[row].as_py() is None else f"weight {values[row]}"
        raise GraphError(f"{place(row)} has {given}; weights must be finite numbers.")
    return values


def _filled(column: Any, name: Column, place: Place) -> Any:
    """The same column, refused where a value is missing."""
    if column.null_count:
        row = pc.index(column.is_null(), True).as_py()
        raise DataError(f"{place(row)} has no node in column '{short(name)}'; fill or drop that row.")
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
            raise DataError(
                f"column '{short(name)}' of '{path}' holds integers beyond 64 bits signed."
            ) from None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    raise DataError(
        f"column '{short(name)}' of '{path}' holds {_kind(kind)}; node names are integers or strings, "
        "so cast the column or name another."
    )


@dataclass(frozen=True)
class _Edges:
    """Two columns of names, and weights, on their way to a graph and a report."""

    path: Path
    chosen: EdgeColumns
    names: list[Column]
    limits: Limits
    report: Reporter | None

    def graph(self, source: Any, target: Any, weights: Floats | None, *, text: bool) -> Graph:
        """The graph; texts that all spell integers are integers."""
        if len(source) == 0:
            raise DataError(f"'{self.path}' holds no edges; give at least one row.")
        sources, targets = (integers(end) if text else None for end in (source, target))
        if pa.types.is_integer(source.type):
            sources, targets = source.to_numpy(), target.to_numpy()
        if sources is not None and targets is not None:
            columns = {"source": sources, "target": targets} | (
                {} if weights is None else {"weight": weights}
            )
            graph = Graph.from_arrow(pa.table(columns), *columns)
            return self._announced(graph, sources == targets, weights)
        both = pa.chunked_array([*source.chunks, *target.chunks])
        encoded = both.dictionary_encode().unify_dictionaries()
        names = encoded.chunk(0).dictionary
        self.limits.check("nodes", len(names), self.path)
        if text and pc.any(pc.match_substring_regex(names, r"^\s|\s$")).as_py():
            source, target = (pc.utf8_trim_whitespace(column) for column in (source, target))
            return self.graph(source, target, weights, text=True)
        if text and pc.any(pc.match_substring_regex(names, "[\r\n]")).as_py():
            raise DataError(f"'{self.path}' has a name over several lines; close every quote on its line.")
        if text and pc.index(names, "").as_py() >= 0:
            raise DataError(f"'{self.path}' has a row without a name for one of its nodes; fill or drop it.")
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks]).astype(np.int64)
        pairs = codes.reshape(2, -1)
        graph = Graph.from_edges(pairs.T, weights, names=names.to_pylist())
        return self._announced(graph, pairs[0] == pairs[1], weights)

    def _announced(self, graph: Graph, loops: NDArray[np.bool_], weights: Floats | None) -> Graph:
        """Report on the graph and what was dropped on the way to it; the graph itself."""
        self.limits.check("nodes", graph.num_nodes, self.path)
        zeros = 0 if weights is None else int(np.count_nonzero((weights == 0) & ~loops))
        counts = {"self-loops": int(np.count_nonzero(loops)), "of weight 0": zeros}
        found = ReadReport(
            path=self.path,
            columns=self.chosen.roles(self.names),
            unread=self.chosen.unread(self.names),
            rows=len(loops),
            dropped={reason: count for reason, count in counts.items() if count},
            holds={"nodes": graph.num_nodes, "edges": graph.num_edges},
        )
        announce(found, self.report)
        return graph


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

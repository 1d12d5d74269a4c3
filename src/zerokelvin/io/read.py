"""Read and write graphs in any format, chosen by the suffix of the file name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from zerokelvin.errors import DataError, GraphError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.io.files import PathLike, existing_file, format_suffix
from zerokelvin.io.formats.matrix_market import read_matrix_market, write_matrix_market
from zerokelvin.io.formats.networkx_formats import read_gml, read_graphml, write_gml, write_graphml
from zerokelvin.io.formats.node_link import read_node_link, write_node_link
from zerokelvin.io.formats.npz import read_npz, write_npz
from zerokelvin.io.formats.table_columns import Column
from zerokelvin.io.formats.tables import read_parquet, read_text, write_parquet, write_text
from zerokelvin.io.limits import DEFAULT, Limits
from zerokelvin.io.packs.pack_reader import open_graph
from zerokelvin.io.packs.pack_writer import write_pack
from zerokelvin.io.report import ReadReport, Reporter, announce

__all__ = ["FORMATS", "format_of", "read_graph", "write_graph"]

FORMATS: dict[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "txt": (".txt", ".edges", ".edgelist"),
    "parquet": (".parquet", ".pq"),
    "mtx": (".mtx",),
    "graphml": (".graphml",),
    "gml": (".gml",),
    "npz": (".npz",),
    "json": (".json",),
    "zkg": (".zkg",),
}
_TEXT = ("csv", "tsv", "txt")
_NO_GZIP = ("parquet", "npz", "zkg")

_READERS: dict[str, Callable[[Path, Limits], Graph]] = {
    "mtx": read_matrix_market,
    "graphml": read_graphml,
    "gml": read_gml,
    "npz": read_npz,
    "json": read_node_link,
    "zkg": lambda path, limits: open_graph(path),
}
_WRITERS: dict[str, Callable[[Graph, Path], None]] = {
    "parquet": write_parquet,
    "mtx": write_matrix_market,
    "graphml": write_graphml,
    "gml": write_gml,
    "npz": write_npz,
    "json": write_node_link,
    "zkg": write_pack,
}


def read_graph(
    path: PathLike,
    *,
    format: str | None = None,  # noqa: A002 - the usual name, part of the public contract
    source: Column | None = None,
    target: Column | None = None,
    weight: Column | bool | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    limits: Limits = DEFAULT,
    report: Reporter | None = None,
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path
        The file. Text formats may be compressed (``.gz``).
    format
        One of csv, tsv, txt, parquet, mtx, graphml, gml, npz, json, zkg; by default told by the suffix. A zkg
        is opened, as by `open_graph`, and not read.
    source, target
        Tables only: the two node columns, by name or by position from 0. Without them the columns must
        be plain: usual names (source and target, src and dst, from and to, u and v, …), or no header and
        two columns, or three of which the last is a weight. Anything else is refused, never guessed.
    weight
        Tables only: the weight column, by name or position; False for none. By default a column
        called weight, w or value; any other column of numbers has to be settled with this option.
    header
        csv, tsv, txt only: whether the first row names the columns; found out by default.
    delimiter
        csv, tsv, txt only: one character, a space for runs of blanks; found out by default.
    limits
        How much the file may hold; see `Limits`.
    report
        Called with a `ReadReport` that says what was read and what was dropped.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "edges.csv")
    >>> write_graph(Graph.from_edges([("ann", "bob"), ("bob", "cem")], [2.0, 0.5]), path)
    >>> read_graph(path)
    Graph(nodes=3, edges=2)
    """
    found = Path(path)
    kind = format_of(found, format)
    existing_file(found)
    given = (source, target, weight)
    if kind not in _TEXT:
        _refuse(kind, header=header, delimiter=delimiter)
        if kind != "parquet":
            _refuse(kind, source=source, target=target, weight=weight)
    try:
        if kind in _TEXT:
            return read_text(found, kind, given, header, delimiter, limits, report)
        if kind == "parquet":
            return read_parquet(found, given, limits, report)
        graph = _READERS[kind](found, limits)
    except GraphError as problem:
        if str(found) in str(problem):
            raise
        raise GraphError(f"'{found}': {problem}") from None
    except MemoryError:
        raise DataError(f"'{found}' does not fit into memory.") from None
    holds = {"nodes": graph.num_nodes, "edges": graph.num_edges}
    announce(ReadReport(found, holds=holds), report)
    return graph


def write_graph(graph: Graph, path: PathLike, *, format: str | None = None) -> None:  # noqa: A002
    """Write a graph to a file, whole or not at all; `format` is told by the suffix by default.

    Every format keeps structure and weights. Matrix Market keeps no names; the others keep names
    that are all strings or all integers (see the guide on files for the details).
    """
    found = Path(path)
    kind = format_of(found, format)
    if kind in _NO_GZIP and found.suffix.lower() == ".gz":
        raise ParameterError(f"{kind} is compressed already; leave out the .gz of '{found.name}'.")
    if kind in _TEXT:
        write_text(graph, found, kind)
    else:
        _WRITERS[kind](graph, found)


def format_of(path: Path, given: str | None = None) -> str:
    """The format of a file, as given or by its suffix."""
    if given is not None:
        if given not in FORMATS:
            raise ParameterError(f"unknown format '{given}'; known: {', '.join(FORMATS)}.")
        return given
    suffix = format_suffix(path)
    for kind, suffixes in FORMATS.items():
        if suffix in suffixes:
            return kind
    known = " ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
    raise DataError(f"'{path}' has the unknown suffix '{suffix}'; known: {known}, or give format=.")


def _refuse(kind: str, **options: object) -> None:
    """Refuse options that a format does not have."""
    for name, value in options.items():
        if value is not None:
            raise ParameterError(f"{name}={value!r} has no meaning for {kind} files; leave it out.")

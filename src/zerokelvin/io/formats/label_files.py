"""Read node labels: pairs of a node name and a label, or the labels of an npz file.

Labels come back in node order: an array of class values, masked where a node has no label. Labels
that are all integers become integers (1.0 counts as one), other labels stay strings; −1 is a label
like any other, except in npz files, where it marks an unlabelled node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from zerokelvin.errors import DataError, LabelError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.io.files import PathLike, existing_file
from zerokelvin.io.formats.headers import has_header
from zerokelvin.io.formats.label_columns import LABEL_WORDS, NODE_WORDS, label_columns
from zerokelvin.io.formats.npz import label_codes, read_arrays
from zerokelvin.io.formats.parquet import read_columns
from zerokelvin.io.formats.table_columns import Column
from zerokelvin.io.formats.text import open_text
from zerokelvin.io.limits import DEFAULT, Limits, short
from zerokelvin.io.names import parse_integer
from zerokelvin.io.read import format_of
from zerokelvin.io.report import ReadReport, Reporter, announce

__all__ = ["read_labels"]

Pairs = tuple[list[Any], list[Any], Callable[[int], str], ReadReport]


def read_labels(
    path: PathLike,
    graph: Graph,
    *,
    node: Column | None = None,
    label: Column | None = None,
    header: bool | None = None,
    limits: Limits = DEFAULT,
    report: Reporter | None = None,
) -> NDArray[Any]:
    r"""Read the labels of a graph's nodes.

    Parameters
    ----------
    path
        csv, tsv, txt (plain or .gz) or parquet with a row per labelled node, in any order; or an npz
        file with ``labels``. An empty label says that the label is unknown.
    graph
        The graph whose nodes the labels belong to.
    node, label
        The two columns, by name or by position from 0. Without them they must be plain: columns with
        usual names (node or id, label or class), or two columns without a header, node before label.
    header
        csv, tsv, txt only: whether the first row names the columns; found out by default.
    limits
        How much the file may hold; see `Limits`.
    report
        Called with a `ReadReport` that says what was read.

    Returns
    -------
    array
        One class value per node, in node order; a masked array where some are unknown. From an npz
        file, the integer codes it holds.

    Raises
    ------
    NodeError
        Where a row names a node that is not in the graph.
    LabelError
        Where a node has two different labels, or no node has a label.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.csv")
    >>> _ = path.write_text("node,label\nann,ok\ncem,fraud\n")
    >>> read_labels(path, Graph.from_edges([("ann", "bob"), ("bob", "cem")])).tolist()
    ['ok', None, 'fraud']
    """
    found = existing_file(path)
    kind = format_of(found)
    if kind == "npz":
        values = _from_npz(found, graph, limits)
        _announce_labels(values, ReadReport(found), limits, report, coded=True)
        return values
    if kind == "parquet":
        nodes, given, place, read = _parquet_pairs(found, node, label, limits)
    elif kind in ("csv", "tsv", "txt"):
        nodes, given, place, read = _text_pairs(found, kind, (node, label, header), graph, limits)
    else:
        raise DataError(f"'{found}' cannot hold labels; give csv, tsv, txt, parquet or npz.")
    values = _in_node_order(nodes, given, graph, place)
    _announce_labels(values, read, limits, report)
    return values


def _text_pairs(
    path: Path,
    kind: str,
    given: tuple[Column | None, Column | None, bool | None],
    graph: Graph,
    limits: Limits,
) -> Pairs:
    """Nodes and labels of delimited text, row by row; `given`: node, label, whether a header."""
    table = open_text(path, kind=kind, limits=limits)
    node, label, header = given
    if header is None:
        named = isinstance(node, str) or isinstance(label, str)
        at = node if isinstance(node, int) and 0 <= node < table.width else 0
        known = _finder(graph)(table.first[0][at]) is not None
        header = named or (not known and has_header(table, NODE_WORDS | LABEL_WORDS))
    names = table.first[0] if header else None
    positions = label_columns(names, table.width, node, label, path)
    rows = table.read(dict.fromkeys(positions, pa.string()), header=header)
    nodes, values = (
        [None if cell is None else cell.strip() for cell in rows[str(i)].to_pylist()] for i in positions
    )

    def place(row: int) -> str:
        return f"line {table.line(row, header=header)} of '{path}'"

    spoken: list[Column] = list(range(table.width)) if names is None else list(names)
    return nodes, _class_values(values), place, _read(path, spoken, positions, values)


def _parquet_pairs(path: Path, node: Column | None, label: Column | None, limits: Limits) -> Pairs:
    """Nodes and labels of a parquet file, row by row."""
    found: list[tuple[int, int]] = []

    def choose(schema: Any) -> list[int]:
        found.append(label_columns(schema.names, len(schema), node, label, path))
        return list(found[0])

    names, rows = read_columns(path, choose, limits)
    for position in found[0]:
        if pa.types.is_nested(rows[position].type) or pa.types.is_null(rows[position].type):
            raise DataError(
                f"column '{short(names[position])}' of '{path}' holds {short(rows[position].type)}; "
                "nodes and labels are integers or strings."
            )
    nodes, values = (rows[position].to_pylist() for position in found[0])
    values = [None if value is None or value != value or value == "" else value for value in values]
    if all(isinstance(value, float) and value.is_integer() for value in values if value is not None):
        values = [None if value is None else int(value) for value in values]
    read = _read(path, list(names), found[0], values)
    return nodes, values, lambda row: f"row {row + 1} of '{path}'", read


def _read(path: Path, names: list[Column], positions: tuple[int, int], values: list[Any]) -> ReadReport:
    """The report on a file of labels: its columns, its rows, and how many have no label."""
    empty = sum(value is None or value == "" for value in values)
    return ReadReport(
        path=path,
        columns={"node": names[positions[0]], "label": names[positions[1]]},
        unread=tuple(name for i, name in enumerate(names) if i not in positions),
        rows=len(values),
        dropped={"no label": empty} if empty else {},
    )


def _announce_labels(
    values: NDArray[Any], read: ReadReport, limits: Limits, report: Reporter | None, *, coded: bool = False
) -> None:
    """Check how many classes there are and report what was read."""
    known = np.ma.compressed(values)
    classes = np.unique(known)
    limits.check("classes", len(classes), read.path)
    strange = (
        not coded and classes.dtype.kind == "i" and -1 in classes and not set(classes.tolist()) <= {-1, 1}
    )
    note = (
        "The label -1 is a class like the others here; leave a label empty where it is unknown."
        if strange
        else ""
    )
    holds = {"labels": len(known), "classes": len(classes)}
    announce(replace(read, holds=holds, note=note), report)


def _class_values(texts: list[str | None]) -> list[Any]:
    """Integers where every label is one, else the texts; None for an empty one."""
    whole = {text: _whole(text) for text in set(texts) if text}
    if all(value is not None for value in whole.values()):
        return [whole[text] if text else None for text in texts]
    return [text or None for text in texts]


def _whole(text: str) -> int | None:
    """The integer that a text spells, also as 3.0; None if it spells none."""
    integer = parse_integer(text)
    if integer is None and text.endswith(".0"):
        integer = parse_integer(text[:-2])
    return integer


def _finder(graph: Graph) -> Callable[[Hashable], int | None]:
    """A function from a name in a file to a node's index; where names are integers, texts spell them."""
    names = range(graph.num_nodes) if graph.names is None else graph.names
    positions: dict[Hashable, int] = {name: i for i, name in enumerate(names)}
    integral = all(isinstance(name, (int, np.integer)) for name in names)

    def find(name: Hashable) -> int | None:
        if integral and isinstance(name, str):
            name = parse_integer(name)
        return positions.get(name)

    return find


def _in_node_order(
    nodes: list[Any], values: list[Any], graph: Graph, place: Callable[[int], str]
) -> NDArray[Any]:
    """One label per node, masked where there is none; unknown nodes and contradictions are refused."""
    find = _finder(graph)
    found: list[Any] = [None] * graph.num_nodes
    for row, (name, value) in enumerate(zip(nodes, values, strict=True)):
        at = None if name is None else find(name)
        if at is None:
            if (alike := _spelt_alike(name, find)) is not None:
                raise NodeError(
                    f"{place(row)} labels node {_quoted(name)}, which the graph has as {_quoted(alike)}; "
                    "names are texts, so spell it alike in both files."
                )
            raise NodeError(
                f"{place(row)} labels node {_quoted(name)}, which is not in the graph of "
                f"{graph.num_nodes} nodes (the first is {_quoted(graph.name(0))}); drop that row, or "
                "name the columns with node= and label= (--node, --label) if it is a header."
            )
        if value is None or found[at] == value:
            continue
        if found[at] is not None:
            raise LabelError(
                f"{place(row)} gives node {_quoted(name)} the label {_quoted(value)}, but an earlier "
                f"row gave it {_quoted(found[at])}; keep one of them."
            )
        found[at] = value
    return _array(found)


def _spelt_alike(name: Hashable, find: Callable[[Hashable], int | None]) -> str | None:
    """A whole number as the graph spells it: 1.0 for 1 or 1 for 1.0, which frames with gaps write."""
    text = str(name)
    other = text.removesuffix(".0") if text.endswith(".0") else f"{text}.0"
    return other if name is not None and find(other) is not None else None


def _quoted(value: Any) -> str:
    """A value as it is shown in an error."""
    return short(repr(value))


def _array(values: list[Any]) -> NDArray[Any]:
    """Labels as an array, masked where they are None; at least one must be known."""
    unknown = np.array([value is None for value in values])
    if unknown.all():
        raise LabelError("no node has a label; give at least one label.")
    filler = next(value for value in values if value is not None)
    array = np.array([filler if value is None else value for value in values])
    return np.ma.masked_array(array, mask=unknown) if unknown.any() else array


def _from_npz(path: Path, graph: Graph, limits: Limits) -> NDArray[Any]:
    """The label codes of an npz file, by its names where it has them, else in the order of the nodes."""
    arrays = read_arrays(path, limits)
    count = int(np.size(arrays.get("labels", ())))
    codes = label_codes(arrays, count, path, limits)
    if "names" in arrays and arrays["names"].shape == codes.shape:
        values = np.ma.masked_array(codes).tolist()
        return _in_node_order(arrays["names"].tolist(), values, graph, lambda row: f"node {row} of '{path}'")
    if count != graph.num_nodes:
        raise LabelError(
            f"'{path}' has labels for {count} nodes, but the graph has {graph.num_nodes}; take both from "
            "the same file."
        )
    return codes

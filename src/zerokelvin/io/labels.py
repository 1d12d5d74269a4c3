"""Read node labels: pairs of a node name and a label, or the labels of an npz file.

Labels come back in node order: an array of class values, masked where a node has no label. Labels
that are all integers become integers (1.0 counts as one), other labels stay strings; −1 is a label
like any other, except in npz files, where it marks an unlabelled node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from zerokelvin.errors import DataError, LabelError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.io.columns import Column, find_column, has_header, require_distinct
from zerokelvin.io.files import PathLike, existing_file
from zerokelvin.io.names import parse_integer
from zerokelvin.io.npz import label_codes, read_arrays
from zerokelvin.io.read import format_of
from zerokelvin.io.text import open_text

__all__ = ["read_labels"]

_NODE_WORDS = ("node", "id", "name", "node_id", "nodeid", "vertex", "account")
_LABEL_WORDS = ("label", "class", "y", "category", "target", "truth")


def read_labels(
    path: PathLike, graph: Graph, *, node: Column | None = None, label: Column | None = None
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
        The two columns, by name or by position from 0; by default the first two, or those with
        usual names (node or id, label or class).

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
        return _from_npz(found, graph)
    if kind == "parquet":
        nodes, values, place = _parquet_pairs(found, node, label)
    elif kind in ("csv", "tsv", "txt"):
        nodes, values, place = _text_pairs(found, kind, node, label, graph)
    else:
        raise DataError(f"'{found}' cannot hold labels; give csv, tsv, txt, parquet or npz.")
    return _in_node_order(nodes, values, graph, place)


def _text_pairs(
    path: Path, kind: str, node: Column | None, label: Column | None, graph: Graph
) -> tuple[list[Any], list[Any], Callable[[int], str]]:
    table = open_text(path, kind=kind)
    named = isinstance(node, str) or isinstance(label, str)
    at = node if isinstance(node, int) and 0 <= node < table.width else 0
    known = _finder(graph)(table.first[0][at]) is not None
    header = named or (not known and has_header(table, (*_NODE_WORDS, *_LABEL_WORDS)))
    names = table.first[0] if header else [str(i) for i in range(table.width)]
    positions = _pair_columns(node, label, names, path)
    rows = table.read(dict.fromkeys(positions, pa.string()), header=header)
    nodes, values = (
        [None if cell is None else cell.strip() for cell in rows[str(i)].to_pylist()] for i in positions
    )

    def place(row: int) -> str:
        return f"line {table.line(row, header=header)} of '{path}'"

    return nodes, _class_values(values), place


def _parquet_pairs(
    path: Path, node: Column | None, label: Column | None
) -> tuple[list[Any], list[Any], Callable[[int], str]]:
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            require_distinct(names, path)
            chosen = [names[i] for i in _pair_columns(node, label, names, path)]
            rows = file.read(columns=chosen)
            rows.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        reason = str(problem).splitlines()[0].rstrip(".")
        raise DataError(f"'{path}' cannot be read as parquet: {reason}.") from None
    nodes, values = (rows[name].to_pylist() for name in chosen)
    values = [None if value is None or value != value or value == "" else value for value in values]
    if all(isinstance(value, float) and value.is_integer() for value in values if value is not None):
        values = [None if value is None else int(value) for value in values]
    return nodes, values, lambda row: f"row {row + 1} of '{path}'"


def _pair_columns(
    node: Column | None, label: Column | None, names: Sequence[str], path: Path
) -> tuple[int, int]:
    if len(names) < 2:
        raise DataError(f"'{path}' has one column only; labels need two, a node and its label.")
    lower = [name.lower() for name in names]
    usual_node = next((lower.index(word) for word in _NODE_WORDS if word in lower), 0)
    usual_label = next((lower.index(word) for word in _LABEL_WORDS if word in lower), 1)
    first = usual_node if node is None else find_column(node, names, path)
    second = usual_label if label is None else find_column(label, names, path)
    if first == second:
        raise DataError(
            f"column '{names[first]}' of '{path}' is both node and label; name them with node=, label=."
        )
    return first, second


def _class_values(texts: list[str | None]) -> list[Any]:
    """Integers where every label is one, else the texts; None for an empty one."""
    whole = {text: _whole(text) for text in set(texts) if text}
    if all(value is not None for value in whole.values()):
        return [whole[text] if text else None for text in texts]
    return [text or None for text in texts]


def _whole(text: str) -> int | None:
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
    find = _finder(graph)
    found: list[Any] = [None] * graph.num_nodes
    for row, (name, value) in enumerate(zip(nodes, values, strict=True)):
        at = None if name is None else find(name)
        if at is None:
            raise NodeError(
                f"{place(row)} labels node {name!r}, which is not in the graph of {graph.num_nodes} nodes "
                f"(the first is {graph.name(0)!r}); drop that row, or name the columns if it is a header."
            )
        if value is None or found[at] == value:
            continue
        if found[at] is not None:
            raise LabelError(
                f"{place(row)} gives node {name!r} the label {value!r}, but an earlier row gave it "
                f"{found[at]!r}; keep one of them."
            )
        found[at] = value
    return _array(found)


def _array(values: list[Any]) -> NDArray[Any]:
    unknown = np.array([value is None for value in values])
    if unknown.all():
        raise LabelError("no node has a label; give at least one label.")
    filler = next(value for value in values if value is not None)
    array = np.array([filler if value is None else value for value in values])
    return np.ma.masked_array(array, mask=unknown) if unknown.any() else array


def _from_npz(path: Path, graph: Graph) -> NDArray[Any]:
    arrays = read_arrays(path)
    count = int(np.size(arrays.get("labels", ())))
    codes = label_codes(arrays, count, path)
    if "names" in arrays:
        values = np.ma.masked_array(codes).tolist()
        return _in_node_order(arrays["names"].tolist(), values, graph, lambda row: f"node {row} of '{path}'")
    if count != graph.num_nodes:
        raise LabelError(
            f"'{path}' has labels for {count} nodes, but the graph has {graph.num_nodes}; take both from "
            "the same file."
        )
    return codes

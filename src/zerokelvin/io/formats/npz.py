"""Graphs and labelled data sets as compressed npz files without pickled objects.

The layout: ``edges`` (m, 2) with every undirected edge once, ``n`` the number of nodes, ``weights``
where they are not all 1, ``names`` where nodes have names, ``attributes_…`` where they have attributes;
for data sets also ``labels`` (a code per node, −1 for an unlabelled one) and ``label_names``; files of
points hold ``X`` instead of edges. What `scipy.sparse.save_npz` writes is read as the weight matrix of a
graph. Nothing is ever unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.archive import read_arrays
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.formats.attribute_arrays import attribute_arrays, attributes_of
from zerokelvin.io.limits import DEFAULT, Limits, short
from zerokelvin.io.names import name_values

__all__ = ["graph_arrays", "graph_of", "label_codes", "read_arrays", "read_npz", "write_arrays", "write_npz"]

_SPARSE = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}


def read_npz(path: Path, limits: Limits = DEFAULT) -> Graph:
    """Read a graph from an npz file of this package or of scipy.sparse."""
    return graph_of(read_arrays(path, limits), path, limits)


def write_npz(graph: Graph, path: Path) -> None:
    """Write a graph as an npz file."""
    write_arrays(path, graph_arrays(graph))


def write_arrays(path: PathLike, arrays: Mapping[str, Any]) -> None:
    """Write a compressed npz file in one step."""
    with replacing(path) as draft, draft.open("wb") as sink:
        np.savez_compressed(sink, allow_pickle=False, **arrays)


def graph_of(arrays: Mapping[str, NDArray[Any]], path: PathLike, limits: Limits = DEFAULT) -> Graph:
    """The graph in the arrays of one npz file."""
    if "edges" not in arrays:
        if {"format", "shape", "data"} <= set(arrays):
            return _from_sparse(arrays, path, limits)
        if "X" in arrays:
            raise DataError(
                f"'{path}' holds points, not edges; load it with load_dataset and build a graph from "
                ".points, for instance with knn_graph."
            )
        raise DataError(f"'{path}' has no array 'edges'; it holds {_listed(arrays)}.")
    edges = arrays["edges"]
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise DataError(
            f"'edges' of '{path}' is {edges.dtype} {edges.shape}; it must be integers of shape (m, 2)."
        )
    count = arrays.get("n")
    if count is not None and (count.size != 1 or count.dtype.kind not in "iu"):
        raise DataError(f"'n' of '{path}' must be one integer, the number of nodes.")
    declared = None if count is None else int(count.reshape(-1)[0])
    limits.check("nodes", max(declared or 0, int(edges.max()) + 1 if edges.size else 0), path)
    names = arrays.get("names")
    if names is not None and names.ndim != 1:
        raise DataError(f"'names' of '{path}' has shape {names.shape}; give one name per node.")
    known = attributes_of(arrays, path, limits)
    try:
        graph = Graph.from_edges(
            edges.astype(np.int64),
            arrays.get("weights"),
            num_nodes=declared,
            names=None if names is None else names.tolist(),
        )
        return graph if known is None else graph.with_attributes(known)
    except GraphError as problem:
        raise GraphError(f"'{path}': {problem}") from None


def graph_arrays(graph: Graph) -> dict[str, Any]:
    """The arrays edges, n, and where needed weights, names, attributes, that `graph_of` makes it of again."""
    small = graph.num_nodes <= np.iinfo(np.int32).max
    arrays: dict[str, Any] = {
        "edges": graph.edges.astype(np.int32 if small else np.int64),
        "n": np.int64(graph.num_nodes),
    }
    if (graph.edge_weights != 1.0).any():
        arrays["weights"] = graph.edge_weights
    if graph.names is not None:
        names = name_values(graph, "npz")
        if isinstance(names, list) and any(name.endswith("\0") for name in names):
            raise GraphError("a node name ends in a null character, which npz cannot hold; rename the node.")
        arrays["names"] = np.array(names)
    if graph.attributes is not None:
        arrays |= attribute_arrays(graph.attributes)
    return arrays


def label_codes(
    arrays: Mapping[str, NDArray[Any]], count: int, path: PathLike, limits: Limits = DEFAULT
) -> NDArray[np.int64]:
    """The label codes of an npz file, masked where they are −1 (unlabelled)."""
    if "labels" not in arrays:
        raise DataError(f"'{path}' has no array 'labels'; it holds {_listed(arrays)}.")
    labels = arrays["labels"]
    if labels.shape != (count,) or labels.dtype.kind not in "iu":
        raise DataError(
            f"'labels' of '{path}' is {labels.dtype} {labels.shape}; give one integer per node, ({count},)."
        )
    limits.check("classes", int(labels.max(initial=0)) + 1, path)
    codes = labels.astype(np.int64)
    if codes.min(initial=0) < -1:
        raise DataError(
            f"'labels' of '{path}' holds {codes.min()}; codes start at 0, and -1 means unlabelled."
        )
    unknown = codes == -1
    return np.ma.masked_array(codes, mask=unknown) if unknown.any() else codes


def _listed(arrays: Mapping[str, Any]) -> str:
    """The names of the arrays, for a sentence."""
    return short(", ".join(arrays), 200) or "nothing"


def _from_sparse(arrays: Mapping[str, NDArray[Any]], path: PathLike, limits: Limits) -> Graph:
    """The graph of a matrix that scipy.sparse.save_npz wrote."""
    kind, shape, data = arrays["format"], arrays["shape"], arrays["data"]
    name = str(kind.item().decode("latin-1")) if kind.dtype.kind == "S" and kind.size == 1 else str(kind)
    wanted = _SPARSE.get(name, ("",))
    parts: list[Any] = [arrays[part] for part in wanted if part in arrays]
    if len(parts) != len(wanted) or any(part.dtype.kind not in "iu" for part in parts):
        raise DataError(f"'{path}' is no matrix as scipy.sparse.save_npz writes it; write it again.")
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or data.dtype.kind not in "biuf":
        raise DataError(
            f"'{path}' holds a matrix of {data.dtype} whose shape is {short(shape)}; the weight "
            "matrix of a graph is square and holds real numbers."
        )
    rows, columns = (int(size) for size in shape)
    limits.check("nodes", max(rows, columns), path)
    try:
        matrix: Any
        if name == "coo":
            matrix = sp.coo_array((data, (parts[0], parts[1])), shape=(rows, columns))
        elif name == "dia":
            matrix = sp.dia_array((data, parts[0]), shape=(rows, columns))
        else:
            build = {"csr": sp.csr_array, "csc": sp.csc_array, "bsr": sp.bsr_array}[name]
            matrix = build((data, parts[0], parts[1]), shape=(rows, columns))
            matrix.check_format(full_check=True)
        return Graph.from_scipy(sp.coo_array(matrix.astype(np.float64)))
    except GraphError as problem:
        raise GraphError(f"'{path}': {problem}") from None
    except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as problem:
        reason = short(str(problem) or type(problem).__name__, 120).rstrip(".")
        raise DataError(f"'{path}' holds a damaged sparse matrix: {reason}.") from None

"""Graphs and labelled data sets as compressed npz files without pickled objects.

The layout: ``edges`` (m, 2) with every undirected edge once, ``n`` the number of nodes, ``weights``
where they are not all 1, ``names`` where nodes have names; for data sets also ``labels`` (a code per
node, −1 for an unlabelled one) and ``label_names``; files of points hold ``X`` instead of edges.
Nothing is ever unpickled.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.files import PathLike, read_bytes, replacing
from zerokelvin.io.names import name_values

__all__ = ["graph_arrays", "graph_of", "label_codes", "read_arrays", "read_npz", "write_arrays", "write_npz"]

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    EOFError,
    OSError,
    TypeError,
    RuntimeError,  # an encrypted archive, or one of an unknown version
)
Arrays = dict[str, NDArray[Any]]


def read_npz(path: Path) -> Graph:
    """Read a graph from an npz file."""
    return graph_of(read_arrays(path), path)


def write_npz(graph: Graph, path: Path) -> None:
    """Write a graph as an npz file."""
    write_arrays(path, graph_arrays(graph))


def read_arrays(path: PathLike) -> Arrays:
    """Every array of an npz file; pickled objects are refused."""
    data = read_bytes(path)
    try:
        with np.lib.npyio.NpzFile(BytesIO(data), allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except _DAMAGE as problem:
        if "allow_pickle" in str(problem):
            raise DataError(
                f"'{path}' holds pickled objects, which are never loaded; save plain arrays."
            ) from None
        raise DataError(f"'{path}' is not a complete npz file; write or download it again.") from None


def write_arrays(path: PathLike, arrays: Mapping[str, Any]) -> None:
    """Write a compressed npz file in one step."""
    with replacing(path) as draft, draft.open("wb") as sink:
        np.savez_compressed(sink, allow_pickle=False, **arrays)


def graph_of(arrays: Mapping[str, NDArray[Any]], path: PathLike) -> Graph:
    """The graph in the arrays of one npz file."""
    if "edges" not in arrays:
        if "X" in arrays:
            raise DataError(
                f"'{path}' holds points, not edges; load it with load_dataset and build a graph from "
                ".points, for instance with knn_graph."
            )
        raise DataError(f"'{path}' has no array 'edges'; it holds {', '.join(arrays) or 'nothing'}.")
    edges = arrays["edges"]
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise DataError(
            f"'edges' of '{path}' is {edges.dtype} {edges.shape}; it must be integers of shape (m, 2)."
        )
    count = arrays.get("n")
    if count is not None and (count.size != 1 or count.dtype.kind not in "iu"):
        raise DataError(f"'n' of '{path}' must be one integer, the number of nodes.")
    names = arrays.get("names")
    try:
        return Graph.from_edges(
            edges.astype(np.int64),
            arrays.get("weights"),
            num_nodes=None if count is None else int(count.reshape(-1)[0]),
            names=None if names is None else names.tolist(),
        )
    except GraphError as problem:
        raise GraphError(f"'{path}': {problem}") from None


def graph_arrays(graph: Graph) -> dict[str, Any]:
    """The arrays that hold a graph."""
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
    return arrays


def label_codes(arrays: Mapping[str, NDArray[Any]], count: int, path: PathLike) -> NDArray[np.int64]:
    """The label codes of an npz file, masked where they are −1 (unlabelled)."""
    if "labels" not in arrays:
        raise DataError(f"'{path}' has no array 'labels'; it holds {', '.join(arrays) or 'nothing'}.")
    labels = arrays["labels"]
    if labels.shape != (count,) or labels.dtype.kind not in "iu":
        raise DataError(
            f"'labels' of '{path}' is {labels.dtype} {labels.shape}; give one integer per node, ({count},)."
        )
    codes = labels.astype(np.int64)
    if codes.min(initial=0) < -1:
        raise DataError(
            f"'labels' of '{path}' holds {codes.min()}; codes start at 0, and -1 means unlabelled."
        )
    unknown = codes == -1
    return np.ma.masked_array(codes, mask=unknown) if unknown.any() else codes

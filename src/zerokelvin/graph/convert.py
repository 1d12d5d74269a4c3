"""Columns of data frames and tables, and graphs of other packages, as edges, weights and names.

A package is told by the module of the value's type, so that none is imported that the caller does not use.
Frames of any package are read column by column: through Arrow where they offer it, else as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError
from zerokelvin.graph.canonical import by_number
from zerokelvin.graph.edge_columns import known_pair, known_weights
from zerokelvin.lazy import LazyModule

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa, pc = LazyModule("pyarrow"), LazyModule("pyarrow.compute")

__all__ = [
    "EdgeList",
    "connectivities",
    "frame_columns",
    "from_arrow",
    "from_frame",
    "from_igraph",
    "from_networkx",
    "from_pandas",
    "is_anndata",
    "is_frame",
    "observation_names",
]


class EdgeList(NamedTuple):
    """Edges as index pairs, with what else `Graph.from_edges` takes."""

    edges: Ints
    weights: Floats | list[float] | None
    num_nodes: int | None
    names: Sequence[Hashable] | None


def from_networkx(graph: Any, weight: str) -> EdgeList:
    """Take apart an undirected networkx graph; edges without `weight` weigh 1."""
    if graph.is_directed():
        raise GraphError("the networkx graph is directed; pass G.to_undirected().")
    names = list(graph.nodes)
    position = {name: i for i, name in enumerate(names)}
    triples = [(position[u], position[v], w) for u, v, w in graph.edges(data=weight, default=1.0)]
    edges = np.array([(u, v) for u, v, _ in triples], dtype=np.int64).reshape(-1, 2)
    pairs, given = by_number(edges, names)
    return EdgeList(pairs, [w for _, _, w in triples], len(names), given)


def from_igraph(graph: Any, weight: str) -> EdgeList:
    """Take apart an undirected igraph graph; names come from the ``name`` attribute."""
    if graph.is_directed():
        raise GraphError("the igraph graph is directed; pass g.as_undirected().")
    edges: Ints = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = graph.es[weight] if weight in graph.es.attributes() else None
    if "name" not in graph.vs.attributes():
        return EdgeList(edges, weights, graph.vcount(), None)
    pairs, names = by_number(edges, graph.vs["name"])
    return EdgeList(pairs, weights, graph.vcount(), names)


def is_anndata(value: Any) -> bool:
    """Whether this is an AnnData object."""
    return any(kind.__module__.partition(".")[0] == "anndata" for kind in type(value).__mro__) and hasattr(
        value, "obsp"
    )


def connectivities(data: Any, key: str) -> Any:
    """The symmetric matrix ``obsp[key]`` of an AnnData object, without a diagonal.

    Where the two directions of an edge differ, the larger weight counts.
    """
    if key not in data.obsp:
        known = ", ".join(data.obsp) or "none"
        raise GraphError(
            f"the AnnData object has no obsp['{key}'], only {known}; make it, as by scanpy.pp.neighbors, "
            "or name another with obsp=."
        )
    matrix = sp.csr_array(data.obsp[key])
    matrix = sp.csr_array(matrix.maximum(matrix.T))
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return matrix


def observation_names(data: Any) -> list[Hashable]:
    """The names of the observations of an AnnData object, each of which must be its own."""
    names: list[Hashable] = [str(name) for name in data.obs_names]
    if len(set(names)) < len(names):
        raise GraphError("obs_names repeat; call adata.obs_names_make_unique() first.")
    return names


def is_frame(value: Any) -> bool:
    """Whether this is a data frame or table, of whatever package."""
    if hasattr(value, "column_names") or hasattr(value, "__dataframe__"):
        return True
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


def frame_columns(table: Any) -> dict[str, list[Any]]:
    """The columns of a frame by name, as lists; None where a value is missing."""
    frame = _with_columns(table)
    names = _column_names(frame)
    _require_columns(names, names)
    return {str(name): _decoded(_arrow_column(frame, name)).to_pylist() for name in names}


def from_frame(table: Any) -> EdgeList:
    """Take the columns of a frame that are plainly source, target and weight, or refuse."""
    frame = _with_columns(table)
    names = _column_names(frame)
    listed = ", ".join(map(str, names))
    nodes = known_pair(names)
    if nodes is None:
        raise GraphError(
            f"the table's columns are {listed}, of which no two are plainly source and target; name them: "
            "Graph.from_pandas(table, source=…, target=…, weight=…)."
        )
    source, target = (names[i] for i in nodes)
    weights = known_weights(names, nodes)
    if not weights:
        rest = [name for i, name in enumerate(names) if i not in nodes]
        weights = [names.index(name) for name in rest if _is_numeric(_arrow_column(frame, name).type)]
        if not weights:
            return from_pandas(frame, source, target, None)
    if len(weights) == 1 and weights == known_weights(names, nodes):
        return from_pandas(frame, source, target, names[weights[0]])
    raise GraphError(
        f"the table's columns are {listed}, of which none is plainly the weight; name it, or None for none: "
        f"Graph.from_pandas(table, {source!r}, {target!r}, weight=…)."
    )


def from_pandas(table: Any, source: Any, target: Any, weight: Any) -> EdgeList:
    """Take two or three columns of a data frame, of pandas or any other package."""
    frame = _with_columns(table)
    wanted = [column for column in (source, target, weight) if column is not None]
    _require_columns(wanted, _column_names(frame))
    columns = {str(column): _arrow_column(frame, column) for column in wanted}
    return from_arrow(pa.table(columns), str(source), str(target), None if weight is None else str(weight))


def from_arrow(table: Any, source: str, target: str, weight: str | None) -> EdgeList:
    """Take two or three columns of a pyarrow table.

    Every value of the two node columns is a node name, numbered in ascending order for integers and
    in order of first appearance for everything else. Integers that are exactly 0 .. n-1 need no names.
    """
    wanted = [column for column in (source, target, weight) if column is not None]
    _require_columns(wanted, table.column_names)
    for column in wanted:
        if table[column].null_count:
            row = pc.index(table[column].is_null(), True).as_py()
            raise GraphError(f"column '{column}' is empty in data row {row}; fill or drop that row.")
    pairs, names = _number_values(_decoded(table[source]), _decoded(table[target]))
    count = int(pairs.max()) + 1 if len(pairs) else 0
    weights = None if weight is None else _weights(table[weight], weight)
    return EdgeList(pairs, weights, count if names is None else None, names)


def _with_columns(table: Any) -> Any:
    """The frame itself, or the pyarrow table of one that offers nothing but the interchange protocol."""
    if hasattr(table, "__getitem__") and (hasattr(table, "columns") or hasattr(table, "column_names")):
        return table
    from pyarrow.interchange import from_dataframe

    try:
        return from_dataframe(table)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as problem:
        raise GraphError(f"{type(table).__name__} is no data frame that can be read: {problem}.") from None


def _column_names(table: Any) -> list[Any]:
    """The names of a table's columns, in their order."""
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def _arrow_column(table: Any, column: Any) -> Any:
    """A column of a table as an Arrow array; missing values are nulls."""
    values = table[column]
    try:
        if isinstance(values, (pa.Array, pa.ChunkedArray)):
            return values
        if not type(values).__module__.startswith("pandas"):
            if hasattr(values, "__arrow_c_stream__"):
                return pa.chunked_array(values)
            if hasattr(values, "to_numpy"):
                values = values.to_numpy()
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        raise GraphError(f"column '{column}' mixes kinds of values; make them all text.") from None


def _decoded(column: Any) -> Any:
    """A column of categories or views as plain values."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _is_numeric(kind: Any) -> bool:
    """Whether an Arrow type holds integers, floats or decimals."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _require_columns(wanted: list[Any], present: list[Any]) -> None:
    """Refuse columns that a table lacks, or has more than once."""
    for column in wanted:
        if column not in present:
            raise GraphError(f"no column '{column}'; the table has {', '.join(map(str, present))}.")
        if present.count(column) > 1:
            raise GraphError(f"the table has several columns '{column}'; rename them.")


def _weights(column: Any, name: str) -> Floats:
    """A column of weights as floats; anything but numbers is refused."""
    if not _is_numeric(column.type):
        first = column[0].as_py() if len(column) else None
        raise GraphError(f"column '{name}' holds {first!r}, not numbers; choose another weight column.")
    values: Floats = pc.cast(column, pa.float64(), safe=False).to_numpy()
    return values


def _number_values(source: Any, target: Any) -> tuple[Ints, Sequence[Hashable] | None]:
    """Number the distinct values of two columns; the names are None where they are 0 .. n-1."""
    if pa.types.is_integer(source.type) and pa.types.is_integer(target.type):
        if pa.types.is_uint64(source.type) or pa.types.is_uint64(target.type):
            source, target = _narrow(source, target)
        if not (pa.types.is_uint64(source.type) or pa.types.is_uint64(target.type)):
            return _number_integers(np.concatenate([source.to_numpy(), target.to_numpy()]).astype(np.int64))
    if source.type != target.type:
        source, target = (pc.cast(column, pa.string()) for column in (source, target))
    both = pa.concat_arrays([*source.chunks, *target.chunks]) if len(source) else pa.array([], source.type)
    if pa.types.is_nested(both.type):
        raise GraphError(f"node names of type {both.type} cannot be taken from a table; use text or numbers.")
    encoded = pc.dictionary_encode(both)
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes.reshape(2, -1).T, encoded.dictionary.to_pylist()


def _narrow(source: Any, target: Any) -> tuple[Any, Any]:
    """Two columns of integers as int64 where they fit, else as uint64, else (both needed) as text."""
    for kind in (pa.int64(), pa.uint64()):
        try:
            return pc.cast(source, kind), pc.cast(target, kind)
        except pa.ArrowInvalid:
            continue
    return source, target


def _number_integers(ends: Ints) -> tuple[Ints, Sequence[Hashable] | None]:
    """Number the distinct integers of all sources and then all targets: pairs of shape (m, 2), names."""
    low, high = (int(ends.min()), int(ends.max())) if len(ends) else (0, -1)
    if low >= 0 and high < 4 * len(ends) + 1024:  # dense ids: a table look-up instead of a sort
        present = np.zeros(high + 1, dtype=bool)
        present[ends] = True
        values = np.flatnonzero(present)
        codes = (np.cumsum(present) - 1)[ends]
    else:
        values, codes = np.unique(ends, return_inverse=True)
    pairs = codes.reshape(2, -1).T
    unnamed = len(values) == 0 or (values[0] == 0 and values[-1] == len(values) - 1)
    return pairs, None if unnamed else list(values.tolist())

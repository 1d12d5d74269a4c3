"""Bring what a caller hands over to canonical form: names, index pairs, finite weights, symmetric CSR."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, NodeError

__all__ = [
    "Csr",
    "IndexPairs",
    "by_number",
    "canonical_names",
    "edge_weights",
    "index_pairs",
    "symmetric_csr",
    "third_weights",
]

_SHAPES = "give pairs of nodes, shape (m, 2), an edge_index, (2, m), or triples with a weight, (m, 3)"


def canonical_names(names: Sequence[Hashable] | None, num_nodes: int) -> tuple[Hashable, ...] | None:
    """One hashable, distinct name per node, or None where a node's name is its index.

    Names 0, 1, … n − 1 in this order are no names. NumPy's numbers and texts become Python's.
    """
    if names is None:
        return None
    plain = _plain(names)
    if len(plain) != num_nodes:
        raise GraphError(f"{len(plain)} names for {num_nodes} nodes; give one name per node.")
    if set(map(type, plain)) == {int} and plain == tuple(range(num_nodes)):
        return None
    try:
        distinct = len(set(plain))
    except TypeError as problem:
        raise GraphError(f"node names must be hashable: {problem}.") from None
    if distinct != num_nodes:
        first = {name: i for i, name in reversed(list(enumerate(plain)))}
        twice = next(name for i, name in enumerate(plain) if first[name] != i)
        raise GraphError(f"node name {twice!r} stands twice; names must be distinct.")
    return plain


def by_number(pairs: Ints, names: Sequence[Hashable]) -> tuple[Ints, Sequence[Hashable] | None]:
    """Index pairs and names of a graph that came with names; where these are 0 … n − 1, each is its index.

    So one graph has one form whatever order its nodes came in, and an array of labels is in the order of the
    numbers. Other names stay in the order they came in.

    >>> by_number(np.array([[0, 1]]), [2, 0, 1])
    (array([[2, 0]]), None)
    """
    plain = _plain(names)
    if set(map(type, plain)) != {int} or set(plain) != set(range(len(plain))):
        return pairs, plain
    numbers = np.array(plain, dtype=np.int64)
    return numbers[pairs].reshape(-1, 2), None


class IndexPairs(NamedTuple):
    """Edges as index pairs of shape (m, 2), the names they were given by, and the weights of triples."""

    pairs: Ints
    names: list[Hashable] | None = None
    weights: Floats | None = None


def index_pairs(edges: Any, names: Sequence[Hashable] | None) -> IndexPairs:
    """Edges given as pairs or triples of indices or names, the latter among `names` where these are given."""
    array = np.asarray(edges) if hasattr(edges, "__array__") and hasattr(edges, "shape") else None
    if array is not None and array.size == 0:
        return IndexPairs(np.zeros((0, 2), dtype=np.int64))
    weights: Floats | None = None
    if array is None or (array.dtype.kind == "O" and array.ndim == 2):
        array, weights = _from_rows(edges)
        if not len(array):
            return IndexPairs(np.zeros((0, 2), dtype=np.int64))
    else:
        array, weights = _from_array(array)
    if array.dtype.kind in "iu":
        return IndexPairs(array.astype(np.int64), weights=weights)
    if array.dtype.kind == "f":
        raise GraphError("edges hold fractions; give node indices as integers, or names.")
    given = list(array.ravel().tolist())
    try:
        known = list(dict.fromkeys(given)) if names is None else list(names)
        position = {name: i for i, name in enumerate(known)}
        flat = np.fromiter((position[name] for name in given), dtype=np.int64, count=len(given))
    except KeyError as missing:
        raise NodeError(f"edge node {missing.args[0]!r} is not among the names.") from None
    except TypeError as problem:
        raise GraphError(f"node names must be hashable: {problem}.") from None
    return IndexPairs(flat.reshape(-1, 2), known, weights)


def edge_weights(weights: Any, count: int) -> Floats:
    """One finite weight per edge, all 1 where none are given."""
    if weights is None:
        return np.ones(count)
    if np.iscomplexobj(weights):
        raise GraphError("edge weights are complex; give real numbers.")
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise GraphError(f"edge weights are not numbers: {problem}.") from None
    if values.shape != (count,):
        raise GraphError(f"{values.size} weights for {count} edges; give one weight per edge.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise GraphError(f"edge {bad[0]} has weight {values[bad[0]]}; weights must be finite numbers.")
    return values


def third_weights(rows: list[Any]) -> Floats:
    """The weights of triples, which must be numbers."""
    for row in rows:
        if not isinstance(row[2], (int, float, np.integer, np.floating)) or isinstance(row[2], bool):
            raise GraphError(
                f"edge {row!r} has {row[2]!r} in third place, which is no weight; give a number, or pairs."
            )
    return edge_weights([row[2] for row in rows], len(rows))


class Csr(NamedTuple):
    """A symmetric matrix of weights by rows, each of them sorted, as compiled kernels take a graph.

    The neighbours of node i are ``indices[indptr[i] : indptr[i + 1]]``; their weights have the same places.
    """

    indptr: Ints
    indices: Ints
    weights: Floats


def symmetric_csr(pairs: Ints, values: Floats, count: int) -> Csr:
    """CSR of A + Aᵀ without diagonal, duplicates summed, zeros dropped, columns sorted."""
    keep = pairs[:, 0] != pairs[:, 1]
    u, v, w = pairs[keep, 0], pairs[keep, 1], values[keep]
    low, high = np.minimum(u, v), np.maximum(u, v)
    half = sp.coo_array((w, (low, high)), shape=(count, count)).tocsr()
    half.sum_duplicates()
    if not np.isfinite(half.data).all():
        raise GraphError("parallel edges sum to an infinite weight; divide all weights by a common factor.")
    half.eliminate_zeros()
    full = (half + half.T).tocsr()
    full.sort_indices()
    return Csr(full.indptr.astype(np.int64), full.indices.astype(np.int64), full.data)


def _plain(names: Any) -> tuple[Any, ...]:
    """Names with NumPy's numbers, texts and truth values as Python's, which spell the same everywhere."""
    values = tuple(names.tolist() if isinstance(names, np.ndarray) else names)
    kinds = (np.integer, np.floating, np.str_, np.bool_)
    if not any(issubclass(kind, kinds) for kind in set(map(type, values))):
        return values
    return tuple(value.item() if isinstance(value, kinds) else value for value in values)


def _from_rows(edges: Any) -> tuple[NDArray[Any], Floats | None]:
    """An array of pairs, of integers or objects, and the weights where the rows are triples."""
    try:
        rows = list(edges)
    except TypeError:
        raise GraphError(f"edges {edges!r} are not pairs of nodes.") from None
    size = len(rows[0]) if rows and isinstance(rows[0], (tuple, list, np.ndarray)) else 2
    wanted = size if size == 3 else 2
    for row in rows:
        if not isinstance(row, (tuple, list, np.ndarray)) or len(row) != wanted:
            kind = "a pair of nodes" if wanted == 2 else "a triple of two nodes and a weight, as the first is"
            raise GraphError(f"edge {row!r} is not {kind}.")
    weights = third_weights(rows) if wanted == 3 else None
    ends = [(row[0], row[1]) for row in rows]
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for r in ends for end in r):
        try:
            return np.array(ends, dtype=np.int64), weights
        except OverflowError:
            raise GraphError("a node index is beyond 64 bits; pass such numbers as names (text).") from None
    array = np.full((len(ends), 2), None, dtype=object)
    for i, (u, v) in enumerate(ends):
        array[i, 0], array[i, 1] = u, v
    return array, weights


def _from_array(array: NDArray[Any]) -> tuple[NDArray[Any], Floats | None]:
    """Pairs out of an array; of shape (2, 2) the rows are pairs."""
    if array.ndim != 2:
        raise GraphError(f"edges have shape {array.shape}; {_SHAPES}.")
    if array.shape[1] == 2:
        return array, None
    if array.shape == (2, 3) and array.dtype.kind in "iu":
        raise GraphError(
            "edges of shape (2, 3) may be an edge_index of three edges or two triples; pass edges.T for the "
            "first, or pairs and weights= for the second."
        )
    if array.shape[0] == 2 and array.dtype.kind in "iu":
        return array.T, None
    if array.shape[1] != 3 or array.dtype.kind not in "iuf":
        raise GraphError(f"edges have shape {array.shape}; {_SHAPES}.")
    ends = array[:, :2]
    whole = ends if ends.dtype.kind in "iu" else np.where(np.abs(ends) < 2.0**53, ends, np.nan)
    if not (whole == np.floor(whole)).all():
        raise GraphError("edges hold fractions; give node indices as integers, or names.")
    return ends.astype(np.int64), edge_weights(array[:, 2], len(array))

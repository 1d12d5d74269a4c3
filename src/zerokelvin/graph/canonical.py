"""Bring what a caller hands over to canonical form: index pairs, finite weights, symmetric CSR."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import GraphError, NodeError

__all__ = ["check_names", "edge_weights", "index_pairs", "symmetric_csr"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def check_names(names: tuple[Hashable, ...], num_nodes: int) -> None:
    """Refuse names that are not one hashable, distinct name per node."""
    if len(names) != num_nodes:
        raise GraphError(f"{len(names)} names for {num_nodes} nodes; give one name per node.")
    try:
        distinct = len(set(names))
    except TypeError as problem:
        raise GraphError(f"node names must be hashable: {problem}.") from None
    if distinct != num_nodes:
        seen: set[Hashable] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise GraphError(f"node name {twice!r} stands twice; names must be distinct.")


def index_pairs(edges: Any, names: Sequence[Hashable] | None) -> tuple[Ints, list[Hashable] | None]:
    """Edges as index pairs, and the names found where the edges hold names."""
    array = edges if isinstance(edges, np.ndarray) else None
    if array is not None and array.size == 0:
        return np.zeros((0, 2), dtype=np.int64), None
    if array is None or (array.dtype.kind == "O" and array.ndim == 2):
        try:
            rows = list(edges)
        except TypeError:
            raise GraphError(f"edges {edges!r} are not pairs of nodes.") from None
        if not rows:
            return np.zeros((0, 2), dtype=np.int64), None
        if any(not isinstance(row, (tuple, list, np.ndarray)) or len(row) != 2 for row in rows):
            bad = next(r for r in rows if not isinstance(r, (tuple, list, np.ndarray)) or len(r) != 2)
            raise GraphError(f"edge {bad!r} is not a pair of nodes.")
        if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for r in rows for end in r):
            try:
                array = np.array(rows, dtype=np.int64)
            except OverflowError:
                raise GraphError(
                    "a node index is beyond 64 bits; pass such numbers as names (text)."
                ) from None
        else:
            array = np.empty((len(rows), 2), dtype=object)
            for i, row in enumerate(rows):
                array[i, 0], array[i, 1] = row
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"edges have shape {array.shape}; give pairs of nodes, shape (m, 2).")
    if array.dtype.kind in "iu":
        return array.astype(np.int64), None
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
    return flat.reshape(-1, 2), known


def edge_weights(weights: Any, count: int) -> Floats:
    """One finite weight per edge, all 1 where none are given."""
    if weights is None:
        return np.ones(count)
    if np.iscomplexobj(weights):
        raise GraphError("edge weights are complex; give real numbers.")
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise GraphError(f"edge weights are not numbers: {problem}.") from None
    if values.shape != (count,):
        raise GraphError(f"{values.size} weights for {count} edges; give one weight per edge.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise GraphError(f"edge {bad[0]} has weight {values[bad[0]]}; weights must be finite numbers.")
    return values


def symmetric_csr(pairs: Ints, values: Floats, count: int) -> tuple[Ints, Ints, Floats]:
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
    return full.indptr.astype(np.int64), full.indices.astype(np.int64), full.data

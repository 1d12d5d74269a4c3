"""A graph with further nodes and edges: what `Graph.extended` does.

Old nodes keep their index and new ones come after them, so that everything indexed by node stays valid.
Edges are pairs of node *names*, old or new, as a session speaks of nodes, or triples with a weight; where a
graph has no names they are the indices, and a new node may still have a name of its own. The rules are those
of a new graph: an edge given again adds to its weight, a self-loop is dropped, so is an edge whose weights
sum to zero, and a weight must be a finite number.

Cost: O(nodes + edges), a copy of the graph's arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph.canonical import Csr, edge_weights, symmetric_csr, third_weights
from zerokelvin.graph.domain import Domain

__all__ = ["extend_arrays", "extend_names", "grown_components", "named_pairs"]


def extend_names(graph: Domain, nodes: int | Iterable[Hashable]) -> list[Hashable]:
    """The names of the nodes to add: those given, checked, or the next whole numbers."""
    count = graph.num_nodes
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if nodes < 0:
            raise GraphError(f"{nodes} nodes cannot be added; give a number of at least 0, or names.")
        if graph.names is not None:
            raise GraphError(f"this graph's nodes have names; give the names of the {nodes} new ones.")
        return list(range(count, count + int(nodes)))
    if isinstance(nodes, (str, bytes)) or not isinstance(nodes, Iterable):
        raise GraphError(f"new nodes {nodes!r} are no list of names; write [{nodes!r}] for one node.")
    names: list[Hashable] = [name.item() if isinstance(name, np.generic) else name for name in nodes]
    seen: set[Hashable] = set()
    for name in names:
        try:
            there = range(count) if graph.names is None else graph.positions
            known = name in seen or name in there
        except TypeError as problem:
            raise GraphError(f"node names must be hashable: {problem}.") from None
        if known:
            raise GraphError(f"node {name!r} is there already; add every node once.")
        seen.add(name)
    return names


def named_pairs(graph: Domain, new: list[Hashable], edges: Any) -> tuple[Ints, Floats | None]:
    """Index pairs of edges between nodes of the graph and new ones, and the weights of triples."""
    count = graph.num_nodes
    numbered = graph.names is None and all(
        type(name) is int and name == count + i for i, name in enumerate(new)
    )
    if isinstance(edges, np.ndarray) and edges.dtype.kind in "iu" and numbered:
        rows = edges.reshape(-1, 2) if edges.size == 0 else edges
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise GraphError(f"edges have shape {edges.shape}; give pairs of nodes, shape (m, 2).")
        bad = rows[(rows < 0) | (rows >= count + len(new))]
        if len(bad):
            _refuse(graph, int(bad[0]))
        return rows.astype(np.int64), None
    try:
        listed = [tuple(edge) if not isinstance(edge, (str, bytes)) else edge for edge in edges]
    except TypeError:
        raise GraphError(f"edges {edges!r} are not pairs of nodes.") from None
    place = {name: count + i for i, name in enumerate(new)}
    pairs = np.full((len(listed), 2), -1)
    size = 3 if listed and not isinstance(listed[0], (str, bytes)) and len(listed[0]) == 3 else 2
    for row, edge in enumerate(listed):
        if isinstance(edge, (str, bytes)) or len(edge) != size:
            raise GraphError(f"edge {edge!r} is not a pair of nodes.")
        for side, end in enumerate(edge[:2]):
            name = end.item() if isinstance(end, np.generic) else end
            pairs[row, side] = _index(graph, place, name)
    return pairs, third_weights(listed) if size == 3 else None


def extend_arrays(arrays: Csr, count: int, pairs: Ints, weights: Any) -> Csr:
    """The arrays of a graph grown to `count` nodes, with these pairs added.

    Parameters
    ----------
    arrays
        The graph as it was.
    count
        How many nodes the new graph has.
    pairs
        Index pairs of the edges to add, of shape (m, 2).
    weights
        One number per pair, or None for ones.
    """
    values = edge_weights(weights, len(pairs))
    longer = np.concatenate([arrays.indptr, np.full(count + 1 - len(arrays.indptr), arrays.indptr[-1])])
    old = sp.csr_array((arrays.weights, arrays.indices, longer), shape=(count, count))
    new = symmetric_csr(pairs, values, count)
    total = old + sp.csr_array((new.weights, new.indices, new.indptr), shape=(count, count))
    if not np.isfinite(total.data).all():
        raise GraphError(
            "an edge's weights sum to an infinite weight; divide all weights by a common factor."
        )
    total.eliminate_zeros()
    total.sort_indices()
    return Csr(total.indptr.astype(np.int64), total.indices.astype(np.int64), total.data)


def grown_components(components: Ints, new: int, pairs: Ints, weights: Any) -> Ints:
    """The components of a graph with so many further nodes and these pairs, of weights of at least 0, added.

    >>> grown_components(np.array([0, 1, 1, 2]), 1, np.array([(4, 3), (0, 1)]), None).tolist()
    [0, 0, 0, 1, 1]
    """
    before = int(components.max()) + 1
    place = np.append(components, before + np.arange(new))
    joined = pairs if weights is None else pairs[np.asarray(weights, dtype=np.float64) > 0]
    ends, shape = place[joined].reshape(-1, 2), (before + new, before + new)
    small = sp.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)
    parts = sp.csgraph.connected_components(small, directed=False)[1]
    _, first, own = np.unique(parts, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[own][place])


def _index(graph: Domain, place: dict[Hashable, int], name: Hashable) -> int:
    """The index of an old or new node; `place` holds those of the new ones."""
    try:
        if name in place and not isinstance(name, bool):
            return place[name]
    except TypeError:
        raise GraphError(f"node names must be hashable, but {name!r} is not.") from None
    try:
        return graph.index(name)
    except NodeError:
        _refuse(graph, name)
        raise


def _refuse(graph: Domain, name: Hashable) -> None:
    """Refuse an edge of a node that the graph does not have."""
    raise NodeError(f"{graph.unknown_name(name).rstrip('.')}; add it as a new node first.") from None

"""The immutable, undirected, weighted graph that everything else works on.

A `Graph` is a symmetric sparse matrix in CSR form, both directions of every edge stored, rows
sorted, plus optional node names of any hashable kind. What a caller hands over is brought to that
form by fixed rules:

- self-loops are dropped (neither the Laplacian nor any cut sees them);
- parallel edges are summed, and ``(u, v)`` is the same edge as ``(v, u)``;
- edges of weight zero, also those that sum to zero, are dropped;
- NaN and infinite weights, and a graph without nodes, are refused.

Weights may be negative (a signed graph); whatever needs positive ones calls `require_positive`.

Above 300 lines: one class, a third of it docstrings and ways to make a graph, whose work lies in the
modules beside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph import convert
from zerokelvin.graph.attributes import Attributes
from zerokelvin.graph.canonical import Csr, canonical_names, edge_weights, index_pairs, symmetric_csr
from zerokelvin.graph.domain import Domain, frozen_floats, frozen_ints, spell_name
from zerokelvin.graph.extension import extend_arrays, extend_names, grown_components, named_pairs

__all__ = ["Graph"]


class Graph(Domain):
    """Undirected weighted graph over CSR arrays.

    Build one with `from_edges` (or a converter); the constructor expects clean CSR arrays.

    Parameters
    ----------
    indptr, indices, weights
        The symmetric adjacency matrix in CSR form: no diagonal, no duplicates, no zeros.
    names
        One hashable, distinct name per node; without them a node's name is its index. Names 0, 1, … n − 1
        in this order are no names.
    attributes
        What is known of every node beside its edges; see `with_attributes`.

    Examples
    --------
    >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cem")])
    >>> graph
    Graph(nodes=3, edges=2)
    >>> graph.index("cem"), graph.name(0)
    (2, 'ann')
    """

    indptr: Ints
    indices: Ints
    weights: Floats
    attributes: Attributes | None

    def __init__(
        self,
        indptr: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike,
        names: Sequence[Hashable] | None = None,
        attributes: Attributes | None = None,
    ) -> None:
        vars(self).update(  # past the guard of `__setattr__`
            indptr=frozen_ints(indptr),
            indices=frozen_ints(indices),
            weights=frozen_floats(weights),
            names=None,
            attributes=attributes,
        )
        if len(self.indptr) < 2:
            raise GraphError("the graph has no nodes; give at least one edge or num_nodes >= 1.")
        vars(self).update(names=canonical_names(names, self.num_nodes))

    # -- construction -----------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        weights: ArrayLike | None = None,
        num_nodes: int | None = None,
        names: Sequence[Hashable] | None = None,
    ) -> Graph:
        """Build a graph from pairs of nodes.

        Parameters
        ----------
        edges
            Pairs of node indices, or of names; or triples ``(u, v, weight)``. Pairs of integers are indices
            (into `names` where those are given); pairs of anything else are names, numbered as they first
            appear. An integer array may also be an ``edge_index`` of shape (2, m); one of shape (2, 2) holds
            two pairs, row by row. A data frame or table is read by its columns source, target and weight.
        weights
            One number per pair; all 1 by default.
        num_nodes
            For nodes beyond the largest index (isolated ones); ``len(names)`` where names are given.
        names
            One name per node.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2), (2, 1)]).weight(1, 2)
        2.0
        >>> Graph.from_edges([("ann", "bob", 0.5)]).weight(0, 1)
        0.5
        """
        if convert.is_frame(edges):
            if not (weights is None and num_nodes is None and names is None):
                raise GraphError("a data frame brings its own weights and names; pass it alone.")
            return cls.from_edges(*convert.from_frame(edges))
        given = index_pairs(edges, names)
        pairs = given.pairs
        if given.weights is not None:
            if weights is not None:
                raise GraphError("weights are given twice, in triples and as weights=; keep one of them.")
            weights = given.weights
        if given.names is not None:
            names = given.names
        if names is not None:
            if num_nodes is not None and num_nodes != len(names):
                raise GraphError(f"num_nodes={num_nodes} but {len(names)} names; give one name per node.")
            num_nodes = len(names)
        values = edge_weights(weights, len(pairs))
        lowest, highest = (int(pairs.min()), int(pairs.max())) if len(pairs) else (0, -1)
        if lowest < 0:
            raise GraphError(f"node index {lowest} is negative; indices start at 0.")
        count = highest + 1 if num_nodes is None else int(num_nodes)
        if highest >= count:
            raise GraphError(f"node index {highest} is outside the {count} nodes; raise num_nodes.")
        return cls(*symmetric_csr(pairs, values, count), names)

    @classmethod
    def from_scipy(cls, adjacency: Any, names: Sequence[Hashable] | None = None) -> Graph:
        """Build a graph from a symmetric scipy sparse array or matrix (or a dense one)."""
        try:
            matrix = sp.coo_array(adjacency)
        except (TypeError, ValueError) as problem:
            raise GraphError(f"the adjacency matrix is not one of numbers: {problem}.") from None
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"the adjacency matrix has shape {matrix.shape}; it must be square.")
        rows, columns = (np.asarray(axis, dtype=np.int64) for axis in matrix.coords)
        values = edge_weights(matrix.data, matrix.nnz)
        full = sp.csr_array((values, (rows, columns)), shape=matrix.shape)
        skew = (full - full.T).tocoo()
        scale = float(np.abs(values).max(initial=0.0))
        bad = np.flatnonzero(np.abs(skew.data) > 1e-12 * scale)
        if len(bad):
            i, j = (int(axis[bad[0]]) for axis in skew.coords)
            raise GraphError(
                f"the adjacency matrix is not symmetric at ({i}, {j}); pass (A + A.T) / 2 or A.maximum(A.T)."
            )
        upper = rows < columns
        edges = np.column_stack([rows[upper], columns[upper]])
        return cls.from_edges(edges, values[upper], num_nodes=matrix.shape[0], names=names)

    @classmethod
    def from_networkx(cls, graph: Any, weight: str = "weight") -> Graph:
        """Build a graph from an undirected networkx graph; edges without `weight` weigh 1.

        Nodes are numbered in networkx's order; but where they are exactly the integers 0 … n − 1, each has
        the number that is its name.
        """
        return cls.from_edges(*convert.from_networkx(graph, weight))

    @classmethod
    def from_igraph(cls, graph: Any, weight: str = "weight") -> Graph:
        """Build a graph from an undirected igraph graph; names come from the ``name`` attribute."""
        return cls.from_edges(*convert.from_igraph(graph, weight))

    @classmethod
    def from_pandas(cls, table: Any, source: str, target: str, weight: str | None = None) -> Graph:
        """Build a graph from two or three columns of a data frame: of pandas, polars or any other package."""
        return cls.from_edges(*convert.from_pandas(table, source, target, weight))

    @classmethod
    def from_arrow(cls, table: Any, source: str, target: str, weight: str | None = None) -> Graph:
        """Build a graph from two or three columns of a pyarrow table."""
        return cls.from_edges(*convert.from_arrow(table, source, target, weight))

    @classmethod
    def from_polars(cls, table: Any, source: str, target: str, weight: str | None = None) -> Graph:
        """The same as `from_pandas`, which takes frames of polars too."""
        return cls.from_pandas(table, source, target, weight)

    @classmethod
    def from_anndata(cls, data: Any, obsp: str = "connectivities") -> Graph:
        """Build a graph from ``data.obsp[obsp]`` of an AnnData object; names are its ``obs_names``."""
        return cls.from_scipy(convert.connectivities(data, obsp), convert.observation_names(data))

    # -- reading ----------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @cached_property
    def degrees(self) -> Floats:
        """Weighted degree of every node (the sum of absolute weights in a signed graph)."""
        sums = np.zeros(self.num_nodes)
        np.add.at(sums, self._rows, np.abs(self.weights))
        return frozen_floats(sums)

    @property
    def csr(self) -> Csr:
        """The three arrays together, as compiled kernels take them."""
        return Csr(self.indptr, self.indices, self.weights)

    @cached_property
    def adjacency(self) -> sp.csr_array:
        """The symmetric weight matrix A."""
        return sp.csr_array((self.weights, self.indices, self.indptr), shape=(self.num_nodes,) * 2)

    @cached_property
    def edges(self) -> Ints:
        """Every edge once, as rows ``(u, v)`` with u < v in ascending order."""
        upper = self._rows < self.indices
        return frozen_ints(np.column_stack([self._rows[upper], self.indices[upper]]))

    @cached_property
    def edge_weights(self) -> Floats:
        """The weight of every row of `edges`."""
        return frozen_floats(self.weights[self._rows < self.indices])

    @cached_property
    def heaviest(self) -> Floats:
        """The largest weight at every node, 0 where no edge of positive weight ends."""
        found = np.zeros(self.num_nodes)
        np.maximum.at(found, self._rows, self.weights)
        return frozen_floats(found)

    @cached_property
    def weight_range(self) -> tuple[float, float]:
        """The smallest and the largest size of a weight; (0, 0) without edges."""
        sizes = np.abs(self.weights)
        return (float(sizes.min()), float(sizes.max())) if len(sizes) else (0.0, 0.0)

    @cached_property
    def total_degree(self) -> float:
        """The sum of the degrees."""
        with np.errstate(over="ignore"):
            return float(self.degrees.sum())

    @cached_property
    def is_signed(self) -> bool:
        """Whether some edge has a negative weight."""
        return bool((self.weights < 0).any())

    @cached_property
    def components(self) -> Ints:
        """The connected component of every node, numbered by their lowest node."""
        _, labels = sp.csgraph.connected_components(self.adjacency, directed=False)
        highest = np.maximum.accumulate(labels)
        if labels[0] == 0 and bool((labels[1:] <= highest[:-1] + 1).all()):  # as they should be already
            return frozen_ints(labels)
        _, first = np.unique(labels, return_index=True)
        order = np.argsort(np.argsort(first))
        return frozen_ints(order[labels])

    @cached_property
    def label_components(self) -> Ints:
        """The component of every node; one for all where attributes tell of nodes in other components."""
        if self.attributes is None:
            return self.components
        return frozen_ints(np.zeros(self.num_nodes, dtype=np.int64))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of nodes, edges, weights, names and attributes; equal graphs have equal hashes."""
        digest = hashlib.sha256(b"zerokelvin graph 1\0")
        for array in (self.indptr, self.indices, self.weights):
            digest.update(np.ascontiguousarray(array).tobytes())
            digest.update(b"\0")
        digest.update("".join(f"{spell_name(name)}\0" for name in self.names or ()).encode())
        if self.attributes is not None:
            digest.update(self.attributes.content_hash.encode())
        return digest.hexdigest()

    def laplacian(self) -> sp.csr_array:
        """The Laplacian D − A; of a signed graph the signed one, with D the absolute degrees."""
        return sp.csr_array(sp.diags_array(self.degrees) - self.adjacency)

    def neighbors(self, node: int) -> Ints:
        """Indices of the neighbours of the node with index `node`."""
        self._check_index(node)
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def weight(self, u: int, v: int) -> float:
        """Weight of the edge between two node indices, 0 where there is none."""
        row = self.neighbors(u)
        self._check_index(v)
        at = int(np.searchsorted(row, v))
        return float(self.weights[self.indptr[u] + at]) if at < len(row) and row[at] == v else 0.0

    # -- derived graphs ---------------------------------------------------------------------------

    @cached_property
    def by_name(self) -> Graph:
        """The same graph with its nodes numbered by `name_order`; the graph itself where they are already.

        >>> graph = Graph.from_edges([("bob", "cem"), ("cem", "ann")])
        >>> graph.names, graph.by_name.names
        (('bob', 'cem', 'ann'), ('ann', 'bob', 'cem'))
        """
        if self.names is None or type(self) is not Graph:
            return self
        order = self.name_order
        return self if bool((order[1:] > order[:-1]).all()) else self.subgraph(order)

    def with_attributes(self, attributes: Any, fixed_on: int | None = None) -> Graph:
        """The same graph with attributes of its nodes, which `auto` predicts from too; None takes them away.

        Parameters
        ----------
        attributes
            One row per node: an array, a sparse matrix, or a frame with numbers, categories, text and missing
            values; with a column ``node`` its rows belong to the nodes named there. How numbers are made of
            them is in `zerokelvin.graph.attributes.encoded_columns`.
        fixed_on
            How many of the first nodes the rules come from; all, unless the graph has grown since.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob")]).with_attributes([[1.0, 0.0], [0.0, 1.0]])
        >>> graph
        Graph(nodes=2, edges=1, attributes=2)
        """
        if type(self) is not Graph:
            raise GraphError(f"{type(self).__name__} takes no attributes; build a Graph with knn_graph(X).")
        names = self.names or range(self.num_nodes)
        found = None
        if attributes is not None:
            found = Attributes.of(attributes, self.num_nodes, names, fixed_on)
        return Graph(*self.csr, self.names, found)

    def extended(
        self,
        nodes: int | Iterable[Hashable] = (),
        edges: Any = (),
        weights: ArrayLike | None = None,
        attributes: Any = None,
    ) -> Graph:
        """A copy with further nodes and edges, in which every old node keeps its index.

        Parameters
        ----------
        nodes
            Names of the new nodes, which are numbered after the old ones; without names, how many.
        edges
            Pairs of node names, old or new, or triples with a weight; an edge that is there already adds to
            its weight.
        weights
            One number per pair; all 1 by default.
        attributes
            Of the new nodes, as at the start; by default nothing is known of them.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob")])
        >>> grown = graph.extended(["cem"], [("bob", "cem"), ("bob", "ann")], [1.0, 2.0])
        >>> grown, grown.index("cem"), grown.weight(0, 1)
        (Graph(nodes=3, edges=2), 2, 3.0)
        """
        if type(self) is not Graph:
            raise GraphError(
                f"{type(self).__name__} is made of points, so it takes no further nodes or edges; build it "
                "again with the new points."
            )
        new = extend_names(self, nodes)
        pairs, third = named_pairs(self, new, edges)
        if third is not None and weights is not None:
            raise GraphError("weights are given twice, in triples and as weights=; keep one of them.")
        added = third if weights is None else weights
        arrays = extend_arrays(self.csr, self.num_nodes + len(new), pairs, added)
        known = self.attributes
        if known is None and attributes is not None:
            raise GraphError("the graph has no attributes, so new nodes bring none; give all at the start.")
        if known is not None:
            known = known.extended(attributes, len(new), new)
        grown = Graph(*arrays, (*(self.names or range(self.num_nodes)), *new), known)
        joins = not self.is_signed and (added is None or bool((np.asarray(added) >= 0).all()))
        if "components" in vars(self) and joins:  # which no edge that comes divides
            vars(grown)["components"] = frozen_ints(grown_components(self.components, len(new), pairs, added))
        return grown

    def subgraph(self, nodes: ArrayLike) -> Graph:
        """The graph on the given node indices, in that order, with their names."""
        given = np.asarray(nodes)
        if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
            raise GraphError("subgraph nodes are no list of indices; for a mask pass np.flatnonzero(mask).")
        chosen = given.astype(np.int64)
        if len(np.unique(chosen)) != len(chosen):
            raise GraphError("subgraph nodes repeat; give every node index once.")
        if len(chosen) and not (0 <= chosen.min() and chosen.max() < self.num_nodes):
            bad = chosen[(chosen < 0) | (chosen >= self.num_nodes)][0]
            raise NodeError(f"node index {bad} is outside the graph's {self.num_nodes} nodes.")
        matrix = self.adjacency[chosen][:, chosen].tocsr()
        matrix.sort_indices()
        names = [self.names[i] for i in chosen] if self.names is not None else None
        known = None if self.attributes is None else self.attributes.taken(chosen)
        return Graph(matrix.indptr, matrix.indices, matrix.data, names, known)

    def largest_component(self) -> tuple[Graph, Ints]:
        """The largest connected component, and the indices its nodes have in this graph.

        Of equally large components, the one with the lowest node.
        """
        if self.num_components == 1:
            return self, np.arange(self.num_nodes)
        nodes = np.flatnonzero(self.components == np.argmax(np.bincount(self.components)))
        return self.subgraph(nodes), nodes

    def require_positive(self, purpose: str) -> None:
        """Refuse a signed graph for something that needs positive weights."""
        if self.is_signed:
            at = int(np.argmax(self.edge_weights < 0))
            u, v = (self.name(i) for i in self.edges[at])
            raise GraphError(
                f"{purpose} needs positive weights, but edge ({u!r}, {v!r}) has weight "
                f"{self.edge_weights[at]:g}; drop those edges or use a learner with a signed Laplacian."
            )

    # -- plumbing ---------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> Ints:
        """The tail of every arc: the row of each entry of `indices`."""
        return np.repeat(np.arange(self.num_nodes), np.diff(self.indptr))

    def __repr__(self) -> str:
        signed = ", signed" if self.is_signed else ""
        known = "" if self.attributes is None else f", attributes={len(self.attributes.columns)}"
        return f"Graph(nodes={self.num_nodes}, edges={self.num_edges}{signed}{known})"

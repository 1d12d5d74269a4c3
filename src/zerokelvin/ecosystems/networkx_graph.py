"""A networkx graph as its backend keeps it: nodes, edges and the attributes asked for, in arrays.

It is a copy at one moment. networkx keeps it beside the graph and drops it when the graph changes, so that
what was once prepared (a factor, a diagonal) serves every further call.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.graph import Graph
from zerokelvin.resistance.network import ResistiveNetwork
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = ["ConvertedGraph"]

ALWAYS = "weight"
"""The edge attribute that networkx's node classification reads without saying so."""


class ConvertedGraph:
    """What the backend's functions take in place of a networkx graph."""

    __networkx_backend__ = "zerokelvin"

    def __init__(self, graph: Any, edge_attributes: Mapping[str, Any], node_attributes: Mapping[str, Any]):
        self._directed, self._multiple = graph.is_directed(), graph.is_multigraph()
        self.nodes: list[Hashable] = list(graph)
        self.place = {node: i for i, node in enumerate(self.nodes)}
        place = self.place
        pairs = [(place[u], place[v]) for u, v in graph.edges()]
        self.ends: Ints = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        wanted = {ALWAYS: 1, **edge_attributes}
        self._weights = {
            name: [value for _, _, value in graph.edges(data=name, default=1 if default is None else default)]
            for name, default in wanted.items()
        }
        self._labels = {
            name: {i: data[name] for i, data in enumerate(graph.nodes[n] for n in self.nodes) if name in data}
            for name in node_attributes
        }
        self._networks: dict[tuple[str | None, bool], ResistiveNetwork] = {}

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return bool(self._directed)

    def is_multigraph(self) -> bool:
        """Whether two nodes may have several edges."""
        return bool(self._multiple)

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: Hashable) -> bool:
        return node in self.place

    @cached_property
    def connected(self) -> bool:
        """Whether every node is reached from every other, whatever the weights."""
        ones = np.ones(len(self.ends))
        pattern = sp.coo_array((ones, self.ends.T), shape=(len(self), len(self)))
        return bool(sp.csgraph.connected_components(pattern, directed=False)[0] == 1)

    def weights(self, name: str | None) -> Floats:
        """The weight of every edge, parallel ones apart; all 1 without a name."""
        if name is None:
            return np.ones(len(self.ends))
        if name not in self._weights:
            raise NotImplementedError(f"the edges were converted without '{name}'; convert the graph again.")
        try:
            return np.array(self._weights[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise NotImplementedError(f"some edge's '{name}' is no number.") from None

    def adjacency(self, name: str | None) -> sp.csr_array:
        """The matrix of weights: parallel edges summed, self-loops once on the diagonal."""
        weights, loop = self.weights(name), self.ends[:, 0] == self.ends[:, 1]
        rows = np.concatenate([self.ends[:, 0], self.ends[~loop, 1]])
        columns = np.concatenate([self.ends[:, 1], self.ends[~loop, 0]])
        values = np.concatenate([weights, weights[~loop]])
        return sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(len(self), len(self))))

    def labels(self, name: str) -> dict[int, Hashable]:
        """The labels of the nodes that have one, by place."""
        if name not in self._labels:
            raise NotImplementedError(f"the nodes were converted without '{name}'; convert the graph again.")
        return self._labels[name]

    def network(self, name: str | None, inverted: bool) -> ResistiveNetwork:
        """The resistive network whose conductances are the weights, or are one over them."""
        key = (name, inverted and name is not None)
        if key not in self._networks:
            conductances = self.weights(name)
            if key[1]:
                if (conductances == 0).any():
                    raise ZeroDivisionError(f"an edge has {name} 0; a resistance of 0 joins its ends.")
                conductances = 1 / conductances
            self._networks[key] = self._network(conductances, name)
        return self._networks[key]

    def _network(self, conductances: Floats, name: str | None) -> ResistiveNetwork:
        """The network of these conductances, one per edge; self-loops and zeros carry nothing."""
        if not np.isfinite(conductances).all():
            raise NotImplementedError(f"some edge's '{name}' is not finite.")
        apart = self.ends[:, 0] != self.ends[:, 1]
        graph = Graph.from_edges(self.ends[apart], conductances[apart], num_nodes=len(self))
        if graph.num_components > 1:
            raise NotImplementedError(f"without its edges of '{name}' 0 the graph falls apart.")
        if not graph.is_signed:
            return ResistiveNetwork(graph)
        if len(self) > DENSE_LIMIT:
            raise NotImplementedError(f"negative '{name}' is left to networkx above {DENSE_LIMIT} nodes.")
        matrix = graph.adjacency.toarray()
        laplacian = np.diag(matrix.sum(axis=1)) - matrix
        return ResistiveNetwork(graph, np.linalg.pinv(laplacian, hermitian=True))

    def require_nodes(self) -> None:
        """Refuse the empty graph as networkx does."""
        if not self.nodes:
            raise nx.NetworkXError("Graph G must contain at least one node.")

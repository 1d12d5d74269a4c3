"""What Theorems 4 and 10 say about a labelling, cluster by cluster.

Cover a graph by uniformly labelled connected subgraphs C. A regular learner, such as `longest-path` and
`zero-ising`, makes at most Σ_C B(C) mistakes (Herbster, Pasteris and Ghosh 2015, Theorem 4), where with ∂ the
edges that leave C, κ its internal connectivity, D its diameter and N its atomic number at level ∂ + 1
(Theorem 10)

    B = 1                             if κ > ∂                  ("connected")
    B = O(∂ log D)                    if C is a tree            ("tree")
    B = O(∂ (1 + ∂ − κ) log N)        otherwise                 ("loose")

The theorem leaves the constants of the last two open; `Cluster.cost` is the expression of Section 3.3 with
constant 1 and one mistake added, the smaller of the two for a tree. Weights count as parallel edges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Ints
from zerokelvin.errors import LabelError
from zerokelvin.graph import Graph
from zerokelvin.graph.measures.connectivity import atomic_number, edge_connectivity
from zerokelvin.graph.measures.diameters import diameter

__all__ = ["Cluster", "ClusterReport", "cluster_report"]


@dataclass(frozen=True)
class Cluster:
    """One uniformly labelled connected subgraph.

    Attributes
    ----------
    label
        The label of its nodes.
    size, edges
        Its nodes, and the edges between them.
    boundary
        ∂: weight of the edges that leave it.
    connectivity
        κ: weight of its lightest internal cut, infinite for one node.
    atomic_number
        N: the fewest subgraphs of connectivity at least ∂ + 1 that it can be divided into.
    diameter
        Most edges on a shortest path inside it.
    """

    label: Any
    size: int
    edges: int
    boundary: float
    connectivity: float
    atomic_number: int
    diameter: int

    @property
    def is_tree(self) -> bool:
        """Whether the cluster is a tree: one edge less than nodes."""
        return self.edges == self.size - 1

    @property
    def case(self) -> Literal["connected", "tree", "loose"]:
        """Which case of Theorem 10 applies: κ > ∂, else a tree, else neither."""
        if self.connectivity > self.boundary:
            return "connected"
        return "tree" if self.is_tree else "loose"

    @property
    def cost(self) -> float:
        """Mistakes by the case's expression with constant 1, plus 1."""
        if self.case == "connected":
            return 1.0
        spread = max(0.0, 1 + self.boundary - self.connectivity) * math.log2(self.atomic_number)
        if self.is_tree:
            spread = min(spread, math.log2(max(self.diameter, 1)))
        return 1 + self.boundary * spread


@dataclass(frozen=True)
class ClusterReport:
    """The clusters of a labelling, the largest first."""

    clusters: tuple[Cluster, ...]

    @property
    def cut(self) -> float:
        """Weight of the edges between clusters."""
        return sum(cluster.boundary for cluster in self.clusters) / 2

    @property
    def cost(self) -> float:
        """The bound of Theorem 4: the costs of all clusters added up."""
        return sum(cluster.cost for cluster in self.clusters)

    def __str__(self) -> str:
        head = f"{'label':>8} {'nodes':>7} {'boundary':>9} {'κ':>6} {'N':>6} {'D':>5}  case"
        rows = [
            f"{c.label!s:>8} {c.size:>7} {c.boundary:>9g} {c.connectivity:>6g} {c.atomic_number:>6} "
            f"{c.diameter:>5}  {c.case}"
            for c in self.clusters
        ]
        return "\n".join([head, *rows])


def cluster_report(graph: Graph, labels: ArrayLike, clusters: ArrayLike | None = None) -> ClusterReport:
    """Size, boundary, connectivity and atomic number of every uniformly labelled cluster.

    Parameters
    ----------
    graph
        A graph with positive weights.
    labels
        One label per node, of any kind.
    clusters
        Any number per node: nodes with the same number and label form clusters where connected. Without
        it, clusters are as large as they can be. A finer cover may have a smaller cost.

    Examples
    --------
    >>> from zerokelvin.graph import generators
    >>> barbell = generators.barbell(5)
    >>> report = cluster_report(barbell.graph, barbell.labels)
    >>> [(c.size, c.boundary, c.connectivity, c.case) for c in report.clusters]
    [(5, 1.0, 4.0, 'connected'), (5, 1.0, 4.0, 'connected')]
    """
    graph.require_positive("a cluster report")
    values = np.asarray(labels)
    if values.shape != (graph.num_nodes,):
        raise LabelError(f"labels have shape {values.shape}; give one per node, {graph.num_nodes}.")
    _, codes = np.unique(values, return_inverse=True)
    codes = codes.reshape(-1)
    if clusters is not None:
        groups = np.asarray(clusters)
        if groups.shape != (graph.num_nodes,):
            raise LabelError(f"clusters have shape {groups.shape}; give one per node, {graph.num_nodes}.")
        _, finer = np.unique(groups, return_inverse=True)
        codes = codes * (int(finer.max()) + 1) + finer.reshape(-1)
    alike = codes[graph.edges[:, 0]] == codes[graph.edges[:, 1]]
    inside = Graph.from_edges(graph.edges[alike], graph.edge_weights[alike], num_nodes=graph.num_nodes)
    found = [
        _describe(inside, nodes, values, float(graph.degrees[nodes].sum() - inside.degrees[nodes].sum()))
        for nodes in np.split(
            np.argsort(inside.components, kind="stable"), np.cumsum(np.bincount(inside.components))[:-1]
        )
    ]
    return ClusterReport(tuple(sorted(found, key=lambda cluster: -cluster.size)))


def _describe(inside: Graph, nodes: Ints, values: NDArray[Any], boundary: float) -> Cluster:
    """What a report says of the cluster of these nodes; `inside` holds the edges within clusters."""
    piece = inside.subgraph(nodes)
    label = values[nodes[0]]
    connectivity = edge_connectivity(piece)
    atoms = 1 if connectivity >= boundary + 1 else atomic_number(piece, boundary + 1)
    return Cluster(
        label=label.item() if isinstance(label, np.generic) else label,
        size=len(nodes),
        edges=piece.num_edges,
        boundary=boundary,
        connectivity=connectivity,
        atomic_number=atoms,
        diameter=int(diameter(Graph.from_edges(piece.edges, num_nodes=len(nodes))).value),
    )

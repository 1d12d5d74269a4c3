"""Bounds (III) and (IV) of minimum p-seminorm interpolation, over a cover by clusters.

Cover the graph by c connected clusters, of any labels, and let i be at most the connectivity of each of them.
Inside a cluster any two nodes are joined by i edge-disjoint paths of at most D edges, D the largest wide
diameter D(i) of a cluster, so that their p-resistance is at most D^(p−1)/(i w), w the lightest edge. The
first label in every cluster may be a mistake. From then on every mistake in it raises ‖f‖_p² by at least (p −
1) r^(−2/p), which ends at ‖u‖_p² = 4Φ^(2/p). Hence, with Φ counted in units of w,

    mistakes ≤ c + 4 (Φ/i)^(2/p) D^(2(p−1)/p) / (p − 1).

For p = 2 this is bound (IV), c + 4(Φ/i) D. With p = 1 + 1/ln D it is at most c + 4e² (Φ/i)^(2/p) ln D, bound
(III). Herbster, Pasteris and Ghosh (2015, Section 3.3, after Corollary 10 of Herbster and Lever 2009) print
them without constants at i = κ, the least connectivity. Here every level is tried, on two covers: the largest
uniformly labelled clusters, and the connected components.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import LabelError
from zerokelvin.graph import Graph, cut, diameter, wide_diameters
from zerokelvin.learners.base.ties import DEAD_ZONE, cost_of_ties

__all__ = ["cover_bound", "printed_bounds", "tuned_p"]

PAIRS = 20_000  # pairs of nodes of a cluster up to which all its wide diameters are computed


def tuned_p(reach: float) -> float:
    """The p of bound (III) for clusters of (wide) diameter `reach`: 1 + 1/ln D, and 2 for D ≤ e.

    Examples
    --------
    >>> tuned_p(2.0), round(tuned_p(100.0), 3)
    (2.0, 1.217)
    """
    return 1.0 + 1.0 / max(math.log(max(reach, 1.0)), 1.0)


def cover_bound(graph: Graph, labels: ArrayLike, p: float = 2.0, clusters: ArrayLike | None = None) -> Bound:
    """Bound (IV) for p = 2, bound (III) for p < 2: known before the game, for every order.

    Parameters
    ----------
    graph, labels
        A graph with positive weights, and its labels in {−1, +1}.
    p
        The seminorm of the learner `interpolation`.
    clusters
        Any number per node: the nodes of one number form clusters where connected. Without it the better of
        the largest uniformly labelled clusters and the connected components.

    Examples
    --------
    >>> from zerokelvin.graph import generators
    >>> barbell = generators.barbell(12)
    >>> print(cover_bound(barbell.graph, barbell.labels))
    at most 2.727 mistakes (bound (IV), Herbster, Pasteris and Ghosh 2015)
    """
    graph.require_positive("bounds (III) and (IV)")
    u = np.asarray(labels)
    if u.shape != (graph.num_nodes,):
        raise LabelError(f"labels have shape {u.shape} for {graph.num_nodes} nodes; give one per node.")
    covers = [u, np.zeros(len(u))] if clusters is None else [np.asarray(clusters)]
    found = [_over_levels(graph, u, p, cover) for cover in covers]
    value, terms = min(found, key=lambda pair: pair[0])
    name = "bound (IV)" if p == 2 else "bound (III)"
    return Bound(value, f"{name}, Herbster, Pasteris and Ghosh 2015", terms | {"p": p})


def printed_bounds(graph: Graph, labels: ArrayLike) -> dict[str, float]:
    """The expressions III and IV as printed, without constants, over the largest uniformly labelled clusters.

    III: (Φ/κ)² log₂ D + c and IV: (Φ/κ) D + c with κ the least connectivity of a cluster and D the largest
    wide diameter at that level. Where a cluster has more than 200 nodes only level 1 is looked at.

    Examples
    --------
    >>> from zerokelvin.graph import generators
    >>> barbell = generators.barbell(5)
    >>> printed_bounds(barbell.graph, barbell.labels)
    {'c': 2.0, 'κ': 4.0, 'D': 2.0, 'III': 2.0625, 'IV': 2.5}
    """
    graph.require_positive("bounds (III) and (IV)")
    u = np.asarray(labels)
    count, reaches, _ = _wide_clusters(graph, u)
    level = min((len(reach) for reach in reaches), default=1)
    reach = max((wide[level - 1] for wide in reaches), default=0.0)
    ratio = cut(graph, u) / level
    return {
        "c": float(count),
        "κ": float(level),
        "D": reach,
        "III": ratio**2 * math.log2(max(reach, 1.0)) + count,
        "IV": ratio * reach + count,
    }


def _over_levels(graph: Graph, u: Ints, p: float, cover: Ints) -> tuple[float, dict[str, float]]:
    """The least bound over κ = 1, 2, … for one cover of the nodes by clusters, and its terms."""
    count, reaches, lightest = _wide_clusters(graph, cover)
    ends = graph.edges
    differ = u[ends[:, 0]] != u[ends[:, 1]]
    cuts = np.bincount(graph.components[ends[differ, 0]], graph.edge_weights[differ]) / lightest
    best: tuple[float, dict[str, float]] = (math.inf, {})
    for level in range(1, 1 + min((len(reach) for reach in reaches), default=1)):
        reach = max((wide[level - 1] for wide in reaches), default=0.0)
        energy = float((4.0 * (cuts / level) ** (2 / p)).sum()) * cost_of_ties(DEAD_ZONE)
        value = count + energy * reach ** (2 * (p - 1) / p) / (p - 1)
        if value < best[0]:
            terms = {"c": float(count), "Φ": float(cuts.sum() * lightest)}
            best = (value, terms | {"κ": float(level), "D": reach})
    return best


class WideClusters(NamedTuple):
    """How many clusters, D(1), D(2), … of those with edges (up to the least κ), and the lightest edge."""

    total: int
    reaches: list[list[float]]
    lightest: float


def _wide_clusters(graph: Graph, cover: NDArray[Any]) -> WideClusters:
    """The connected pieces of equal entries of `cover`, with their wide diameters."""
    ends = graph.edges
    inside = cover[ends[:, 0]] == cover[ends[:, 1]]
    joined = Graph.from_edges(ends[inside], num_nodes=graph.num_nodes)
    order = np.argsort(joined.components, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(joined.components))[:-1])
    pieces = [joined.subgraph(nodes) for nodes in members if len(nodes) > 1]
    most = min((int(np.diff(piece.indptr).min()) for piece in pieces), default=1)  # no κ exceeds a degree
    if any(piece.num_nodes * (piece.num_nodes - 1) // 2 > PAIRS for piece in pieces):
        most = 1
    reaches = [
        [float(diameter(piece))] if most == 1 else [found.value for found in wide_diameters(piece, most)]
        for piece in pieces
    ]
    lightest = float(graph.edge_weights[inside].min()) if inside.any() else 1.0
    return WideClusters(len(members), reaches, lightest)

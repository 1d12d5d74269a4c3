"""Figure 2 of Herbster, Pasteris and Ghosh (2015) for any small graph: graph, flow, all minimum cuts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.flow.static.capacities import scale_weights
from zerokelvin.flow.static.maximum_flow import maximum_flow
from zerokelvin.flow.static.picard_queyranne import PicardQueyranne, picard_queyranne
from zerokelvin.graph import Graph
from zerokelvin.plot.style import BLUE, GREY, INK, VERMILION

__all__ = ["draw_minimum_cuts", "flow_along_edges"]


def draw_minimum_cuts(graph: Graph, labels: Mapping[Hashable, int]) -> Figure:
    """The graph with its labels, one maximum flow, and the Picard–Queyranne graph.

    Parameters
    ----------
    graph
        A small graph with positive weights.
    labels
        Node name → −1 or +1.
    """
    pq = picard_queyranne(graph, labels)
    places = _lay_out(graph, pq)
    figure = Figure(figsize=(14.5, 4.8), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1))
    left, middle, right = figure.subplots(1, 3)
    for axes, title in ((left, "The graph and its labels"), (middle, f"A maximum flow, {pq.value:g}")):
        axes.set_title(title, loc="left", fontsize=11.5, color=INK)
        axes.set_axis_off()
        axes.margins(0.12)
    flow = flow_along_edges(graph, labels)
    for (u, v), along in zip(graph.edges.tolist(), flow.tolist(), strict=True):
        for axes in (left, middle):
            axes.plot(*places[[u, v]].T, color="#c4c4c4", linewidth=1.4, zorder=1)
        if along:
            start, end = (u, v) if along > 0 else (v, u)
            style = {"arrowstyle": "-|>", "shrinkA": 9, "shrinkB": 9, "color": INK, "lw": 1.6}
            middle.annotate("", places[end], places[start], arrowprops=style, zorder=2)
    given = {graph.index(node): y for node, y in labels.items()}
    _draw_nodes(left, graph, places, np.array([given.get(i, 0) for i in range(graph.num_nodes)]))
    _draw_nodes(middle, graph, places, np.array([pq.side(graph.name(i)) for i in range(graph.num_nodes)]))
    pq.draw(right)
    right.set_title("")
    right.set_title("All minimum cuts, from source to target", loc="left", fontsize=11.5, color=INK)
    figure.suptitle(
        "A labelling is a minimum cut if no arrow on the right leads from +1 to −1",
        fontsize=13,
        color=INK,
        fontweight="bold",
    )
    return figure


def flow_along_edges(graph: Graph, labels: Mapping[Hashable, int]) -> Floats:
    """One maximum flow in the graph's weights: per edge (u, v), positive from u to v, negative back.

    >>> flow_along_edges(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), {3: -1, 0: 1})
    array([-1., -1., -1.])
    """
    capacities = scale_weights(graph, "a maximum flow")
    nodes = np.array([graph.index(node) for node in labels], dtype=np.int64)
    flow = maximum_flow(graph, capacities, nodes, np.array(list(labels.values()), dtype=np.int64))
    pushed = (capacities.values - flow.residual) / capacities.scale
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    keys = tails * graph.num_nodes + graph.indices
    order = np.argsort(keys)
    wanted = graph.edges[:, 0] * graph.num_nodes + graph.edges[:, 1]
    return np.asarray(pushed[order][np.searchsorted(keys[order], wanted)], dtype=np.float64)


def _draw_nodes(axes: Axes, graph: Graph, places: Floats, sides: NDArray[np.int64]) -> None:
    """Draw every node with its name at its place, coloured by its side of the cut: −1, 0 (inner) or +1."""
    colours = {-1: BLUE, 0: "white", 1: VERMILION}
    for side, colour in colours.items():
        chosen = np.flatnonzero(sides == side)
        axes.scatter(
            places[chosen, 0],
            places[chosen, 1],
            s=330,
            color=colour,
            edgecolors=GREY,
            linewidths=1.2,
            zorder=3,
        )
    for i, (x, y) in enumerate(places):
        ink = INK if sides[i] == 0 else "white"
        axes.text(x, y, str(graph.name(i)), ha="center", va="center", fontsize=9.5, color=ink, zorder=4)


def _lay_out(graph: Graph, pq: PicardQueyranne) -> Floats:
    """From left to right by super-vertex, then moved so that every node is near its neighbours.

    A spring layout from a fixed start: attraction along edges, repulsion between all nodes.
    """
    level = pq.longest_from_source[pq.super_vertex].astype(np.float64)
    level[pq.super_vertex == pq.target] = max(level.max() + 1, 1)
    rng = np.random.default_rng(0)
    places = np.column_stack([level, rng.uniform(-1, 1, graph.num_nodes)])
    ideal = 1.0
    for step in range(300):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (ideal**2 / distance**2)[:, :, None]).sum(axis=1)
        for u, v in graph.edges.tolist():
            pull = (places[v] - places[u]) * distance[u, v] / ideal
            force[u] += pull
            force[v] -= pull
        force[:, 0] += 0.6 * (1.4 * level - places[:, 0])
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        places += force / size * np.minimum(size, 0.25 * (1 - step / 300) + 0.005)
    return places

"""A picture of the graph of a session: what every node is predicted to be, and which were answered.

Without positions the nodes are laid out in two steps. Distances in edges to some pivots, the farthest from
each other first, give coordinates whose two principal axes keep the whole in shape (Brandes and Pich 2007,
"Eigensolver methods for progressive multidimensional scaling"); a few rounds of springs along edges and
repulsion between all nodes then spread neighbours apart (Fruchterman and Reingold 1991).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.measures.distances import shortest_paths
from zerokelvin.plot.style import CLASSES, GREY, INK, MARKERS, layout

__all__ = ["graph", "place_nodes"]

MOST = 3000
"""Nodes that are laid out here: repulsion looks at all pairs, 100 rounds of 9 million."""

PIVOTS, ROUNDS = 30, 100


def graph(session: Any, positions: ArrayLike | None = None, title: str = "") -> Figure:
    """The graph of a session: shape and colour of a node are the class it is predicted to be.

    Nodes with an answer are large and ringed, and have the class answered; the others are the paler the less
    probable their class is.

    Parameters
    ----------
    session
        A `Session` with at least one class.
    positions
        A row (x, y) per node; laid out by the edges where not given, up to 3,000 nodes.
    title
        Stands above the picture.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> session = zk.start(zk.generators.barbell(6).graph, "nearest", classes=["left", "right"])
    >>> session.teach({0: "left", 11: "right"})
    >>> len(graph(session).axes)
    1
    """
    net: Graph = session.graph
    places = place_nodes(net) if positions is None else np.asarray(positions, dtype=np.float64)
    if places.shape != (net.num_nodes, 2):
        raise ParameterError(
            f"positions of shape {places.shape} do not fit; give one row (x, y) for each of the "
            f"{net.num_nodes:,} nodes."
        )
    shares = session.predict_proba_all()
    codes, answered = shares.argmax(axis=1), np.zeros(net.num_nodes, dtype=np.bool_)
    code_of = {label: code for code, label in enumerate(session.classes)}
    for event in session.events:
        if event.label is not None:
            answered[event.node], codes[event.node] = True, code_of[event.label]
    figure = Figure(figsize=(8.0, 7.4), dpi=110, layout=layout())
    axes = figure.subplots()
    lines = LineCollection(list(places[net.edges]), colors="#9a9a9a", linewidths=0.6, alpha=0.35, zorder=1)
    lines.set_rasterized(True)
    axes.add_collection(lines)
    size = float(np.clip(24_000 / net.num_nodes, 8, 90))
    last = len(CLASSES)
    for code, label in enumerate(session.classes):
        colour, marker = (CLASSES[code], MARKERS[code]) if code < last else (GREY, ".")
        own = codes == code
        quiet, told = own & ~answered, own & answered
        alpha = np.clip(shares[quiet, code], 0.25, 1.0)
        axes.scatter(
            places[quiet, 0],
            places[quiet, 1],
            s=size,
            color=colour,
            marker=marker,
            alpha=alpha,
            linewidths=0,
            zorder=2,
        )
        ring: dict[str, Any] = {"edgecolors": INK, "linewidths": 1.6, "zorder": 3}
        axes.scatter(places[told, 0], places[told, 1], s=2.2 * size, color=colour, marker=marker, **ring)
        if code <= last:
            name = f"{label} ({int(own.sum()):,})" if code < last else "other classes"
            axes.scatter([], [], s=60, color=colour, marker=marker, label=name)
    axes.scatter([], [], s=90, color="white", edgecolors=INK, linewidths=1.6,
                 label=f"answered ({int(answered.sum()):,})")  # fmt: skip
    axes.set_axis_off()
    axes.set_aspect("equal", "datalim")
    axes.margins(0.03)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=10)
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    return figure


def place_nodes(net: Graph) -> Floats:
    """Two coordinates for each node by the edges alone; the same for the same graph. See the module."""
    count = net.num_nodes
    if count > MOST:
        raise ParameterError(
            f"{count:,} nodes are too many to be laid out here ({MOST:,} at most); give positions=."
        )
    ends = net.edges
    places = _pivot_axes(net)
    ideal = 1.0 / np.sqrt(max(count, 1))
    places = places / max(float(np.abs(places).max()), 1e-12)
    places = places + 1e-3 * np.random.default_rng(0).standard_normal((count, 2))
    for step in range(ROUNDS):
        gaps = places[:, None, :] - places[None, :, :]
        squares = np.maximum((gaps**2).sum(axis=2), 1e-9)
        push = (gaps * (ideal**2 / squares)[:, :, None]).sum(axis=1)
        along = places[ends[:, 1]] - places[ends[:, 0]]
        pull = along * (np.linalg.norm(along, axis=1) / ideal)[:, None]
        np.add.at(push, ends[:, 0], pull)
        np.subtract.at(push, ends[:, 1], pull)
        lengths = np.maximum(np.linalg.norm(push, axis=1), 1e-12)
        reach = 0.1 * (1.0 - step / ROUNDS)
        places = places + push / lengths[:, None] * np.minimum(lengths, reach)[:, None]
    return places


def _pivot_axes(net: Graph) -> Floats:
    """The two principal axes of the distances to pivots."""
    count, equal = net.num_nodes, np.ones(len(net.indices))
    distances = np.full((min(PIVOTS, count), count), np.inf)
    nearest, pivot = np.full(count, np.inf), 0
    for row in range(len(distances)):
        distances[row] = shortest_paths(net.indptr, net.indices, equal, pivot)
        nearest = np.minimum(nearest, distances[row])
        pivot = int(np.argmax(nearest))
    finite = distances[np.isfinite(distances)]
    far = float(finite.max()) + 2.0 if len(finite) else 1.0  # another component
    squares = np.where(np.isfinite(distances), distances, far).T ** 2
    squares = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    _, _, axes = np.linalg.svd(squares, full_matrices=False)
    found = squares @ axes[:2].T
    return np.hstack([found, np.zeros((count, 2))])[:, :2]

"""Hypothesis strategies for graphs and labelings: weighted, disconnected, tie-heavy, tiny, multi-edges."""

import numpy as np
from hypothesis import strategies as st

from zerokelvin import Graph

WEIGHTS = {
    "unit": st.just(1.0),
    "small integers": st.integers(1, 4).map(float),
    "real": st.floats(0.05, 20.0, allow_nan=False),
}


@st.composite
def edge_lists(draw, max_nodes=9):
    """A number of nodes and pairs among them, self-loops and multi-edges included."""
    nodes = draw(st.integers(1, max_nodes))
    node = st.integers(0, nodes - 1)
    return nodes, draw(st.lists(st.tuples(node, node), max_size=3 * nodes))


@st.composite
def graphs(draw, max_nodes=9, connected=None, min_nodes=1):
    """Graphs of any shape; with connected=True a random tree and further edges."""
    nodes = draw(st.integers(min_nodes, max_nodes))
    node = st.integers(0, nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=2 * nodes))
    if draw(st.booleans()) if connected is None else connected:
        edges += [(draw(st.integers(0, i - 1)), i) for i in range(1, nodes)]
    weight = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    weights = [draw(weight) for _ in edges]
    return Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), weights, num_nodes=nodes)


@st.composite
def labelled_graphs(draw, max_nodes=9, connected=None, min_nodes=1):
    """A graph with a labelling in {-1, +1}."""
    graph = draw(graphs(max_nodes=max_nodes, connected=connected, min_nodes=min_nodes))
    labels = draw(st.lists(st.sampled_from([-1, 1]), min_size=graph.num_nodes, max_size=graph.num_nodes))
    return graph, np.array(labels, dtype=np.int64)


@st.composite
def games(draw, max_nodes=9, connected=None, noisy=True):
    """A labelled graph and a sequence of trials (node, label), with repeats and, if noisy, flipped labels."""
    graph, labels = draw(labelled_graphs(max_nodes=max_nodes, connected=connected))
    nodes = draw(st.lists(st.integers(0, graph.num_nodes - 1), min_size=1, max_size=25))
    flips = (
        draw(st.lists(st.booleans(), min_size=len(nodes), max_size=len(nodes)))
        if noisy
        else [False] * len(nodes)
    )
    rare = draw(st.integers(0, 3)) if noisy else 0  # most games have few flips
    trials = []
    for node, flip in zip(nodes, flips, strict=True):
        flip = flip and rare > 0
        rare -= flip
        trials.append((node, int(-labels[node] if flip else labels[node])))
    return graph, labels, trials

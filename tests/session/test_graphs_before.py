"""Going back from a grown graph: every graph before is what it was, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import strategies
from zerokelvin import Graph
from zerokelvin.session.growing import before_growth, graph_before


@given(strategies.graphs(max_nodes=6), st.booleans(), st.data())
def test_graphs_before_several_growths(graph, named, data):
    if named:
        names = data.draw(st.permutations([f"n{i}" for i in range(graph.num_nodes)]))
        graph = Graph(graph.indptr, graph.indices, graph.weights, names)
    graphs, steps = [graph], []
    for turn in range(data.draw(st.integers(0, 4))):
        new = data.draw(st.integers(0, 2))
        added = [f"m{turn}-{k}" for k in range(new)] if graph.names is not None else new
        everyone = list(graph.names or range(graph.num_nodes))
        everyone += added if graph.names is not None else list(range(len(everyone), len(everyone) + new))
        node = st.sampled_from(everyone)
        edges = data.draw(st.lists(st.tuples(node, node), max_size=4))
        weights = data.draw(st.lists(st.floats(0.1, 3), min_size=len(edges), max_size=len(edges)))
        if graph.num_edges and data.draw(st.booleans()):  # one edge goes
            at = data.draw(st.integers(0, graph.num_edges - 1))
            edges = [tuple(graph.name(i) for i in graph.edges[at].tolist())]
            weights = [-float(graph.edge_weights[at])]
        grown = graph.extended(added, edges, weights)
        steps.append(before_growth(graph, grown, turn))
        graphs.append(grown)
        graph = grown
    for k, earlier in enumerate(graphs):
        found = graph_before(graph, steps[k:])
        assert found == earlier
        for name in ("indptr", "indices", "weights"):
            assert np.array_equal(getattr(found, name), getattr(earlier, name))


def test_only_what_changed_is_kept():
    line = Graph.from_edges([(i, i + 1) for i in range(50)])
    before = before_growth(line, line.extended(2, [(50, 51), (51, 52), (3, 9), (7, 8)]), 1)
    assert before.edges.tolist() == [[3, 9], [7, 8]]
    assert before.weights.tolist() == [0.0, 1.0]

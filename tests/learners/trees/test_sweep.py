"""All margins of a committee of spines in one pass: those of every node by a search of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk


@pytest.mark.parametrize("trees", [1, 3])
@given(graph=strategies.graphs(max_nodes=20), data=st.data())
def test_a_sweep_gives_the_margins_one_by_one(trees, graph, data):
    state = zk.learners.make("spanning-tree", inner="nearest", trees=trees).start(graph)
    count = graph.num_nodes
    for _ in range(data.draw(st.integers(0, 8))):
        state.update(data.draw(st.integers(0, count - 1)), data.draw(st.sampled_from([-1, 1])))
        nodes = np.array(data.draw(st.permutations(range(count))))
        assert state.margins(nodes).tolist() == [state.margin(int(node)) for node in nodes]

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pytest

from naive.flow import all_minimum_cuts, naive_structure, path_lengths
from naive.flow_graphs import random_labels, small_graph
from zerokelvin.errors import GraphError, LabelError, NodeError
from zerokelvin.flow import picard_queyranne
from zerokelvin.graph import Graph


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def check_against_definition(case, labels):
    value, cuts, classes, place, arcs = naive_structure(case.n, case.edges, case.costs, labels)
    pq = picard_queyranne(case.graph, labels)
    assert pq.value == pytest.approx(value * case.unit, rel=1e-12, abs=1e-12)
    assert pq.rounding == 0.0
    ids = pq.super_vertex.tolist()
    assert same_partition(ids, classes)
    assert [{"source": -1, "target": 1, "inner": 0}[pq.place(i)] for i in range(case.n)] == place
    to_class = dict(zip(ids, classes, strict=True))
    assert {(to_class[i], to_class[j]) for i, j in pq.arcs.tolist()} == arcs
    assert len(pq.arcs) == len(arcs)
    assert all(i < j for i, j in pq.arcs.tolist())
    weights = {}
    for (u, v), cost in zip(case.edges, case.costs, strict=True):
        pair = tuple(sorted((ids[u], ids[v])))
        if pair[0] != pair[1]:
            weights[pair] = weights.get(pair, 0.0) + cost * case.unit
    assert {tuple(a): w for a, w in zip(pq.arcs.tolist(), pq.arc_weights, strict=True)} == pytest.approx(
        weights
    )
    for longest in (True, False):
        lengths = path_lengths(place, classes, arcs, longest)
        start = pq.longest_from_source if longest else pq.shortest_from_source
        end = pq.longest_to_target if longest else pq.shortest_to_target
        assert [(start[i], end[i]) for i in ids] == lengths
    listed = [tuple(cut) for cut in itertools.islice(pq.minimum_cuts(), 2**case.n + 1)]
    assert len(listed) == len(set(listed)) == len(cuts) == pq.count_minimum_cuts()
    assert set(listed) == {tuple(row) for row in (2 * cuts - 1).tolist()}


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(10))
def test_definition_1_on_all_labelings(seed):
    rng = np.random.default_rng(seed)
    for _ in range(120):
        case = small_graph(rng)
        check_against_definition(case, random_labels(rng, case.n))


def test_definition_1_on_ten_thousand_graphs():
    """Super-vertices, arcs and the list of minimum cuts, by comparing closed sets with minimum cuts."""
    rng = np.random.default_rng(99)
    for _ in range(10_000):
        case = small_graph(rng, largest=7)
        labels = random_labels(rng, case.n)
        _, cuts = all_minimum_cuts(case.n, case.edges, case.costs, labels)
        pq = picard_queyranne(case.graph, labels)
        listed = np.array(list(itertools.islice(pq.minimum_cuts(), len(cuts) + 1)))
        assert len(listed) == len(cuts)
        code = 1 << np.arange(case.n)
        assert set(((listed + 1) // 2 @ code).tolist()) == set((cuts @ code).tolist())
        assert len(np.unique(cuts, axis=1).T) == len(np.unique(pq.super_vertex))


def test_figure_2_of_the_paper():
    """A graph with the Picard–Queyranne graph of Figure 2d: two path covers, cut 3."""
    arcs = [("s", "A"), ("s", "A"), ("s", "B"), ("A", "t"), ("A", "B"), ("B", "C"), ("B", "t"), ("C", "t")]
    names = ["s", "A", "B", "C", "t"]
    graph = Graph.from_edges([(names.index(u), names.index(v)) for u, v in arcs], names=names)
    pq = picard_queyranne(graph, {"s": 0, "t": 1})
    assert pq.value == 3.0
    assert [pq.of(name) for name in names] == [0, 1, 2, 3, 4]
    assert pq.arcs.tolist() == [[0, 1], [0, 2], [1, 2], [1, 4], [2, 3], [2, 4], [3, 4]]
    assert pq.arc_weights.tolist() == [2, 1, 1, 1, 1, 1, 1]
    assert pq.longest_from_source.tolist() == [0, 1, 2, 3, 4]
    assert pq.shortest_to_target.tolist() == [2, 1, 1, 1, 0]
    assert pq.count_minimum_cuts() == 4


def test_enumeration_is_lazy_and_counting_capped():
    spokes = [(0, i) for i in range(1, 200)] + [(i, 200) for i in range(1, 200)]
    pq = picard_queyranne(Graph.from_edges(spokes), {0: 0, 200: 1})
    assert pq.count_minimum_cuts() == 2**199
    few = list(itertools.islice(pq.minimum_cuts(), 5))
    assert len({tuple(cut) for cut in few}) == 5
    wide = 9
    crown = [(0, 1 + i) for i in range(wide) for _ in range(2)]
    crown += [(1 + i, 1 + wide + (i + step) % wide) for i in range(wide) for step in (0, 4)]
    crown += [(1 + wide + i, 1 + 2 * wide) for i in range(wide) for _ in range(2)]
    pq = picard_queyranne(Graph.from_edges(crown), {0: 0, 1 + 2 * wide: 1})
    assert pq.num_super_vertices == 2 * wide + 2
    assert pq.count_minimum_cuts(max_states=3) is None
    assert pq.count_minimum_cuts() == sum(1 for _ in pq.minimum_cuts())


def test_names_and_refusals():
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    pq = picard_queyranne(graph, {"a": -1, "c": 1})
    assert pq.members(pq.source) == ["a"]
    assert pq.members(1) == ["b"]
    assert pq.part("a") is None
    assert pq.part("b").num == 1
    with pytest.raises(NodeError, match="no node 'x'"):
        picard_queyranne(graph, {"x": 0})
    with pytest.raises(NodeError, match="no node 'x'"):
        pq.of("x")
    with pytest.raises(LabelError, match="both ways"):
        picard_queyranne(graph, [("a", 0), ("a", 1)])
    with pytest.raises(GraphError, match="Picard–Queyranne graph needs positive weights"):
        picard_queyranne(Graph.from_edges([(0, 1)], [-1.0]), {0: 0})


def test_one_kind_of_label_and_none():
    graph = Graph.from_edges([(0, 1), (2, 3)])
    none = picard_queyranne(graph, {})
    assert (none.num_super_vertices, none.count_minimum_cuts(), none.value) == (4, 4, 0.0)
    one = picard_queyranne(graph, {0: 0})
    assert [one.place(i) for i in range(4)] == ["source", "source", "inner", "inner"]
    assert one.longest_from_source.tolist() == [0, -1, -1]
    assert [cut.tolist() for cut in one.minimum_cuts()] == [[-1, -1, 1, 1], [-1, -1, -1, -1]]


def test_networkx_export():
    pq = picard_queyranne(Graph.from_edges([(0, 1), (1, 2), (2, 3)], [2, 1, 1]), {0: 0, 3: 1})
    exported = pq.to_networkx()
    assert exported.graph["value"] == 1.0
    assert dict(exported.nodes(data="members")) == {0: [0, 1], 1: [2], 2: [3]}
    assert list(exported.edges(data="weight")) == [(0, 1, 1.0), (1, 2, 1.0)]


def test_drawing_shows_every_super_vertex_and_arc():
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    graph = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("e", "f")])
    pq = picard_queyranne(graph, {"a": 0, "c": 1})
    figure, ax = plt.subplots()
    assert pq.draw(ax) is ax
    written = {text.get_text() for text in ax.texts}
    assert {"a", "b", "c", "d", "e, f"} <= written
    assert len(ax.texts) == pq.num_super_vertices + len(pq.arcs)
    plt.close(figure)
    own = picard_queyranne(graph, {}).draw()
    assert "∅" in {text.get_text() for text in own.texts}
    plt.close(own.figure)


def test_a_drawing_of_its_own_has_room_for_its_boxes():
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    loose = [(21 + 2 * k, 22 + 2 * k) for k in range(25)]
    wide = [(i, j) for i in range(71, 79) for j in range(71, i)]  # one super-vertex of many names
    chain = [(i, i + 1) for i in range(20) if i != 9] + [(9, 71), (78, 10)]
    graph = Graph.from_edges(chain + loose + wide)
    ax = picard_queyranne(graph, {0: 0, 20: 1}).draw()
    ax.figure.canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts if text.get_text()]
    assert len(boxes) == 22 + 25
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    plt.close(ax.figure)

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.experiments import LabellingJob, label_at_random, label_by_value
from zerokelvin.experiments.figures.labelling_figure import draw_labelling
from zerokelvin.graph import Graph, knn_graph


@pytest.fixture(scope="module")
def clouds():
    """Three clouds of points that overlap at the edges, and the cloud of each point."""
    rng = np.random.default_rng(3)
    labels = np.repeat([4, 7, 9], 40)
    points = rng.normal(size=(120, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[labels // 3 - 1]
    graph, kept = knn_graph(points, 6).largest_component()
    return graph, labels[kept]


def right_by_definition(graph, labels, nodes):
    """A new session that learns `nodes` in order, then every node one by one."""
    session = zk.start(graph, classes=np.unique(labels).tolist(), seed=2)
    for node in nodes:
        session.learn(graph.name(node), int(labels[node]))
    answered = set(nodes)
    return sum(
        node in answered or session.predict(graph.name(node)).label == labels[node]
        for node in range(graph.num_nodes)
    )


def test_right_labels_by_value_are_those_of_a_session_that_learns_the_same(clouds):
    job = label_by_value(*clouds, answers=13, every=5, seed=2)
    assert job.answers == (5, 10, 13)
    assert job.total == clouds[0].num_nodes
    for answers, right in zip(job.answers, job.right, strict=True):
        assert right == right_by_definition(*clouds, job.nodes[:answers].tolist())


def test_each_question_is_the_first_of_the_open_ones(clouds):
    graph, labels = clouds
    job = label_by_value(graph, labels, answers=8, every=3, seed=2)
    session = zk.start(graph, classes=np.unique(labels).tolist(), policy="value", seed=2)
    for node in job.nodes.tolist():
        assert session.open_questions()[0] == node
        session.learn(node, int(labels[node]))


def test_right_labels_at_random_are_those_of_a_session_that_learns_the_same(clouds):
    nodes = np.random.default_rng(0).permutation(clouds[0].num_nodes)[:30]
    job = label_at_random(*clouds, nodes, counts=[20, 7, 40, 7], seed=2)
    assert job.answers == (7, 20, 30)
    for answers, right in zip(job.answers, job.right, strict=True):
        assert right == right_by_definition(*clouds, nodes[:answers].tolist())


def test_names_of_nodes_make_no_difference(clouds):
    graph, labels = clouds
    named = Graph(*graph.csr, names=[f"node {i:03}" for i in range(graph.num_nodes)])
    plain, other = (label_by_value(one, labels, answers=6, every=2) for one in (graph, named))
    assert plain.as_dict() == other.as_dict()
    nodes = np.arange(0, 60, 7)
    plain, other = (label_at_random(one, labels, nodes, counts=[4]) for one in (graph, named))
    assert plain.as_dict() == other.as_dict()


def test_it_ends_when_no_question_is_open():
    line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    seen = []
    job = label_by_value(
        line, np.array([0, 0, 1, 1]), 10, every=100, progress=lambda *step: seen.append(step)
    )
    assert 0 < len(job.nodes) <= 4
    assert seen[-1] == (len(job.nodes), len(job.nodes))
    assert job.answers == (len(job.nodes),)


def test_progress_tells_every_answer(clouds):
    seen = []
    label_by_value(*clouds, answers=4, every=2, progress=lambda *step: seen.append(step))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_right_after_answers_that_were_counted_only():
    job = LabellingJob(np.array([3, 1]), (1, 2), (5, 8), 10)
    assert job.right_after(2) == 8
    assert job.as_dict() == {"nodes": [3, 1], "answers": [1, 2], "right": [5, 8], "share_right": [0.5, 0.8]}
    with pytest.raises(ParameterError, match=r"after 3 answers; choose from \(1, 2\)"):
        job.right_after(3)


def test_the_picture_has_a_line_and_the_last_share_of_each_way():
    one = LabellingJob(np.array([3, 1]), (1, 2), (5, 8), 10)
    two = LabellingJob(np.array([2, 1]), (1, 2), (4, 6), 10)
    figure = draw_labelling({"asked": [one], "drawn": [one, two]}, "Title")
    (axes,) = figure.axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[50.0, 80.0], [45.0, 70.0]]
    assert [text.get_text() for text in axes.texts] == ["80.0 %", "70.0 %"]
    assert len(axes.collections) == 1
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["asked", "drawn (mean and span of 2 draws)"]

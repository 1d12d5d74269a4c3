"""Tables of features that grow in a session: vectors never seen before become rows."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import GraphError, NodeError

LEARNERS = [
    ("perceptron", {}),
    ("second-order", {}),
    ("second-order", {"variant": "pseudoinverse"}),
    ("ollgc", {}),
    ("sslgc", {}),
    ("bbq", {}),
    ("gaussian", {}),
]
ROWS = np.random.default_rng(7).normal(size=(24, 3))


@pytest.mark.parametrize("kernel", ["linear", "polynomial:2", "gaussian:1.5"])
@pytest.mark.parametrize(("name", "params"), LEARNERS)
@pytest.mark.parametrize("named", [False, True])
def test_a_grown_table_is_as_if_all_rows_had_been_there(name, params, kernel, named, tmp_path):
    names = [f"row {i}" for i in range(len(ROWS))] if named else list(range(len(ROWS)))
    classes = ["a", "b", "c"]
    labels = [classes[i % 3] for i in range(len(ROWS))]
    first = zk.Features(ROWS[:9], names[:9] if named else None, kernel)
    session = zk.start(first, name, classes=classes, **params)
    for i in range(6):
        session.learn(names[i], labels[i])
    assert session.add_nodes(names[9:15] if named else 6, attributes=ROWS[9:15]) == names[9:15]
    for i in range(9, 13):
        session.learn(names[i], labels[i])
    session.add_nodes(names[15:] if named else 9, attributes=ROWS[15:])

    final = zk.Features(ROWS, names if named else None, kernel)
    assert session.graph == final
    fresh = zk.start(final, name, classes=classes, **params)
    for i in (*range(6), *range(9, 13)):
        fresh.learn(names[i], labels[i])
    assert session.predict_proba_all() == pytest.approx(fresh.predict_proba_all(), abs=1e-9)
    assert session.predict(names[20]).label == fresh.predict(names[20]).label

    session.save(tmp_path / "grown.zk")
    loaded = zk.load(tmp_path / "grown.zk", final)
    assert loaded.predict_proba_all().tolist() == session.predict_proba_all().tolist()


def test_new_rows_without_their_vectors_say_how_to_give_them():
    session = zk.start(zk.Features(ROWS), "ollgc", classes=["a", "b"])
    with pytest.raises(GraphError, match=r"1 new rows need vectors of 3 numbers each, and none were given"):
        session.add_nodes(1)
    with pytest.raises(GraphError, match=r"they have shape \(2, 3\)"):
        session.add_nodes(1, attributes=ROWS[:2])
    with pytest.raises(GraphError, match="have no edges, so none can be added"):
        session.add_edges([(0, 1)])
    with pytest.raises(NodeError, match=r"add it first: session\.add_nodes\(1, attributes=\[vector\]\)"):
        session.predict(ROWS[0])
    assert session.graph.num_nodes == len(ROWS)
    assert session.add_nodes([]) == []

"""Sessions on the cells of an AnnData object, and what is written beside them."""

import anndata
import numpy as np
import pytest
import scipy.sparse as sp

import zerokelvin as zk
from zerokelvin.ecosystems import annotate
from zerokelvin.errors import DataError, GraphError, NodeError, ParameterError


def cells(seed=0, count=30):
    """Two kinds of cells with a graph that is not quite symmetric, as approximate neighbours are."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(0, 1, (count // 2, 3)), rng.normal(4, 1, (count // 2, 3))])
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    near = np.argsort(distance, axis=1)[:, 1:6]
    rows = np.repeat(np.arange(count), 5)
    matrix = sp.csr_matrix(
        (np.exp(-distance[rows, near.ravel()]), (rows, near.ravel())), shape=(count, count)
    )
    data = anndata.AnnData(points.astype(np.float32))
    data.obs_names = [f"cell {i}" for i in rng.permutation(count)]
    data.obs["kind"] = ["T"] * (count // 2) + ["B"] * (count // 2)
    data.obsp["connectivities"], data.obsp["other"] = matrix, matrix.T.tocsr() * 2
    return data


def test_a_session_begins_on_connectivities():
    data = cells()
    session = zk.start(data, classes=["B", "T"])
    graph = session.graph
    assert list(graph.names) == list(data.obs_names)
    full = data.obsp["connectivities"].toarray()
    assert np.allclose(graph.adjacency.toarray(), np.maximum(full, full.T))
    other = zk.start(data, obsp="other").graph
    assert np.allclose(other.adjacency.toarray(), 2 * graph.adjacency.toarray())
    assert zk.Graph.from_anndata(data) == graph
    labels = dict(zip(data.obs_names, data.obs["kind"], strict=True))
    assert zk.play(data, labels).trials == 30


def test_what_a_session_knows_is_written_to_obs(tmp_path):
    data = cells()
    truth = dict(zip(data.obs_names, data.obs["kind"], strict=True))
    session = zk.start(data, classes=["B", "T"])
    session.teach({data.obs_names[2]: "T"})
    for _ in range(4):
        (node,) = session.open_questions(limit=1)
        session.learn(node, truth[node])
    other = data[np.random.default_rng(1).permutation(30)[:20]].copy()  # some of them, in another order
    for chosen in (data, other):
        annotate(chosen, session)
        frame = session.to_frame().set_index("node").loc[list(chosen.obs_names)]
        assert chosen.obs["zk_label"].tolist() == frame["label"].tolist()
        assert chosen.obs["zk_label"].cat.categories.tolist() == ["B", "T"]
        for name in ("probability", "answered", "asked"):
            assert chosen.obs[f"zk_{name}"].tolist() == frame[name].tolist()
        places = [session.graph.index(name) for name in chosen.obs_names]
        assert np.array_equal(chosen.obsm["zk_proba"], session.predict_proba_all()[places])
    assert data.obs["zk_answered"].sum() == 5
    assert data.obs["zk_asked"].sum() == 4
    assert (data.obs["zk_label"] == data.obs["kind"]).mean() > 0.9
    data.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["zk_label"].tolist() == data.obs["zk_label"].tolist()
    assert again.uns["zk_classes"].tolist() == ["B", "T"]


def test_what_does_not_fit_is_refused():
    data = cells()
    with pytest.raises(GraphError, match=r"no obsp\['distances'\], only connectivities, other; make it"):
        zk.start(data, obsp="distances")
    with pytest.raises(ParameterError, match="obsp='other' names a matrix of an AnnData object, not of list"):
        zk.start([("a", "b")], obsp="other")
    session = zk.start(data, classes=["B", "T"])
    session.teach({data.obs_names[0]: "T"})
    with pytest.raises(DataError, match="not into ndarray; for a table take session"):
        annotate(data.X, session)
    stranger = data.copy()
    stranger.obs_names = [f"x{i}" for i in range(30)]
    with pytest.raises(NodeError, match="x0"):
        annotate(stranger, session)
    assert "zk_label" not in stranger.obs
    data.obs_names = ["same"] * 30
    with pytest.raises(GraphError, match="obs_names_make_unique"), pytest.warns(UserWarning, match="unique"):
        zk.start(data.copy())

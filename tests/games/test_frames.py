"""Games as frames: one row per trial or per game, in pandas or polars, to parquet and back."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import zerokelvin as zk
from zerokelvin.errors import MissingDependencyError, ParameterError


@pytest.fixture
def example():
    drawn = zk.generators.planted_partition([12, 12, 12], 0.4, 0.04, np.random.default_rng(0))
    names = [f"n{i}" for i in range(36)]
    return zk.Graph.from_edges(drawn.graph.edges, num_nodes=36, names=names), np.array(list("xyz"))[
        drawn.labels
    ]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_row_per_trial(example, library):
    graph, labels = example
    run = zk.play(graph, labels, "pounce", policy="margin:0.1")
    frame = run.to_frame(library)
    assert isinstance(frame, {"pandas": pd, "polars": pl}[library].DataFrame)
    assert list(frame.columns) == [
        "trial", "node", "label", "predicted", "mistake", "asked", "guessed", "margin", "confidence",
    ]  # fmt: skip
    assert list(frame["node"]) == run.order.tolist()
    assert list(frame["predicted"]) == run.predictions.tolist()
    assert int(frame["mistake"].sum()) == run.mistakes
    assert int(frame["asked"].sum()) == run.cumulative_queries[-1]
    clear = ~run.guessed
    assert np.asarray(frame["margin"])[clear].tolist() == run.margins[clear].max(axis=1).tolist()
    session = zk.start(graph, "pounce", classes=list("xyz"))
    assert frame["confidence"][0] == session.predict(run.order[0]).confidence == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_row_per_game(example, library):
    graph, labels = example
    runs = zk.play_shuffles(graph, labels, "perceptron", shuffles=3, seed=4)
    frame = runs.to_frame(library, bounds=True)
    assert list(frame["seed"]) == [4, 5, 6]
    assert list(frame["error_multiclass"]) == runs.values("error_multiclass").tolist()
    assert list(frame["bound"]) == [run.bound.value for run in runs.runs]
    assert list(frame["bound_says_something"]) == [run.bound.value < 36 for run in runs.runs]
    assert float(frame["majority_error"][0]) == pytest.approx(2 / 3)
    assert np.isnan(np.asarray(frame["auc"], dtype=float)).all()
    assert "bound" not in runs.to_frame(library).columns


def test_a_grid_is_its_games(example):
    graph, labels = example
    params = {"perceptron": {"b": [1.0, 2.0]}, "sslgc": {"rank": 5, "kappa": (0.2, 0.4)}}
    told = []
    frame = zk.play_grid(
        graph,
        labels,
        ["nearest", "perceptron", "sslgc"],
        params,
        seeds=[3, 7],
        progress=lambda *at: told.append(at),
    )
    assert list(frame.columns[:5]) == ["learner", "b", "rank", "kappa", "seed"]
    assert len(frame) == 10 == told[-1][0] == told[-1][1]
    for row in frame.to_dict("records"):
        own = {name: row[name] for name in ("b", "rank", "kappa") if not np.isnan(row[name])}
        own |= {"rank": int(own["rank"])} if "rank" in own else {}
        run = zk.play(graph, labels, row["learner"], seed=row["seed"], **own)
        assert (run.mistakes, run.queried_nodes) == (row["mistakes"], row["queried_nodes"])
        assert run.figures.macro_f1 == row["macro_f1"]


def test_a_grid_with_a_policy_in_polars(example):
    graph, labels = example
    frame = zk.play_grid(graph, labels, "nearest", seeds=[1], policy="value", budget=9, library="polars")
    assert isinstance(frame, pl.DataFrame)
    assert (
        frame["queried_nodes"][0]
        == zk.play(graph, labels, "nearest", seed=1, policy="value", budget=9).queried_nodes
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parquet_and_back(example, library, tmp_path):
    graph, labels = example
    frame = zk.play_grid(graph, labels, ["nearest"], seeds=[0, 1], bounds=True, library=library)
    path = tmp_path / "games.parquet"
    if library == "pandas":
        frame.to_parquet(path)
        pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    else:
        frame.write_parquet(path)
        assert pl.read_parquet(path).equals(frame)


def test_bad_grids_are_refused(example):
    graph, labels = example
    with pytest.raises(ParameterError, match="at least one learner and one seed"):
        zk.play_grid(graph, labels, [])
    with pytest.raises(ParameterError, match="params name 'pounce', which is not played"):
        zk.play_grid(graph, labels, ["nearest"], {"pounce": {}})
    with pytest.raises(ParameterError, match="choose pandas or polars"):
        zk.play_grid(graph, labels, ["nearest"], library="excel")
    with pytest.raises(ParameterError, match="choose pandas or polars"):
        zk.play(graph, labels, "nearest").to_frame("excel")


def test_what_is_not_installed_is_named(example, monkeypatch):
    graph, labels = example
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingDependencyError, match="pip install polars"):
        zk.play(graph, labels, "nearest").to_frame("polars")


def test_a_game_imports_no_frames_and_no_pictures():
    code = (
        "import sys, zerokelvin as zk\n"
        "zk.play(zk.Graph.from_edges([(0, 1)]), [0, 1], 'nearest')\n"
        "print([name for name in ('pandas', 'polars', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

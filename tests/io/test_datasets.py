"""Data sets by name and path: where they are looked up and what they hold."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.io import (
    cache_folder,
    dataset_names,
    find_datasets,
    load_dataset,
    read_graph,
    read_labels,
    write_graph,
)
from zerokelvin.io.formats.npz import graph_arrays, write_arrays

GRAPH = Graph.from_edges([(0, 1), (1, 2)], [0.5, 2.0], num_nodes=4)
REAL = Path(os.environ.get("ZEROKELVIN_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty world: no data folder, no shared data, an empty cache."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ZEROKELVIN_DATA", raising=False)
    monkeypatch.setenv("ZEROKELVIN_DATASETS_URL", "http://127.0.0.1:9")
    return tmp_path


def save(path: Path, **more: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {**graph_arrays(GRAPH), "labels": np.array([0, 1, -1, 1]), "label_names": np.array(["x", "y"])}
    write_arrays(path, {**arrays, **more})
    return path


def test_path(home: Path) -> None:
    path = save(home / "own.npz", year=np.arange(4))
    data = load_dataset(path)
    assert data.name == "own"
    assert data.graph == GRAPH == read_graph(path)
    assert data.labels.tolist() == [0, 1, None, 1] == read_labels(path, GRAPH).tolist()
    assert data.label_names == ("x", "y")
    assert data.points is None
    assert data.extras["year"].tolist() == [0, 1, 2, 3]
    with pytest.raises(TypeError):
        data.extras["year"] = np.zeros(4)  # type: ignore[index]
    assert repr(data) == "DataSet('own', nodes=4, edges=2, classes=2)"


def test_order_of_places(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [home / "cache" / "zerokelvin", home / "shared" / "data", home / "given"]
    monkeypatch.setenv("ZEROKELVIN_DATA", str(home / "given"))
    for mark, place in enumerate(places):
        save(place / "cora.npz", mark=np.array(mark))
        assert load_dataset("cora").extras["mark"] == mark
        row = next(info for info in find_datasets() if info.name == "cora")
        assert Path(row.where).resolve() == (place / "cora.npz").resolve()
        assert (row.nodes, row.edges, row.classes) == (4, 2, 2)


def test_points(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZEROKELVIN_DATA", str(home))
    write_arrays(home / "cloud_points.npz", {"X": np.eye(3, dtype=np.uint8), "labels": np.array([0, 1, 0])})
    for data in (load_dataset("cloud"), load_dataset(home / "cloud_points.npz")):
        assert data.name == "cloud"
        assert data.network is None
        assert data.points is not None
        assert data.points.dtype == np.float64
        assert data.label_names == ("0", "1")
        with pytest.raises(DataError, match=r"'cloud' holds points, not a graph; build one from .points"):
            data.graph
    assert "cloud" in dataset_names()


def test_digits_needs_no_network(home: Path) -> None:
    data = load_dataset("digits")
    assert data.points is not None
    assert data.points.shape == (1797, 64)
    assert np.bincount(data.labels).sum() == 1797
    assert len(data.label_names) == 10


def test_listing_of_an_empty_world(home: Path) -> None:
    assert dataset_names() == ["citeseer", "cora", "digits", "pubmed"]
    rows = {info.name: info for info in find_datasets()}
    assert rows["cora"].where == "to be downloaded"
    assert rows["cora"].nodes is None
    assert (rows["digits"].where, rows["digits"].nodes, rows["digits"].edges) == ("scikit-learn", 1797, None)


def test_listing_survives_a_damaged_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZEROKELVIN_DATA", str(home))
    (home / "bad.npz").write_bytes(b"garbage")
    row = next(info for info in find_datasets() if info.name == "bad")
    assert row.where.startswith("unreadable: ")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"labels": np.zeros(3, dtype=int)}, "one integer per node"),
        ({"labels": np.zeros(4)}, "one integer per node"),
        ({"labels": np.array([0, 1, 2, 7])}, "holds 7, but there are only 2 label names"),
        ({"X": np.zeros(4)}, "a row per point"),
    ],
)
def test_bad_files(home: Path, more: dict[str, object], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        load_dataset(save(home / "own.npz", **more))


def test_unknown_name_and_path(home: Path) -> None:
    with pytest.raises(DataError, match=r"no data set 'corra' in .*; known: citeseer, cora, digits, pubmed"):
        load_dataset("corra")
    with pytest.raises(DataError, match="there is no file"):
        load_dataset("./none.npz")


def test_cache_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == home / "cache" / "zerokelvin"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(home))
    for platform, expected in (("linux", ".cache/zerokelvin"), ("darwin", "Library/Caches/zerokelvin")):
        monkeypatch.setattr("sys.platform", platform)
        assert cache_folder() == home / expected
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(home / "local"))
    assert cache_folder() == home / "local" / "zerokelvin" / "Cache"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "classes"),
    [
        ("cora", 2_708, 5_278, 7),
        ("pubmed", 19_717, 44_324, 3),
        ("imdb_wiki", 7_218, 119_385, 4),
        ("polblogs", 1_490, 16_715, 2),
        ("signed_wiki_editor", 21_535, 348_255, 2),
    ],
)
def test_real_graphs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, nodes: int, edges: int, classes: int
) -> None:
    monkeypatch.setenv("ZEROKELVIN_DATA", str(REAL))
    data = load_dataset(name)
    assert (data.graph.num_nodes, data.graph.num_edges) == (nodes, edges)
    assert len(data.label_names) == classes
    assert data.graph.is_signed == name.startswith("signed")
    path = tmp_path / "graph.parquet"
    write_graph(data.graph, path)
    assert read_graph(path) == data.graph


@pytest.mark.data
def test_real_points_and_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZEROKELVIN_DATA", str(REAL))
    assert load_dataset("optdigits").points.shape == (5_620, 64)  # type: ignore[union-attr]
    assert len(load_dataset("imdb_wiki").extras["year"]) == 7_218
    assert load_dataset("signed_bitcoin_alpha").labels.mask.all()  # type: ignore[attr-defined]

"""The cache of embeddings: read back number by number, never trusted when damaged, never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.graph import Graph
from zerokelvin.io import embedding_cache
from zerokelvin.solve.solution import StagnationWarning
from zerokelvin.spectral import remembered
from zerokelvin.spectral.eigenpairs import smallest_eigenpairs
from zerokelvin.spectral.remembered import SMALL, remembered_eigenpairs


def grid(rows, columns):
    place = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return Graph.from_edges(np.vstack([across, down]))


LARGE = grid(40, 41)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own, turned on, whose folder does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZEROKELVIN_CACHE")
    path = embedding_cache.cache_folder() / "embeddings"
    assert tmp_path in path.parents
    return path


@pytest.fixture
def computed(monkeypatch):
    """The calls that computed something."""
    calls = []

    def counted(graph, count, **settings):
        calls.append((graph.content_hash, count, settings))
        return smallest_eigenpairs(graph, count, **settings)

    monkeypatch.setattr(remembered, "smallest_eigenpairs", counted)
    return calls


def files(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


def same(first, second):
    return (
        first.values.tobytes() == second.values.tobytes()
        and np.array_equal(first.vectors, second.vectors)
        and (first.residual, first.solves, first.engine, first.converged)
        == (second.residual, second.solves, second.engine, second.converged)
    )


def test_the_second_time_nothing_is_computed(folder, computed):
    first = remembered_eigenpairs(LARGE, 5)
    again = remembered_eigenpairs(grid(40, 41), 5)
    assert len(computed) == 1
    assert len(files(folder)) == 1
    assert first.solves > 0
    assert same(first, again)
    assert same(again, smallest_eigenpairs(LARGE, 5))


def test_another_graph_or_parameter_is_another_embedding(folder, computed):
    heavier = Graph.from_edges(LARGE.edges, np.full(LARGE.num_edges, 2.0))
    wanted = [
        (LARGE, 5, {}),
        (LARGE, 6, {}),
        (LARGE, 5, {"normalized": True}),
        (LARGE, 5, {"tol": 1e-7}),
        (LARGE, 5, {"engine": "direct"}),
        (heavier, 5, {}),
    ]
    first = [remembered_eigenpairs(graph, count, **settings) for graph, count, settings in wanted]
    again = [remembered_eigenpairs(graph, count, **settings) for graph, count, settings in wanted]
    assert len(computed) == len(files(folder)) == 6
    assert all(map(same, first, again))
    assert first[1].values.shape == (6,)
    assert first[2].values[0] < 0.5 * first[0].values[0]
    np.testing.assert_allclose(first[5].values, 2 * first[0].values)


def spoil_by_cutting(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def spoil_by_emptying(path):
    path.write_bytes(b"")


def spoil_by_flipping_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def spoil_by_text(path):
    path.write_text("no embedding")


def spoil_by_another_embedding(path):
    other = grid(30, 50)
    remembered_eigenpairs(other, 5)
    (second,) = (file for file in files(path.parent) if file != path)
    second.replace(path)


@pytest.mark.parametrize(
    "spoil",
    [
        spoil_by_cutting,
        spoil_by_emptying,
        spoil_by_flipping_a_bit,
        spoil_by_text,
        spoil_by_another_embedding,
    ],
)
def test_a_damaged_file_is_computed_again_and_replaced(folder, computed, spoil):
    first = remembered_eigenpairs(LARGE, 5)
    (path,) = files(folder)
    spoil(path)
    computed.clear()
    assert same(first, remembered_eigenpairs(LARGE, 5))
    assert len(computed) == 1
    assert same(first, remembered_eigenpairs(LARGE, 5))
    assert len(computed) == 1
    assert files(folder) == [path]


def test_it_can_be_turned_off(folder, computed, monkeypatch):
    remembered_eigenpairs(LARGE, 5, cache=False)
    assert files(folder) == []
    remembered_eigenpairs(LARGE, 5)
    remembered_eigenpairs(LARGE, 5, cache=False)
    monkeypatch.setenv("ZEROKELVIN_CACHE", "off")
    remembered_eigenpairs(LARGE, 5)
    assert len(computed) == 4
    assert len(files(folder)) == 1


def test_small_graphs_and_missed_tolerances_are_not_kept(folder, computed):
    remembered_eigenpairs(grid(3, SMALL // 3), 3)
    with pytest.warns(StagnationWarning):
        missed = remembered_eigenpairs(grid(4, SMALL // 4), 3, normalized=True, tol=1e-19)
    assert not missed.converged
    assert files(folder) == []
    assert len(computed) == 2


def test_a_cache_that_cannot_be_written_does_no_harm(folder, computed):
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    first, second = (remembered_eigenpairs(LARGE, 5) for _ in range(2))
    assert same(first, second)
    assert len(computed) == 2


def test_the_oldest_make_room(folder, computed, monkeypatch):
    kept = []
    for count in (3, 4, 5):
        remembered_eigenpairs(LARGE, count)
        (new,) = (path for path in files(folder) if path not in kept)
        kept.append(new)
        os.utime(new, ns=(count, count))
    remembered_eigenpairs(LARGE, 3)  # used again: now the newest
    monkeypatch.setattr(embedding_cache, "LIMIT", sum(path.stat().st_size for path in kept))
    remembered_eigenpairs(LARGE, 2)
    assert {path in files(folder) for path in (kept[0], kept[2])} == {True}
    assert kept[1] not in files(folder)
    before = files(folder)
    assert len(before) == 3
    monkeypatch.setattr(embedding_cache, "LIMIT", 1000)  # too small for any: nothing is written
    remembered_eigenpairs(LARGE, 6)
    assert files(folder) == before


def test_learners_predict_alike_with_and_without(folder, computed, monkeypatch):
    labels = np.random.default_rng(0).integers(2, size=LARGE.num_nodes)
    runs = [zk.play(LARGE, labels, "ollgc", rank=10) for _ in range(2)]
    assert len(computed) == 1
    assert len(files(folder)) == 1
    monkeypatch.setenv("ZEROKELVIN_CACHE", "off")
    runs.append(zk.play(LARGE, labels, "ollgc", rank=10))
    assert len(computed) == 2
    for run in runs[1:]:
        assert np.array_equal(run.margins, runs[0].margins)


def test_the_suite_leaves_the_cache_of_its_user_alone():
    assert os.environ["ZEROKELVIN_CACHE"] == "off"
    assert embedding_cache.embedding_path({"graph": "any"}) is None
    assert isinstance(embedding_cache.cache_folder(), Path)

"""Cells are computed once and kept, wherever they are computed."""

import logging
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import distributed
import numpy as np
import pyarrow.parquet as pq
import pytest

import zerokelvin as zk
from sweeping import PLACES, BlasThreads, Killing, Squares, open_place
from zerokelvin.errors import ClusterError, ParameterError
from zerokelvin.sweeps import dask_cluster
from zerokelvin.sweeps.cells import Spread, SweepCell, sweep
from zerokelvin.sweeps.choosing import choose_place
from zerokelvin.sweeps.places import Here, Threads, Work, cores
from zerokelvin.sweeps.processes import BLAS_THREADS, Processes
from zerokelvin.sweeps.result_store import KeptResult, ResultStore, code_of, code_version


def cells(count):
    return [SweepCell({"of": i}, i) for i in range(count)]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in Path(folder).rglob("*.parquet")}


@pytest.mark.parametrize("kind", PLACES)
def test_every_place_finds_the_same_in_the_same_files(kind, tmp_path):
    here = ResultStore(tmp_path / "here")
    expected = sweep(Squares(), cells(7), Here(), here)
    store, told = ResultStore(tmp_path / kind), []
    with open_place(kind) as place:
        found = sweep(Squares(), cells(7), place, store, lambda *at: told.append(at), "Squaring")
    assert [kept.result for kept in found] == [kept.result for kept in expected]
    assert all((a.arrays["all"] == b.arrays["all"]).all() for a, b in zip(found, expected, strict=True))
    assert files(tmp_path / kind) == files(tmp_path / "here")
    assert told[-1][1:] == (7, 7)
    assert told[-1][0].startswith("Squaring")
    if kind in ("processes", "dask"):
        assert " · 2 " in told[-1][0]


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_a_worker_killed_in_mid_run_costs_its_cells_only(kind, tmp_path):
    stage = Killing(str(tmp_path / "killed"), str(tmp_path / "log"))
    store = ResultStore(tmp_path / "results")
    with open_place(kind) as place:
        found = sweep(stage, cells(12), place, store)
    assert [kept.result["square"] for kept in found] == [i * i for i in range(12)]
    begun = (tmp_path / "log").read_text().split()
    assert (tmp_path / "killed").exists()
    assert store.computed == 12
    assert begun.count("5") == 2  # the cell whose worker was killed
    again = len(begun) - 12
    assert again == 1 if kind == "processes" else again < 12  # results not fetched yet are lost with a worker


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_a_cell_that_kills_its_workers_is_named(kind, tmp_path):
    stage = Killing(None, str(tmp_path / "log"))
    store = ResultStore(tmp_path / "results")
    with open_place(kind) as place, pytest.raises(ClusterError, match="memory"):
        sweep(stage, cells(6), place, store)
    assert store.computed == len(files(tmp_path / "results")) <= 5


def test_two_clusters_on_one_machine():
    """The second of them warned of a port that is taken."""
    with open_place("dask") as one, open_place("dask") as other:
        for place in (one, other):
            assert len(sweep(Squares(), cells(3), place, ResultStore(None))) == 3


@pytest.mark.parametrize("kind", PLACES)
def test_errors_of_a_cell_come_back(kind):
    with open_place(kind) as place, pytest.raises(ParameterError, match="no square of -1"):
        sweep(Squares(), [SweepCell({"of": -1}, -1)], place, ResultStore(None))


def test_what_is_known_is_not_computed_again(tmp_path):
    sweep(Squares(), cells(4), Here(), ResultStore(tmp_path))
    store = ResultStore(tmp_path)
    found = sweep(Squares(), cells(6), Here(), store)
    assert (store.found, store.computed) == (4, 2)
    assert [kept.result["square"] for kept in found] == [0, 1, 4, 9, 16, 25]
    assert found[2].arrays["all"].tolist() == [[0.0, 2.0], [4.0, 6.0]]


def test_results_are_a_table(tmp_path):
    sweep(Squares(), cells(4), Here(), ResultStore(tmp_path))
    rows = [pq.ParquetFile(path).read().to_pylist()[0] for path in tmp_path.rglob("*.parquet")]
    assert sorted((row["of"], row["square"]) for row in rows) == [(0, 0), (1, 1), (2, 4), (3, 9)]


def test_a_bit_flipped_is_computed_again(tmp_path):
    store = ResultStore(tmp_path)
    key = {"seed": 1}
    store.keep(key, KeptResult({"error": 0.25}, {"margins": np.arange(1000.0)}))
    (path,) = tmp_path.rglob("*.parquet")
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        kept = ResultStore(tmp_path).look_up(key)
        assert kept is None or (
            kept.result == {"error": 0.25} and kept.arrays["margins"].tolist() == list(range(1000))
        ), at


def test_arrays_come_back_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "margins": rng.normal(size=(50, 3)),
        "asked": rng.random((50, 3)) < 0.5,
        "nodes": rng.permutation(50),
        "none": np.zeros((0, 3)),
    }
    arrays["margins"][0] = [np.nan, np.inf, -0.0]
    ResultStore(tmp_path).keep({"a": 1}, KeptResult({"x": float("inf"), "y": [0.1]}, arrays))
    kept = ResultStore(tmp_path).look_up({"a": 1})
    assert kept.result == {"x": float("inf"), "y": [0.1]}
    for name, array in arrays.items():
        assert kept.arrays[name].tobytes() == array.tobytes()
        assert kept.arrays[name].dtype == array.dtype
        assert kept.arrays[name].shape == array.shape


def test_a_learner_from_elsewhere_brings_its_code():
    @dataclass
    class Mine:
        b: int = 1

    assert code_of(Mine()) != code_version()
    assert code_of(zk.learners.make("nearest")) == code_version()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cluster": "nowhere"}, "write local, local:N or tcp://HOST:PORT"),
        ({"cluster": "local:0"}, "is no cluster"),
        ({"cluster": "local:2", "jobs": 2}, "give one of them"),
        ({"jobs": 0}, "must be at least 1"),
    ],
)
def test_bad_places_are_refused_at_once(options, text):
    with pytest.raises(ParameterError, match=text):
        Spread(**options)


def test_a_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(dask_cluster, "REACHED", 1.0)
    with (
        choose_place(cluster="tcp://127.0.0.1:9") as place,
        pytest.raises(ClusterError, match=r"127\.0\.0\.1:9"),
    ):
        list(place.results(Squares(), [Work("one", 1)]))


def test_a_cluster_that_is_there_computes_the_same_and_stays(tmp_path):
    here = sweep(Squares(), cells(5), Here(), ResultStore(tmp_path / "here"))
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with distributed.LocalCluster(n_workers=2, processes=True, **options) as cluster:
        with choose_place(cluster=cluster.scheduler_address) as place:
            found = sweep(Squares(), cells(5), place, ResultStore(tmp_path / "there"))
        assert [one.result for one in found] == [one.result for one in here]
        assert files(tmp_path / "there") == files(tmp_path / "here")
        with distributed.Client(cluster, set_as_default=False) as client:
            assert client.submit(sum, [2, 3]).result(30) == 5  # who came and went has ended nothing


def test_threads_compute_the_first_of_a_kind_alone():
    tasks = [Work(str(i), i, i % 2) for i in range(6)]
    first = [done.number for done in Threads(3).results(Squares(), tasks)][:2]
    assert first == [0, 1]


@pytest.mark.parametrize("said", [None, "1"])
@pytest.mark.parametrize("count", [1, 2])
def test_processes_share_the_cores(monkeypatch, count, said):
    """Two BLAS libraries with a thread for each core took fifteen times as long as with one thread each."""
    for name in BLAS_THREADS:
        monkeypatch.delenv(name, raising=False)
    if said:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", said)
    before = dict(os.environ)
    place = Processes(count)
    try:
        found = [done.result.result["threads"] for done in place.results(BlasThreads(), [Work("one", 1)] * 2)]
    finally:
        place.close()
    assert os.environ == before
    assert set(found) <= {int(said) if said else max(1, cores() // count), 1}


def test_processes_end_with_the_one_who_began_them(tmp_path):
    """Also one that is killed without a chance to clean up."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        place = Processes(2)
        for done in place.results(Squares(), [Work("a", 1), Work("b", 2)]):
            assert done.result
        os.write(write, " ".join(str(w.process.pid) for w in place.workers).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    pids = [int(pid) for pid in os.read(read, 100).split()]
    os.waitpid(child, 0)
    assert len(pids) == 2
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

"""--jobs, --cluster and --results: the same figures as here, kept, and gone on with after Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import zerokelvin as zk
from zerokelvin.sweeps import dask_cluster

RUN = ("run", "edges.csv", "labels.csv", "--learner", "ollgc", "--shuffles", "4")
TIMES = ("seconds",)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    two = zk.generators.barbell(12)
    edges = [f"{u},{v}" for u in range(24) for v in two.graph.neighbors(u).tolist() if u < v]
    Path("edges.csv").write_text("source,target\n" + "\n".join(edges))
    Path("labels.csv").write_text("node,label\n" + "\n".join(f"{i},{y}" for i, y in enumerate(two.labels)))
    return tmp_path


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES}
    return [without_times(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("where", [("--jobs", "2"), ("--cluster", "local:2")])
def test_a_run_elsewhere_is_the_run_here(files, invoke_json, where):
    here = invoke_json(*RUN, "--checks", "5")
    there = invoke_json(*RUN, "--checks", "5", *where, "--results", "kept")
    assert without_times(there) == without_times(here)
    assert len(list(Path("kept").rglob("*.parquet"))) == 4


def test_processes_and_a_cluster_have_the_same_files(files, invoke):
    first = invoke(*RUN, "--jobs", "2", "--results", "kept")
    assert "Results: 4 computed, 0 known before" in first.stderr
    second = invoke(*RUN, "--cluster", "local:2", "--results", "kept")
    assert "Results: 0 computed, 4 known before" in second.stderr
    assert second.stdout == first.stdout  # even the seconds, which were kept
    more = invoke(*RUN[:-1], "6", "--results", "kept")
    assert "Results: 2 computed, 4 known before" in more.stderr


def test_a_grid_has_a_row_for_every_combination(files, invoke_json, invoke):
    grid = invoke_json(*RUN, "--param", "mu=0.1,1", "--param", "rank=3,5")
    assert grid["learner"] == "ollgc"
    assert [(one["params"]["mu"], one["params"]["rank"]) for one in grid["grid"]] == [
        (0.1, 3), (0.1, 5), (1.0, 3), (1.0, 5),
    ]  # fmt: skip
    alone = invoke_json(*RUN, "--param", "mu=1", "--param", "rank=3")
    assert without_times(grid["grid"][2]) == without_times(alone)
    shown = invoke(*RUN, "--param", "mu=0.1,1", "--plot", "curves.svg").stdout
    assert "The least error has --param mu=" in shown
    assert Path("curves.svg").exists()


def test_a_grid_that_says_something_twice_is_refused(files, invoke):
    result = invoke(*RUN, "--param", "mu=1,1.0")
    assert result.exit_code == 2
    assert "mu=1.0 twice" in result.stderr


def test_a_comparison_elsewhere_is_the_one_here(files, invoke_json):
    command = ("compare", "edges.csv", "labels.csv", "--learners", "nearest,ollgc", "--no-picture")
    command += ("--peers", "sklearn-spreading", "--shuffles", "2")
    here = without_times(invoke_json(*command))
    assert without_times(invoke_json(*command, "--jobs", "2", "--results", "rows")) == here
    assert without_times(invoke_json(*command, "--cluster", "local:2", "--results", "rows")) == here
    assert len(list(Path("rows").rglob("*.parquet"))) == 3


@pytest.mark.parametrize("experiment", ["table5.1", "zero-temperature"])
def test_a_reproduction_elsewhere_is_the_one_here(files, invoke_json, experiment):
    command = ("reproduce", experiment, "--fast", "--no-figures")
    here = without_times(invoke_json(*command))
    assert without_times(invoke_json(*command, "--jobs", "2", "--results", "parts")) == here
    assert list(Path("parts").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--cluster", "moon"), "write local, local:N or tcp://HOST:PORT"),
        (("--cluster", "local:2", "--jobs", "2"), "give one of them"),
        (("--cluster", "tcp://127.0.0.1:9"), "no cluster can be reached on tcp://127.0.0.1:9"),
    ],
)
def test_bad_places_are_one_sentence(files, invoke, monkeypatch, options, text):
    monkeypatch.setattr(dask_cluster, "REACHED", 1.0)
    result = invoke(*RUN, *options)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("Error") == 1


@pytest.mark.parametrize("where", [["--jobs", "2"], ["--cluster", "local:2"]])
def test_ctrl_c_in_the_middle_and_going_on(files, where):
    """Cells that were finished before Ctrl-C are not computed again, and no process stays behind."""
    command = [sys.executable, "-m", "zerokelvin", "run", "edges.csv", "labels.csv", "--learner", "auto"]
    command += ["--shuffles", "400", "--results", "kept", "--json", *where]
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        deadline = time.monotonic() + 240
        while len(list(Path("kept").rglob("*.parquet"))) < 5 and time.monotonic() < deadline:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        shown = process.communicate(timeout=60)[1]
    assert process.returncode == 130, shown
    assert "Traceback" not in shown
    kept = {path: path.stat().st_mtime_ns for path in Path("kept").rglob("*.parquet")}
    assert 5 <= len(kept) < 400
    deadline = time.monotonic() + 20
    while (left := _of_group(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
    last = max(pq.read_table(path, columns=["seed"])["seed"][0].as_py() for path in kept)
    wanted = last + 4  # cells come in any order: those kept may be far apart
    command[command.index("400")] = str(wanted)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    computed, known = map(int, re.findall(r"(\d+) computed, (\d+) known", done.stderr)[0])
    assert (computed, known) == (wanted - len(kept), len(kept))
    assert json.loads(done.stdout)["trials"] == 24
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())


def _of_group(leader):
    """The processes of a session that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z":
            found.append(stat.parent.name)
    return found


def test_the_benchmark_takes_the_same_options(files):
    command = [sys.executable, "-m", "zerokelvin", "bench", "default-learner", "--graphs", "--drawn", "3"]
    command += ["--learners", "nearest", "perceptron", "--shuffles", "1"]
    here = subprocess.run(command, capture_output=True, text=True, check=True)
    there = subprocess.run(
        [*command, "--jobs", "2", "--results", "errors"], capture_output=True, text=True, check=True
    )
    assert there.stdout == here.stdout
    assert "3 computed, 0 known before" in there.stderr

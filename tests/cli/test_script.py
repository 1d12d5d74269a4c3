"""The installed script itself, in processes of its own."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import zerokelvin
from zerokelvin.cli import progress
from zerokelvin.cli.progress import COMPILING

SCRIPT = Path(sys.executable).with_name("zerokelvin")
RUN = ("run", "edges.csv", "labels.csv", "--shuffles", "2", "--json")


def call(*arguments, **environment):
    return subprocess.run(
        [SCRIPT, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
        check=False,
    )


def test_version():
    done = call("--version")
    assert done.returncode == 0
    assert zerokelvin.__version__ in done.stdout


def test_shells_complete_the_commands():
    assert "zerokelvin" in call(_ZEROKELVIN_COMPLETE="bash_source").stdout
    asked = {"COMP_WORDS": "zerokelvin re", "COMP_CWORD": "1", "_ZEROKELVIN_COMPLETE": "bash_complete"}
    assert call(**asked).stdout.split() == ["plain,reproduce"]


def test_the_package_runs_as_a_module():
    module = [sys.executable, "-m", "zerokelvin", "--version"]
    done = subprocess.run(module, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == call("--version").stdout


def test_json_alone_on_standard_output(files):
    done = call(*RUN)
    assert done.returncode == 0
    assert json.loads(done.stdout)["learner"] == "auto"


def test_bad_input(files):
    done = call("run", "nan.csv", "labels.csv", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "Error: line 2 of 'nan.csv' has weight nan; weights must be finite numbers.\n"


def test_a_terminal_without_the_characters_still_gets_its_output(files):
    done = call("learners", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "perceptron" in done.stdout


def test_compilation_is_announced_once_per_installation(files):
    cache = {"NUMBA_CACHE_DIR": str(files / "kernels")}
    cold, warm = (call(*RUN, "--learner", "nearest", **cache) for _ in range(2))
    assert cold.stderr.count(COMPILING) == 1
    assert [line.split()[:2] for line in warm.stderr.splitlines()] == [
        ["Read", "edges.csv:"],
        ["Read", "labels.csv:"],
    ]
    assert json.loads(cold.stdout)["error_binary"] == json.loads(warm.stdout)["error_binary"]


def read_all(terminal):
    """What a process wrote to its end of a terminal, until it closed it."""
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            piece = b""
        if not piece:
            return b"".join(pieces).decode()
        pieces.append(piece)


def test_progress_shows_on_a_terminal_only(files):
    ours, theirs = pty.openpty()
    with subprocess.Popen([SCRIPT, *RUN], stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = read_all(ours)
        printed = json.loads(process.stdout.read())
    os.close(ours)
    assert process.returncode == 0
    assert printed["trials"] == 7
    assert "Playing" in shown
    assert "Playing" not in call(*RUN).stderr


def test_a_log_is_told_every_half_minute(monkeypatch, capsys):
    """Where standard error is no terminal, long work says now and then how far it is; short work nothing."""
    times = iter([0.0, 1.0, 29.0, 31.0, 31.0, 40.0, 62.0, 62.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times)))
    with progress.reporting() as report:
        for done in (1, 2, 1500, 1600, 1700):
            report("Measuring [all] · cora", done, 2000 if done < 1700 else None)
    assert capsys.readouterr().err.splitlines() == [
        "Measuring [all] · cora: 1,500 of 2,000",
        "Measuring [all] · cora: 1,700",
    ]


@pytest.mark.data
def test_the_contract_on_cora(data_folder):
    done = call("run", data_folder / "cora.npz", "--learner", "perceptron", "--shuffles", "5", "--json")
    printed = json.loads(done.stdout)
    assert (printed["nodes"], printed["edges"], printed["classes"], printed["trials"]) == (
        2708,
        5278,
        7,
        2708,
    )
    assert 0.10 < printed["error_binary"] < 0.13
    assert 0 < printed["error_binary_std"] < 0.01
    assert 0.35 < printed["error_multiclass"] < 0.5
    assert printed["queries"] == printed["queried_nodes"] == 2708

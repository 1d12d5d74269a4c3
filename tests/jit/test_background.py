"""The process that compiles in the background: one, polite, not of children, and gone by itself."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from zerokelvin.jit.background import LOCK

fcntl = pytest.importorskip("fcntl")

SESSION = (
    "import sys, time\n"
    "import zerokelvin as zk\n"
    "from zerokelvin.jit import background\n"
    "graph = zk.Graph.from_edges([('ann', 'bob'), ('bob', 'cem')])\n"
    "for _ in range(2):\n"
    "    session = zk.start(graph, 'nearest', classes=['fraud', 'ok'])\n"
    "    session.learn('ann', 'fraud')\n"
    "process = background._HELPER.process\n"
    "print(process.pid if process else None, flush=True)\n"
)
LINE = "zerokelvin: compiling in the background for larger work, once per installation"


@pytest.fixture
def usual(tmp_path):
    """A user's environment with an empty cache; at the end nothing that was started runs any more."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_DISABLE")}
    yield kept | {"ZEROKELVIN_COMPILE": "", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert wait_for_the_end(tmp_path)


def run(script, environment):
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def wait_for_the_end(folder, seconds=240.0):
    """Whether the process that holds the lock ends; it holds it until it has left its mark."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not (folder / LOCK).exists():
            return True
        with (folder / LOCK).open("ab") as file, contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.1)
    return False


def marks(folder):
    return list(folder.glob("*.ahead"))


def wait_for_a_mark(folder, seconds=240.0):
    end = time.monotonic() + seconds
    while not marks(folder) and time.monotonic() < end:
        time.sleep(0.1)
    return len(marks(folder))


def test_one_is_started_that_outlives_this_process_and_compiles_what_is_needed(usual, tmp_path):
    first = run(SESSION, usual)
    assert first.stdout.strip().isdigit()
    assert first.stderr == f"{LINE}.\n"
    assert wait_for_a_mark(tmp_path) == 1
    again = run(SESSION, usual)
    assert again.stdout == "None\n"
    assert again.stderr == ""
    large = (
        "import zerokelvin as zk\n"
        "line = zk.Graph.from_edges([(str(i), str(i + 1)) for i in range(3000)])\n"
        "with zk.jit.compilation_seconds() as spent:\n"
        "    session = zk.start(line, 'nearest', classes=['a', 'b'])\n"
        "    session.learn('1', 'a')\n    session.predict('5')\n"
        "print(spent.kernels, zk.jit.small_work._LEFT.compiled_is_used)\n"
    )
    assert run(large, usual).stdout == "0 True\n"


def test_a_process_that_lives_long_enough_says_how_long_it_took(usual):
    script = SESSION + "end = time.time() + 240\nwhile background._HELPER.process and time.time() < end:\n"
    script += "    time.sleep(0.1)\ntime.sleep(1.0)\n"
    assert re.fullmatch(rf"{LINE} \.\.\. \d+ s \(\d+ kernels\)\.\n", run(script, usual).stderr)


def test_ctrl_c_ends_this_process_and_not_the_other(usual, tmp_path):
    heed = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    script = heed + SESSION + "print('ready', flush=True)\ntime.sleep(600)\n"
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=usual, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    while process.stdout.readline() != "ready\n":
        continue
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everybody in the group
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    assert wait_for_a_mark(tmp_path) == 1


@pytest.mark.parametrize("way", ["multiprocessing", "fork"])
def test_children_start_none(usual, tmp_path, way):
    body = "".join(f"    {line}\n" for line in SESSION.splitlines())
    if way == "fork":
        script = f"import os, zerokelvin\nif os.fork() == 0:\n{body}    os._exit(0)\nos.wait()\n"
    else:
        script = (
            f"import multiprocessing\ndef work():\n{body}"
            "if __name__ == '__main__':\n"
            "    worker = multiprocessing.get_context('fork').Process(target=work)\n"
            "    worker.start(); worker.join()\n"
        )
    done = subprocess.run(
        [sys.executable, "-c", script], env=usual, capture_output=True, text=True, check=True
    )
    assert done.stdout == "None\n"
    assert not marks(tmp_path)


def test_none_without_the_line_without_leave_and_without_a_folder(usual, tmp_path):
    (tmp_path / "file").write_text("")
    for more in (
        {"ZEROKELVIN_QUIET": "1"},
        {"ZEROKELVIN_COMPILE": "now", "ZEROKELVIN_QUIET": "1"},
        {"NUMBA_CACHE_DIR": str(tmp_path / "file" / "below")},
    ):
        if "NUMBA_CACHE_DIR" in more:  # numba itself would refuse such a folder, were it asked
            assert run(SESSION, usual | more).stdout == "None\n"
        else:
            done = run(SESSION, usual | more)
            assert (done.stdout, done.stderr) == ("None\n", "")
    assert not marks(tmp_path)


def test_one_at_a_time_and_none_that_cannot_keep_what_it_compiles(usual, tmp_path):
    script = "from zerokelvin.experiments.rehearsal import main\nmain(['ahead', 'nearest'])\n"
    with (tmp_path / LOCK).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert run(script, usual | {"ZEROKELVIN_COMPILE": "now"}).stdout == ""
    assert not marks(tmp_path)
    refuse = (
        "import numba.core.caching as caching\n"
        "refuse = classmethod(lambda cls, function, file: None)\n"
        "for locator in caching.CacheImpl._locator_classes: locator.from_function = refuse\n"  # for root
    )
    assert run(refuse + script, usual | {"ZEROKELVIN_COMPILE": "now"}).stdout == ""
    assert not marks(tmp_path)

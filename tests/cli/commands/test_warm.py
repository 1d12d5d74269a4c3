"""`zerokelvin warm`: what it compiles, later processes find."""

import json
import os
import subprocess
import sys

import pytest

AFTER = """
import zerokelvin as zk
from zerokelvin.experiments.warming import Practice, practise
from zerokelvin.jit import compilations
with compilations() as done:
    line = zk.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    zk.play(line, list("xyxy"), "nearest")
    session = zk.start(line, "nearest", classes=["x", "y", "z"])
    session.learn("a", "x")
    session.predict("d")
    session.predict_all()
print(len(done))
"""


@pytest.fixture
def environment(tmp_path):
    """An empty cache, and compilation in any case."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_DISABLE")}
    return kept | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}


def call(command, environment):
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def test_after_it_a_fresh_process_compiles_nothing(environment):
    assert int(
        call(["-c", AFTER], environment | {"NUMBA_CACHE_DIR": f"{environment['NUMBA_CACHE_DIR']}2"}).stdout
    )
    warmed = call(["-m", "zerokelvin", "warm", "nearest", "--jobs", "2", "--json"], environment)
    assert warmed.returncode == 0, warmed.stderr
    told = json.loads(warmed.stdout)
    assert told["learners"] == ["nearest"]
    assert told["kernels"] > 0
    assert {practice["work"] for practice in told["practices"]} == {"session", "games", "large graph"}
    assert call(["-c", AFTER], environment).stdout == "0\n"
    again = call(["-m", "zerokelvin", "warm", "nearest", "--jobs", "1"], environment)
    assert again.stdout.splitlines()[-1].startswith("0 kernels compiled in ")
    assert "zerokelvin:" not in again.stderr  # its processes are silent


def test_bad_input_is_one_sentence(invoke):
    for arguments in (("nearst",), ("nearest", "--all"), ("nearest", "--jobs", "0")):
        result = invoke("warm", *arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1


def test_nowhere_to_keep_it_is_an_error(monkeypatch):
    import numba.core.caching as caching

    from zerokelvin.errors import DataError
    from zerokelvin.experiments.warming import Practice, practise
    from zerokelvin.jit import kernel_code

    refuse = classmethod(lambda cls, function, file: None)
    for locator in caching.CacheImpl._locator_classes:
        monkeypatch.setattr(locator, "from_function", refuse)
    kernel_code._warn_uncached.cache_clear()
    monkeypatch.setitem(
        __import__("zerokelvin.experiments.warming", fromlist=["WORK"]).WORK,
        "session",
        lambda _learner: kernel_code.dispatcher_of(kernel_code.dispatcher_of),
    )
    with pytest.raises(DataError, match="NUMBA_CACHE_DIR"):
        practise(Practice("nearest", "session"))
    kernel_code._warn_uncached.cache_clear()

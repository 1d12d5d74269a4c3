"""Scripts of users that play many games in processes: nothing is done twice, and errors say what to do."""

import os
import subprocess
import sys

import pytest

GAMES = """
import zerokelvin as zk
print("begun", flush=True)
graph = zk.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)])
labels = ["a" if i < 15 else "b" for i in range(30)]
"""

LEARNER = """
from dataclasses import dataclass
from zerokelvin.learners.base import Learner, State, learner

class Balance(State):
    fields = ("balance",)
    def __init__(self):
        self.balance = 0
    def margin(self, node):
        return float(self.balance)
    def update(self, node, label):
        self.balance += label

@learner("majority")
@dataclass(frozen=True)
class Majority(Learner):
    def start(self, graph, prepared=None, rng=None):
        return Balance()
"""

PLAY = "frame = zk.play_grid(graph, labels, ['{name}'], seeds=range(2), {where}, results={folder!r})\n"
SAY = "print(len(frame), 'games', flush=True)\n"


def played(script, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(script)
    environment = os.environ | {"ZEROKELVIN_QUIET": "1"}
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=180, env=environment, check=False
    )
    return done.stdout.split("\n"), done.stderr


def test_a_script_without_a_guard_is_not_run_again_by_its_processes(tmp_path):
    play = PLAY.format(name="nearest", where="jobs=2", folder=str(tmp_path / "kept"))
    out, err = played(GAMES + play + SAY, tmp_path)
    assert out == ["begun", "2 games", ""], err


def test_a_learner_of_the_script_itself_is_played_under_a_guard(tmp_path):
    play = PLAY.format(name="majority", where="jobs=2", folder=str(tmp_path / "kept"))
    guarded = "if __name__ == '__main__':\n    " + play + "    " + SAY
    out, err = played(GAMES + LEARNER + guarded, tmp_path)
    assert "2 games" in out, err


@pytest.mark.parametrize(("where", "learner"), [("jobs=2", "majority"), ("cluster='local:1'", "nearest")])
def test_a_script_that_workers_cannot_read_is_told_what_to_do(tmp_path, where, learner):
    play = PLAY.format(name=learner, where=where, folder=str(tmp_path / "kept"))
    _, err = played(GAMES + LEARNER + play, tmp_path)
    assert err.rstrip().split("\n")[-1].startswith("zerokelvin.errors.ClusterError"), err
    assert """put what""" in err
    assert """under 'if __name__ == "__main__":'""" in err


def test_what_is_defined_at_a_prompt_is_named(tmp_path):
    play = PLAY.format(name="majority", where="jobs=1", folder=str(tmp_path / "kept"))
    done = subprocess.run(
        [sys.executable, "-c", GAMES + LEARNER + play],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert "has to come from a module" in done.stderr

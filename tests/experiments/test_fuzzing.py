"""Promises tried on many games: counted, shared out among processes, faults told."""

import pytest

from zerokelvin.checks import PROMISES, Verdict
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.fuzzing import try_promises


@pytest.fixture
def broken():
    """A promise that breaks in every tenth game, and says nothing in odd ones."""
    PROMISES._values["broken"] = lambda learner, seed: Verdict(
        seed % 2 == 0, None if seed % 10 else f"game {seed}"
    )
    yield "broken"
    del PROMISES._values["broken"]


def test_faults_are_counted_and_told(broken):
    seen = []
    tally = try_promises(["nearest"], [broken], 120, seed=5, report=lambda *args: seen.append(args))[0]
    assert (tally.games, tally.applied, tally.faults) == (120, 60, 12)
    assert tally.examples == ("game 10", "game 20", "game 30", "game 40", "game 50")
    assert seen[-1][1:] == (120, 120)


def test_several_processes_find_the_same():
    here = try_promises(["nearest", "shortest-path"], ["games"], 60)
    beside = try_promises(["nearest", "shortest-path"], ["games"], 60, jobs=2)
    assert [(t.learner, t.games, t.faults) for t in here] == [(t.learner, t.games, t.faults) for t in beside]
    assert [t.faults for t in here] == [0, 0]


def test_unknown_names_are_refused_before_the_work():
    with pytest.raises(ParameterError, match="unknown promise 'gamse'; did you mean 'games'"):
        try_promises(["nearest"], ["gamse"], 1)
    with pytest.raises(ParameterError, match="unknown learner"):
        try_promises(["nearst"], ["games"], 1)

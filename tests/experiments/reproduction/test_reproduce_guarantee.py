"""The coverage of the guarantee, on few sessions; that a broken limit would be seen; what a replay does."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import DataError, ParameterError
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.experiments.reproduction.remaining_error import recorded_sessions
from zerokelvin.experiments.reproduction.remaining_error.recorded_sessions import Recording, record, replay
from zerokelvin.guarantee import Guarantee

CONFIDENCE, SESSIONS = 0.95, 60


@pytest.fixture(scope="module")
def recording():
    moons = zk.generators.two_moons(150, np.random.default_rng(0))
    labels = (moons.labels > 0) ^ (np.random.default_rng(1).random(150) < 0.1)
    return record(moons.graph, labels.astype(np.int64), "nearest", 20, seed=0)


def test_a_recording_is_what_the_session_predicts(recording):
    moons = zk.generators.two_moons(150, np.random.default_rng(0))
    session = zk.start(moons.graph, "nearest", classes=[0, 1], seed=0)
    assert recording.predicted.shape == (21, 150)
    for row, node in zip(recording.predicted, recording.asked.tolist(), strict=False):
        assert session.predict_all().tolist() == row.tolist()
        session.learn(node, int(recording.truth[node]))


def test_the_limit_covers_and_the_binomial_one_does_not(recording):
    sessions = [replay(recording, seed, answers=80, every=4) for seed in range(SESSIONS)]
    assert sum(one.covered for one in sessions) >= SESSIONS * CONFIDENCE - 3
    assert sum(one.naive_covered for one in sessions) < SESSIONS * CONFIDENCE - 3
    assert len({one.limit for one in sessions}) > 10
    assert replay(recording, 7, answers=80, every=4) == sessions[7]


def test_a_limit_below_the_truth_is_seen(recording, monkeypatch):
    """A third of the limit is no limit."""
    honest = recorded_sessions.guarantee

    def lowered(*values):
        found = honest(*values)
        return Guarantee(found.confidence, found.unasked, found.wrong_at_most // 3, found.checks, 0)

    monkeypatch.setattr(recorded_sessions, "guarantee", lowered)
    assert sum(replay(recording, seed, answers=80, every=4).covered for seed in range(20)) < 15


def test_a_learner_that_is_always_wrong_or_always_right():
    truth, asked = np.zeros(40, dtype=np.int64), np.arange(5)
    wrong = replay(Recording(truth, asked, np.ones((6, 40), dtype=np.int16)), 0, answers=30)
    assert (wrong.covered, wrong.error, wrong.limit, wrong.reached) == (True, 1.0, 1.0, None)
    right = replay(Recording(truth, asked, np.zeros((6, 40), dtype=np.int16)), 0, answers=39)
    assert (right.covered, right.error) == (True, 0.0)


def test_the_experiment_reports_what_the_sessions_found():
    report = make_experiment("guarantee", data=("blocks",), draws=8).run()
    row = report.values["data"]["blocks"]
    assert (row["sessions"], row["nodes"]) == (8, 500)
    assert 6 <= row["covered"] <= 8
    assert report.tables[0].rows[0][0] == "blocks"
    assert report.tables[0].rows[-1][0] == "all"
    assert row["median_limit"] >= row["median_error"]


def test_bad_options_are_named():
    with pytest.raises(ParameterError, match="draws=0"):
        make_experiment("guarantee", draws=0)
    with pytest.raises(DataError, match="no-such"):
        make_experiment("guarantee", data=("no-such",), draws=1).run()

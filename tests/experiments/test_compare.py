"""The comparison: same orders for all, honest rows, one picture."""

import json

import numpy as np
import pytest

import zerokelvin as zk
import zerokelvin.experiments.comparison as comparison
from zerokelvin.errors import ParameterError, ZerokelvinError
from zerokelvin.experiments.comparison import INSTALL, Comparison, Row, _Games, compare
from zerokelvin.experiments.figures.comparison_figure import draw_comparison
from zerokelvin.experiments.peers import Peer, PeerGame
from zerokelvin.games.labels import encode_labels

LINE = zk.Graph.from_edges([(i, i + 1) for i in range(29)])
LABELS = ["a"] * 12 + ["b"] * 18


class Copycat(PeerGame):
    """Predicts the last label and remembers the nodes it was shown."""

    def __init__(self, shown):
        self.shown, self.last = shown, 0

    def predict(self, node):
        self.shown.append(node)
        return self.last

    def learn(self, node, code):
        self.last = code


def games(**options):
    base = {"shuffles": 2, "seed": 5, "refit": None, "time_limit": 60.0, "progress": None}
    return _Games(LINE, encode_labels(LINE, LABELS), **(base | options))


def test_peers_play_the_orders_of_the_learners():
    shown = []
    row = games().peer(Peer("copycat", "pets", "json", "", lambda *_: Copycat(shown)))
    runs = zk.play_shuffles(LINE, LABELS, "nearest", shuffles=2, seed=5)
    assert shown == [node for run in runs.runs for node in run.nodes.tolist()]
    codes = np.array([label == "b" for label in LABELS], dtype=int)
    errors = []
    for run in runs.runs:
        truth = codes[run.nodes]
        errors.append((np.append(0, truth[:-1]) != truth).mean())
    assert (row.error, row.queried_nodes) == (pytest.approx(np.mean(errors)), 30)
    assert row.error_std == pytest.approx(np.std(errors, ddof=1))
    assert row.seconds > 0


def test_learners_have_the_figures_of_play_shuffles():
    found = compare(LINE, LABELS, learners=["nearest", "random"], peers=[], shuffles=4, seed=2)
    for row in found.rows:
        runs = zk.play_shuffles(LINE, LABELS, row.name, shuffles=4, seed=2)
        assert row.error == runs.mean("error_multiclass")
        assert row.error_std == runs.std("error_multiclass")
        assert row.queried_nodes == runs.mean("queried_nodes")
    assert (found.nodes, found.edges, found.classes, found.trials, found.shuffles) == (30, 29, 2, 30, 4)


def test_rows_come_by_error_and_those_without_last():
    found = compare(LINE, LABELS, learners=["perceptron", "nearest"], peers=["sklearn-spreading"], seed=1)
    errors = [row.error for row in found.rows if row.error is not None]
    assert errors == sorted(errors)
    ring = zk.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)])
    found = compare(ring, LABELS, learners=["halving", "nearest"], peers=[])
    assert [row.name for row in found.rows] == ["nearest", "halving"]
    assert found.rows[1].note.startswith("cannot play this: ")
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_missing_or_failing_peer_is_a_row_that_says_so():
    def broken(*_):
        raise ValueError("bad\nmatrix")

    missing = games().peer(Peer("x", "x", "no_such_package", "", broken))
    assert (missing.note, missing.error) == (INSTALL, None)
    failed = games().peer(Peer("x", "x", "json", "", broken))
    assert (failed.note, failed.error) == ("failed: ValueError: bad matrix", None)


def test_finished_games_outlive_the_time_limit(monkeypatch):
    """The clock jumps past the limit in the second game: the figures of the first are kept."""
    whole = games(shuffles=1).learner("nearest")
    clock = {"jump": 0.0}
    real = comparison.time.perf_counter
    monkeypatch.setattr(comparison.time, "perf_counter", lambda: real() + clock["jump"])
    plays = []

    def play_and_jump(*given, **named):
        if plays:
            clock["jump"] = 1e6
        run = zk.play(*given, **named)
        plays.append(run)
        return run

    monkeypatch.setattr(comparison, "play", play_and_jump)
    row = games(shuffles=3).learner("nearest")
    assert row.error == whole.error
    assert 1 <= row.games <= 2
    assert row.note.endswith(f"{row.games} of 3 games finished")

    clock["jump"] = 0.0
    alone = games(shuffles=1).peer(Peer("copycat", "pets", "json", "", lambda *_: Copycat([])))
    starts = []

    def begin(*_):
        starts.append(1)
        clock["jump"] = 1e6 if len(starts) > 1 else 0.0
        return Copycat([])

    row = games(shuffles=3).peer(Peer("copycat", "pets", "json", "", begin))
    assert (row.error, row.games) == (alone.error, 1)
    assert row.note.endswith("1 of 3 games finished")
    assert row.macro_f1 is not None


def test_the_majority_guess_and_the_order_of_two_classes():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(19)])
    found = compare(line, [0] * 15 + [1] * 5, learners=["pounce"], peers=[], shuffles=2)
    assert found.majority_error == 0.25
    runs = zk.play_shuffles(line, [0] * 15 + [1] * 5, "pounce", shuffles=2)
    (row,) = found.rows
    assert row.auc == np.mean([run.figures.auc for run in runs.runs])
    assert row.average_precision == np.mean([run.figures.average_precision for run in runs.runs])
    assert row.macro_f1 == np.mean([run.figures.macro_f1 for run in runs.runs])


def test_the_time_limit_is_reported():
    short = games(time_limit=1e-9)
    row = short.learner("perceptron")
    assert row.error is None
    assert row.note.startswith("stopped at the time limit of 1e-09 s, ")
    row = short.peer(Peer("copycat", "pets", "json", "", lambda *_: Copycat([])))
    assert row.note == "stopped at the time limit of 1e-09 s, 2 % of its trials done"


def test_progress_names_the_row():
    seen = []
    compare(
        LINE, LABELS, learners=["nearest"], peers=["sklearn-spreading"], progress=lambda *at: seen.append(at)
    )
    assert {name for name, _, _ in seen} == {"nearest", "sklearn-spreading"}
    assert {name: done for name, done, _ in seen} == {"nearest": 90, "sklearn-spreading": 90}
    assert {total for _, _, total in seen} == {90}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"shuffles": 0}, "shuffles=0"),
        ({"refit": 0}, "refit=0"),
        ({"time_limit": 0.0}, "time_limit=0.0"),
        ({"learners": ["perceptorn"]}, "perceptron"),
        ({"peers": ["sklearn"]}, "sklearn-spreading"),
    ],
)
def test_bad_options(options, named):
    with pytest.raises(ParameterError, match=named):
        compare(LINE, LABELS, **({"learners": [], "peers": []} | options))


def test_no_labels():
    with pytest.raises(ZerokelvinError, match="no node has a label"):
        compare(LINE, [None] * 30)
    with pytest.raises(ZerokelvinError, match="neither a learner nor a peer"):
        compare(LINE, [0, 1] * 15, learners=[], peers=[])


def test_the_picture_shows_every_row():
    rows = (
        Row("auto", "zerokelvin", 0.1, 0.01, 20, 0.5),
        Row("other", "pets", 0.2, 0.0, 100, 3.0),
        Row("slow", "pets", note="stopped at the time limit of 1 s, 3 % of its trials done"),
    )
    figure = draw_comparison(Comparison(100, 99, 2, 100, 3, 0, 60.0, 0.5, rows), "A graph")
    error, asked, seconds = figure.axes
    assert [text.get_text() for text in error.get_yticklabels()] == ["auto", "other"]
    assert sorted(float(line.get_xdata()[0]) for line in asked.lines) == [20, 100]
    assert sorted(float(line.get_xdata()[0]) for line in seconds.lines) == [0.5, 3.0]
    assert seconds.get_xscale() == "log"
    texts = " ".join(text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text")))
    assert "slow: stopped at the time limit" in texts
    assert "A graph" in texts

"""Pictures of games and sessions: what is drawn is what happened."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.plot.graph_picture import place_nodes


@pytest.fixture(scope="module")
def example():
    return zk.generators.planted_partition([25, 25, 25], 0.3, 0.02, np.random.default_rng(0))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_mistakes_are_those_of_the_game(example):
    run = zk.play(example.graph, example.labels, "auto")
    figure = run.plot()
    assert isinstance(figure, Figure)
    (axes,) = figure.axes
    curves = {
        line.get_label(): line.get_ydata() for line in axes.lines if not line.get_label().startswith("_")
    }
    assert np.asarray(curves.pop("auto")).tolist() == run.cumulative_mistakes.tolist()
    ((guess, wrong),) = curves.items()
    assert guess == "always the most frequent class (50 wrong)"
    assert wrong[-1] == 50
    assert str(run.mistakes) in texts(axes)
    shown = [text for text in texts(axes) if "proven bound" in text]
    assert shown == ([f"proven bound: {run.bound.value:,.0f}"] if run.bound.value < 75 else [])


def test_several_games_are_several_curves(example):
    runs = zk.play_shuffles(example.graph, example.labels, "nearest", shuffles=3)
    one = zk.play(example.graph, example.labels, "nearest")
    (axes,) = zk.plot.mistakes(runs, one).axes
    labels = axes.get_legend_handles_labels()[1]
    assert labels[:2] == ["nearest (mean and span of 3 games)", "nearest (2)"]
    mean = np.mean([run.cumulative_mistakes for run in runs.runs], axis=0)
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == mean.tolist()


def test_bounds_that_are_close_lead_and_others_say_nothing():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(199)])
    labels = [0] * 100 + [1] * 100
    runs = [zk.play(line, labels, name) for name in ("perceptron", "longest-path", "llgc")]
    (axes,) = zk.plot.bound(*runs).axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    by_name = {run.learner.name: run for run in runs}
    assert names[0] == "longest-path"
    said = texts(axes)
    for name, text in zip(names, said, strict=True):
        run = by_name[name]
        if not run.bound.holds:
            assert "no guarantee here" in text
        elif run.bound.value >= 200:
            assert f"says nothing here ({run.bound.value:,.0f})" in text.replace("no bound", "inf")
        else:
            assert f"{run.bound.value:,.0f}, " in text
            assert f"× the {run.mistakes} made" in text
    assert any("says nothing here" in text for text in said)


def test_calibration_counts_every_prediction_of_the_learner(example):
    run = zk.play(example.graph, example.labels, "auto")
    above, below = zk.plot.calibration(run).axes
    assert sum(bar.get_height() for bar in below.patches) == np.count_nonzero(~np.isnan(run.chances))
    dots = [line for line in above.lines if line.get_marker() == "o"]
    known = ~np.isnan(run.chances)
    for dot in dots:
        (x,), (y,) = dot.get_xdata(), dot.get_ydata()
        group = known & (np.minimum(run.chances * 10 // 1, 9) == min(int(x * 10), 9))
        assert x == pytest.approx(run.chances[group].mean())
        assert y == pytest.approx(1 - run.mistaken[group].mean())
        assert (to_hex(dot.get_markerfacecolor()) == "#ffffff") == (group.sum() < 5)


@pytest.mark.parametrize("learner", ["auto", "perceptron", "nearest", "longest-path"])
@pytest.mark.parametrize("classes", [2, 3])
def test_chances_are_those_of_a_session(example, learner, classes):
    labels = np.minimum(example.labels, classes - 1).tolist()
    run = zk.play(example.graph, labels, learner, seed=2)
    session = zk.start(example.graph, learner, classes=range(classes), seed=2)
    compared = 0
    for node, label, predicted, chance in zip(
        run.order.tolist(), run.labels.tolist(), run.predictions.tolist(), run.chances.tolist(), strict=True
    ):
        if not np.isnan(chance) and session.trials:
            shares = session.predict_proba_one(node)
            if max(shares.values()) - sorted(shares.values())[-2] > 1e-6:  # a tie is tipped in a session
                assert chance == pytest.approx(shares[predicted], abs=1e-9)
                compared += 1
        session.learn(node, label)
    assert compared > 40


def test_the_graph_of_a_session(example):
    session = zk.start(example.graph, "nearest", classes=["a", "b", "c"])
    session.teach({0: "a", 30: "b", 60: "c"})
    session.skip(5)
    figure = zk.plot.graph(session, title="clusters")
    names = figure.axes[0].get_legend_handles_labels()[1]
    assert names[-1] == "answered (3)"
    counts = np.bincount([list("abc").index(label) for label in session.predict_all()], minlength=3)
    assert names[:3] == [f"{label} ({count})" for label, count in zip("abc", counts, strict=True)]
    assert figure.get_suptitle() == "clusters"
    own = zk.plot.graph(session, positions=np.random.default_rng(0).random((75, 2)))
    assert len(own.axes[0].collections) == len(figure.axes[0].collections)


def test_places_keep_neighbours_near_and_do_not_change():
    grid = [(i, i + 1) for i in range(100) if i % 10 < 9] + [(i, i + 10) for i in range(90)]
    graph = zk.Graph.from_edges([*grid, (100, 101)], num_nodes=103)  # another component, and a lone node
    places = place_nodes(graph)
    assert places.shape == (103, 2)
    assert np.isfinite(places).all()
    assert np.array_equal(places, place_nodes(graph))
    lengths = np.linalg.norm(places[graph.edges[:, 0]] - places[graph.edges[:, 1]], axis=1)
    drawn = np.random.default_rng(1).integers(0, 100, (200, 2))
    others = np.linalg.norm(places[drawn[:, 0]] - places[drawn[:, 1]], axis=1)
    assert np.median(lengths) < 0.5 * np.median(others)


def test_bad_pictures_are_refused(example):
    session = zk.start(example.graph, "nearest", classes=["a", "b"])
    with pytest.raises(ParameterError, match="one row"):
        zk.plot.graph(session, positions=np.zeros((3, 2)))
    with pytest.raises(ParameterError, match="too many to be laid out"):
        place_nodes(zk.Graph.from_edges([(i, i + 1) for i in range(4000)]))
    with pytest.raises(ParameterError, match="no game is given"):
        zk.plot.mistakes()


def test_matplotlib_comes_with_the_first_picture():
    code = (
        "import sys, zerokelvin as zk\n"
        "zk.plot\nprint('matplotlib' in sys.modules)\n"
        "zk.plot.mistakes\nprint('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection

import zerokelvin as zk
from zerokelvin.errors import DataError, ParameterError
from zerokelvin.experiments.plots import draw_curves, draw_outcomes, lay_out, save

RING = zk.Graph.from_edges([(i, (i + 1) % 24) for i in range(24)])
LABELS = ["a"] * 8 + ["b"] * 8 + ["c"] * 8
PLACES = np.column_stack([np.cos(np.arange(24)), np.sin(np.arange(24))])


def test_curves_show_the_cumulative_figures_of_every_game():
    one = zk.play(RING, LABELS, "perceptron", seed=1, policy="margin:0.1")
    two = zk.play(RING, LABELS, "perceptron", seed=1)
    figure = draw_curves({"one": [one], "two": [two]})
    for axes, figures in zip(figure.axes, ("cumulative_mistakes", "cumulative_queries"), strict=True):
        for line, run in zip(axes.lines, (one, two), strict=True):
            assert line.get_ydata().tolist() == getattr(run, figures).tolist()
            assert line.get_xdata()[[0, -1]].tolist() == [1, 24]
    written = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(written) == sorted([str(one.mistakes), str(two.mistakes)])


def test_a_bound_is_a_line_over_the_mistakes_only():
    run = zk.play(RING, LABELS, "perceptron", seed=1)
    left, right = draw_curves({"one": [run]}, bounds={"proven bound": 77.4}).axes
    plain = draw_curves({"one": [run]}).axes
    assert [len(axes.lines) for axes in (left, right)] == [2, 1]
    assert set(left.lines[1].get_ydata()) == {77.4}
    assert "proven bound: 77" in [text.get_text() for text in left.texts]
    assert left.get_ylim()[1] > 77.4 > plain[0].get_ylim()[1]
    assert right.get_ylim() == plain[1].get_ylim()


def test_several_games_give_mean_and_span():
    runs = zk.play_shuffles(RING, LABELS, "perceptron", shuffles=5).runs
    axes = draw_curves({"perceptron": runs}).axes[0]
    curves = np.array([run.cumulative_mistakes for run in runs])
    assert np.allclose(axes.lines[0].get_ydata(), curves.mean(axis=0))
    low, high = axes.collections[0].get_datalim(axes.transData).intervaly
    assert (low, high) == (curves.min(), curves.max())


@pytest.mark.parametrize("repeats", [1, 3])
def test_outcomes_put_every_node_where_it_belongs(repeats):
    run = zk.play(RING, LABELS, "perceptron", seed=3, policy="margin:0.5", repeats=repeats)
    last = {int(node): t for t, node in enumerate(run.nodes)}
    asked = {node for node, t in last.items() if run.asked[t].any()}
    wrong = {node for node, t in last.items() if run.mistaken[t]}
    assert asked
    assert asked != set(last)
    axes = draw_outcomes(run, PLACES).axes[0]
    quiet_dots, asked_dots, wrong_dots = (c for c in axes.collections if isinstance(c, PathCollection))
    for dots, nodes in ((quiet_dots, set(last) - asked - wrong), (asked_dots, asked), (wrong_dots, wrong)):
        shown = np.asarray(dots.get_offsets())
        assert sorted(map(tuple, shown)) == sorted(map(tuple, PLACES[sorted(nodes)]))
    assert len(next(c for c in axes.collections if isinstance(c, LineCollection)).get_segments()) == 24
    assert {text.get_text() for text in axes.texts} == {"a", "b", "c"}


def test_layout_is_determined_by_the_seed_and_keeps_clusters_together():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 0.1, size=(20, 5)) for centre in (0.0, 10.0)])
    one, two = lay_out(points, seed=4), lay_out(points, seed=4)
    assert np.array_equal(one, two)
    assert one.shape == (40, 2)
    gap = np.linalg.norm(one[:20].mean(axis=0) - one[20:].mean(axis=0))
    assert gap > 2 * max(
        np.linalg.norm(half - half.mean(axis=0), axis=1).max() for half in (one[:20], one[20:])
    )


def test_pictures_are_reproducible(tmp_path):
    run = zk.play(RING, LABELS, "perceptron", seed=1)
    for suffix in ("png", "svg", "pdf"):
        one, two = (save(draw_curves({"x": [run]}), tmp_path / f"{i}.{suffix}") for i in range(2))
        assert one.read_bytes() == two.read_bytes()


def test_files_that_cannot_be_written_are_refused(tmp_path):
    figure = draw_curves({"x": [zk.play(RING, LABELS, "perceptron")]})
    with pytest.raises(ParameterError, match=r"curves\.doc"):
        save(figure, tmp_path / "curves.doc")
    with pytest.raises(DataError, match="nowhere"):
        save(figure, tmp_path / "nowhere" / "curves.png")

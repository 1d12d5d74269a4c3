"""The robustness experiment: its figures are those of the games; one picture of three panels."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.labelled_problem import Problem
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.experiments.reproduction.robustness.noise_drift_delay import (
    LEARNERS,
    PANELS,
    Cell,
    measure_error,
)
from zerokelvin.games.labels import encode_labels

EXAMPLE = zk.generators.planted_partition([30, 30, 30], 0.25, 0.01, np.random.default_rng(2))
PROBLEM = Problem("blocks", EXAMPLE.graph, EXAMPLE.labels)
LABELLING = encode_labels(EXAMPLE.graph, EXAMPLE.labels)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("robustness") / "blocks.npz"
    np.savez(path, edges=EXAMPLE.graph.edges, labels=EXAMPLE.labels, n=90)
    return make_experiment("robustness", data=(str(path),), fast=True, shuffles=2).run()


def test_every_figure_is_that_of_its_games(report):
    settings = report.values["settings"]
    assert (settings["data"], settings["trials"], settings["window"]) == ("blocks", 90, 9)
    for panel in PANELS:
        found = report.values["panels"][panel.name]
        assert tuple(found["values"]) == panel.fast
        assert list(found["errors"]) == list(LEARNERS)
        for at, value in enumerate(panel.fast):
            option = {panel.argument: value} if value else {}
            for name in ("perceptron", "longest-path", "gaussian"):
                runs = [zk.play(EXAMPLE.graph, EXAMPLE.labels, name, seed=i, **option) for i in range(2)]
                truth = EXAMPLE.labels if panel.name == "noise" else None
                wrong = [
                    np.mean(run.predictions != (run.labels if truth is None else truth[run.nodes]))
                    for run in runs
                ]
                assert found["errors"][name]["error"][at] == pytest.approx(np.mean(wrong))
                assert found["errors"][name]["std"][at] == pytest.approx(np.std(wrong, ddof=1))
    forgot = report.values["panels"]["drift"]["errors_forgetting"]["longest-path"]["error"]
    runs = [
        zk.play(EXAMPLE.graph, EXAMPLE.labels, "longest-path", seed=i, drift=4, forget=9) for i in range(2)
    ]
    assert forgot[1] == pytest.approx(np.mean([run.error_multiclass for run in runs]))


def test_noise_is_judged_by_the_truth():
    """With every label wrong a learner is wrong about nearly everything; the game itself says otherwise."""
    cell = Cell("nearest", "label_noise", 1.0, 0, 0)
    two = zk.generators.planted_partition([20, 20], 0.5, 0.02, np.random.default_rng(0))
    problem = Problem("two", two.graph, two.labels)
    assert measure_error(problem, encode_labels(two.graph, two.labels), cell) > 0.8
    assert measure_error(PROBLEM, LABELLING, Cell("nearest", "delay", 0.0, 0, 0)) < 0.2


def test_the_report_and_its_picture(report, tmp_path):
    assert [table.title.partition(":")[0] for table in report.tables] == ["Label noise", "Drift", "Delay"]
    assert [len(table.rows) for table in report.tables] == [6, 12, 6]
    assert report.tables[0].rows[0][0] == "perceptron"
    shown = [cell for table in report.tables for row in table.rows for cell in row[1:]]
    assert all(0 <= float(cell) <= 1 for cell in shown)
    files = report.save(tmp_path)
    assert sorted(path.name for path in files) == ["robustness.json", "robustness.png", "robustness.svg"]
    figure = report.pictures[0].draw()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Label noise", "Drift", "Delay"]
    assert [len(axes.lines) for axes in figure.axes] == [6, 12, 6]
    errors = report.values["panels"]["delay"]["errors"]["auto"]["error"]
    assert list(figure.axes[2].lines[5].get_ydata()) == errors
    highest = max(max(line.get_ydata()) for axes in figure.axes for line in axes.lines)
    assert all(axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > highest for axes in figure.axes)
    assert not make_experiment("robustness", figures=False).figures


@pytest.mark.parametrize(
    ("option", "says"), [({"data": ()}, "one data set"), ({"shuffles": 0}, "shuffles=0")]
)
def test_bad_options(option, says):
    with pytest.raises(ParameterError, match=says):
        make_experiment("robustness", **option)

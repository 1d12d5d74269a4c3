import json
import math

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.experiments import Summary, summarize
from zerokelvin.experiments.summary import plain

LINE = zk.Graph.from_edges([(i, i + 1) for i in range(19)])
LABELS = [0] * 10 + [1] * 10


def test_figures_are_means_over_games_and_seconds_those_of_one():
    runs = zk.play_shuffles(LINE, LABELS, "perceptron", shuffles=6, seed=2, b=0.5)
    summary = summarize(runs)
    errors = [run.mistakes / 20 for run in runs.runs]
    assert summary.error_multiclass == pytest.approx(np.mean(errors))
    assert summary.error_multiclass_std == pytest.approx(np.std(errors, ddof=1))
    assert summary.seconds == pytest.approx(
        runs.prepare_seconds + np.mean([run.seconds for run in runs.runs])
    )
    assert summary.bound == runs.runs[0].bound
    assert (summary.params["b"], summary.classes, summary.queried_nodes) == (0.5, 2, 20)


def test_as_dict_is_json():
    values = summarize(zk.play_shuffles(LINE, LABELS, "perceptron", shuffles=2)).as_dict()
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert list(values) == [name for name in Summary.__dataclass_fields__ if name != "cost"]


def test_as_dict_has_the_cost_where_there_is_one():
    values = summarize(
        zk.play_shuffles(LINE, LABELS, "perceptron", shuffles=2, costs={"miss": 2, "alarm": 1, "ask": 0.5})
    ).as_dict()
    assert list(values) == list(Summary.__dataclass_fields__)
    assert values["cost"] == 0.5 * 20  # every node is asked


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.5, 1.5), (math.inf, "inf"), ("dense", "dense"), (None, None), (True, True), ((1, 2), "(1, 2)")],
)
def test_parameters_as_plain_values(value, expected):
    assert plain(value) == expected

import numpy as np
import pytest

from zerokelvin.errors import ParameterError
from zerokelvin.experiments import learned_mistakes, play_demo


@pytest.fixture(scope="module")
def demo():
    return play_demo()


def test_asks_for_a_fifth_of_the_labels_and_stays_good(demo):
    assert demo.asking.queried_nodes < 0.25 * demo.graph.num_nodes
    assert demo.asking.error_multiclass < 0.06
    assert demo.always.error_multiclass < 0.04


def test_both_games_play_the_same_digits_in_the_same_order(demo):
    assert np.array_equal(demo.asking.nodes, demo.always.nodes)
    assert np.array_equal(demo.asking.labels, demo.labels[demo.asking.nodes])
    assert len(demo.points) == demo.graph.num_nodes


def test_mistakes_that_were_learned_from_stay_within_the_bound(demo):
    for run in (demo.asking, demo.always):
        assert 0 < learned_mistakes(run) <= run.bound.value
    assert learned_mistakes(demo.always) == demo.always.mistakes
    assert learned_mistakes(demo.asking) < demo.asking.mistakes


def test_progress_counts_both_games():
    seen = []
    play_demo(nodes=100, progress=lambda *step: seen.append(step))
    tasks = list(dict.fromkeys(task for task, _, _ in seen))
    assert tasks == ["Playing, asking when unsure", "Playing, asking always"]
    assert seen[-1][1] == seen[-1][2]


@pytest.mark.parametrize("nodes", [0, 49, 1798])
def test_a_number_of_digits_there_is_not(nodes):
    with pytest.raises(ParameterError, match=f"nodes={nodes}"):
        play_demo(nodes=nodes)

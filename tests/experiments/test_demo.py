import numpy as np
import pytest

from zerokelvin.errors import ParameterError
from zerokelvin.experiments import learned_mistakes, play_demo


@pytest.fixture(scope="module")
def demo():
    return play_demo()


def test_asks_for_few_labels_and_stays_as_good_as_asking_always(demo):
    assert demo.asking.learner.name == demo.always.learner.name == "auto"
    assert demo.asking.queried_nodes < 0.085 * demo.graph.num_nodes
    assert demo.asking.error_multiclass < 0.028
    assert demo.always.error_multiclass < 0.028


def test_all_digits_hang_together_and_the_bound_is_a_guarantee(demo):
    assert demo.graph.num_nodes == 1797
    assert demo.graph.num_components == 1
    assert demo.always.bound.holds
    assert demo.always.mistakes <= demo.always.bound.value < 0.06 * demo.graph.num_nodes


def test_both_games_play_the_same_digits_in_the_same_order(demo):
    assert np.array_equal(demo.asking.nodes, demo.always.nodes)
    assert np.array_equal(demo.asking.labels, demo.labels[demo.asking.nodes])
    assert len(demo.points) == demo.graph.num_nodes


def test_mistakes_that_were_learned_from_stay_within_the_bound(demo):
    for run in (demo.asking, demo.always):
        assert 0 < learned_mistakes(run) <= run.bound.value
    assert learned_mistakes(demo.always) == demo.always.mistakes
    assert learned_mistakes(demo.asking) < demo.asking.mistakes


def test_sixty_answers_to_its_questions_beat_more_than_twice_as_many_at_random(demo):
    job = demo.by_value
    assert len(set(job.nodes.tolist())) == 60
    assert job.answers[-1] == 60
    assert job.right[-1] > 0.985 * demo.graph.num_nodes
    assert job.right[-1] > demo.random_right(140) > demo.random_right(60)
    for random in demo.at_random:
        assert len(set(random.nodes.tolist())) == random.answers[-1] == 140
    assert len({tuple(random.nodes.tolist()) for random in demo.at_random}) == 5


def test_the_mean_of_the_draws(demo):
    by_hand = sum(random.right[-1] for random in demo.at_random) / 5
    assert demo.random_right(140) == by_hand


def test_progress_counts_games_and_labelling():
    seen = []
    play_demo(nodes=100, progress=lambda *step: seen.append(step))
    tasks = list(dict.fromkeys(task for task, _, _ in seen))
    assert tasks == [
        "Playing, asking when unsure",
        "Playing, asking always",
        "Labelling, by value",
        "Labelling, at random",
    ]
    for task in tasks:
        last = [step for step in seen if step[0] == task][-1]
        assert last[1] == last[2]


@pytest.mark.parametrize("nodes", [0, 49, 1798])
def test_a_number_of_digits_there_is_not(nodes):
    with pytest.raises(ParameterError, match=f"nodes={nodes}"):
        play_demo(nodes=nodes)

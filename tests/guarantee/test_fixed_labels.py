"""Random checks of labels that do not change: the limit holds for all numbers of checks together."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.summary import check_unasked
from zerokelvin.guarantee import check_fixed_labels

CONFIDENCE, GAMES = 0.8, 60
FEWEST = CONFIDENCE * GAMES - 2 * np.sqrt(GAMES * CONFIDENCE * (1 - CONFIDENCE))


def never_below(limit_of, share, seed):
    """Whether a limit, after each of 60 checks of 80 labels, was never below the truth."""
    wrong = np.random.default_rng(seed).random(80) < share
    for count in range(0, 60, 2):
        found = check_fixed_labels(wrong, count, CONFIDENCE, seed)
        if int(wrong.sum()) - found.wrong_seen > limit_of(found):
            return False
    return True


def proven(found):
    return found.wrong_at_most


def optimistic(found):
    """The share among the checks and one standard deviation: right at one time in 84 of 100 cases."""
    share = (found.wrong_seen + 1) / (found.checks + 2)
    return found.unasked * (share + np.sqrt(share * (1 - share) / (found.checks + 2)))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_the_limit_holds_at_all_times_together(share):
    assert sum(never_below(proven, share, seed) for seed in range(GAMES)) >= FEWEST


def test_a_limit_for_one_time_is_seen_to_fail():
    assert sum(never_below(optimistic, 0.1, seed) for seed in range(GAMES)) < FEWEST


def test_all_checked_leaves_nothing_open_and_none_everything():
    wrong = np.arange(40) % 4 == 0
    everything = check_fixed_labels(wrong, 100)
    assert (everything.unasked, everything.wrong_at_most) == (0, 0)
    assert (everything.checks, everything.wrong_seen) == (40, 10)
    nothing = check_fixed_labels(wrong, 0)
    assert (nothing.unasked, nothing.wrong_at_most) == (40, 40)
    assert check_fixed_labels(np.zeros(0, dtype=bool), 5).error_at_most == 0.0


def test_only_what_is_drawn_is_read():
    """Labels that nobody looks at do not change the limit."""
    right = np.zeros(90, dtype=bool)
    drawn = [i for i in range(90) if check_fixed_labels(np.arange(90) == i, 20, seed=3).wrong_seen]
    assert len(drawn) == 20
    others = np.ones(90, dtype=bool)
    others[drawn] = False
    assert check_fixed_labels(others, 20, seed=3) == check_fixed_labels(right, 20, seed=3)


@pytest.mark.parametrize(
    ("options", "said"), [({"checks": -1}, "checks=-1"), ({"confidence": 1.0}, "confidence=1.0")]
)
def test_bad_numbers_are_named(options, said):
    with pytest.raises(ParameterError, match=said):
        check_fixed_labels(np.zeros(3, dtype=bool), **{"checks": 1, **options})


def test_a_run_is_checked_where_nobody_asked():
    moons = zk.generators.two_moons(200, np.random.default_rng(1))
    runs = zk.play_shuffles(moons.graph, moons.labels, "nearest", shuffles=4, policy="random:0.4")
    for run in runs.runs:
        assert run.unasked.tolist() == [not row.any() for row in run.asked]
        found = run.guarantee(0.95, checks=30)
        assert found == check_fixed_labels(run.mistaken[run.unasked], 30, 0.95, run.seed)
        assert found.unasked == run.trials - run.queried_nodes - 30
    limits = [run.guarantee(0.95, checks=30).error_at_most for run in runs.runs]
    together = check_unasked(runs, 30)
    assert together.error_at_most == pytest.approx(np.mean(limits))
    assert 0.0 <= together.error <= together.error_at_most


def test_a_run_that_asks_for_everything_has_nothing_to_check():
    line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    run = zk.play(line, ["a", "a", "b", "b"], "nearest")
    assert str(run.guarantee()) == "every label has been asked for"

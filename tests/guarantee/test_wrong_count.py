"""The set of numbers of wrong guesses: the one by definition, and the truth inside at all times."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.guarantee import WrongCount, wrong_count
from zerokelvin.guarantee.wrong_count import USUAL_SHARE


def by_definition(size, moves, alpha):
    """The largest number whose ratio has never reached 1/α, in exact fractions; None where all have."""
    weights = [1 / (w + Fraction(str(USUAL_SHARE)) * size + 1) ** 2 for w in range(size + 1)]
    likelihood, ruled_out, seen, left = [Fraction(1)] * (size + 1), set(), 0, size
    for drawn, wrong in moves:
        if drawn:
            for w in range(size + 1):
                share = Fraction(w - seen, left)
                likelihood[w] *= (share if wrong else 1 - share) if 0 <= share <= 1 else 0
            for w in range(1, size + 1):
                smaller = sum(weights[v] * likelihood[v] for v in range(w))
                if smaller and smaller * Fraction(str(alpha)) >= sum(weights[:w]) * likelihood[w]:
                    ruled_out.add(w)
        seen, left = seen + wrong, left - 1
    possible = [w for w in range(seen, seen + left + 1) if w not in ruled_out]
    return possible[-1] - seen if possible else None


@given(
    labelling=st.lists(st.booleans(), min_size=1, max_size=10),
    drawn=st.lists(st.booleans(), min_size=10, max_size=10),
    steps=st.integers(0, 10),
    alpha=st.sampled_from([0.3, 0.05, 0.01]),
)
def test_the_limit_is_the_one_by_definition(labelling, drawn, steps, alpha):
    moves = list(zip(drawn, labelling, strict=False))[:steps]
    count = WrongCount(len(labelling))
    for random, wrong in moves:
        (count.see_drawn if random else count.see)(wrong=wrong)
    most = by_definition(len(labelling), moves, alpha)
    if most is not None:
        assert count.most_left(alpha) == most


@given(
    size=st.integers(2, 60),
    seed=st.integers(0, 2**32 - 1),
    flips=st.lists(st.integers(0, 59), max_size=3),
    share=st.floats(0, 0.5),
)
def test_wrong_instead_of_right_never_lowers_the_limit(size, seed, flips, share):
    """So that a check passed over may count as wrong."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(size) < share
    worse = wrong.copy()
    worse[[i for i in flips if i < size]] = True
    limits = []
    for found in (wrong, worse):
        count = WrongCount(size)
        for one in found[: size // 2]:
            count.see_drawn(wrong=bool(one))
        limits.append(count.most_left(0.05) + count.seen_wrong)
    assert limits[1] >= limits[0]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3])
def test_the_truth_is_inside_at_all_times(share):
    """In 300 games, with guesses that leave by design in between: those known to be right leave first."""
    misses, games, size = 0, 300, 200
    for seed in range(games):
        rng = np.random.default_rng(seed)
        wrong = rng.permutation(size) < round(share * size)
        waiting, count = list(rng.permutation(size)), WrongCount(size)
        while len(waiting) > 100:
            drawn = waiting.pop(int(rng.integers(len(waiting))))
            count.see_drawn(wrong=bool(wrong[drawn]))
            right = next((i for i in waiting if not wrong[i]), None)
            if right is not None:
                waiting.remove(right)
                count.see(wrong=False)
            left = int(wrong[waiting].sum())
            if left > count.most_left(0.05):
                misses += 1
                break
    assert misses <= 0.05 * games


def test_chosen_answers_counted_as_drawn_would_be_seen_to_fail():
    """The same game, those that leave by design counted as if they had been drawn."""
    misses, games, size = 0, 100, 200
    for seed in range(games):
        rng = np.random.default_rng(seed)
        wrong = rng.permutation(size) < 60
        waiting, count = list(rng.permutation(size)), WrongCount(size)
        while len(waiting) > 100:
            drawn = waiting.pop(int(rng.integers(len(waiting))))
            count.see_drawn(wrong=bool(wrong[drawn]))
            right = next((i for i in waiting if not wrong[i]), None)
            if right is not None:
                waiting.remove(right)
                count.see_drawn(wrong=False)
            if int(wrong[waiting].sum()) > count.most_left(0.05):
                misses += 1
                break
    assert misses > 0.5 * games


def test_counts_that_are_kept_are_those_made_anew(monkeypatch):
    """Histories that grow, branch and are taken back, of two sizes, more of them than are kept."""
    monkeypatch.setattr(wrong_count, "_kept", [])
    monkeypatch.setattr(wrong_count, "KEPT", 2)
    rng = np.random.default_rng(0)
    histories = [[] for _ in range(4)]
    for _ in range(120):
        place = rng.integers(4)
        history = histories[place]
        if rng.random() < 0.15:
            histories[place] = history = list(histories[rng.integers(4)])[: rng.integers(12)]
        history.append(wrong_count.Seen(bool(rng.random() < 0.7), bool(rng.random() < 0.1)))
        size = (50, 80)[place % 2]
        if len(history) > size:
            continue
        anew = WrongCount(size)
        for one in history:
            (anew.see_drawn if one.drawn else anew.see)(wrong=one.wrong)
        assert wrong_count.most_left(size, history, 0.05) == anew.most_left(0.05)
        assert len(wrong_count._kept) <= 2


def test_one_check_more_is_one_step_more(monkeypatch):
    monkeypatch.setattr(wrong_count, "_kept", [])
    steps = []
    see_drawn = WrongCount.see_drawn
    monkeypatch.setattr(
        WrongCount, "see_drawn", lambda self, **more: (steps.append(1), see_drawn(self, **more))
    )
    history = [wrong_count.Seen(drawn=True, wrong=False) for _ in range(30)]
    wrong_count.most_left(100, history, 0.05)
    assert len(steps) == 30
    wrong_count.most_left(100, [*history, history[0]], 0.05)
    wrong_count.most_left(100, [*history, history[0]], 0.01)
    assert len(steps) == 31

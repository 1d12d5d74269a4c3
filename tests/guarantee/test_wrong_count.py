"""The set of numbers of wrong guesses: the one by definition, and the truth inside at all times."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.guarantee import WrongCount
from zerokelvin.guarantee.wrong_count import USUAL_SHARE


def by_definition(size, moves, alpha):
    """The numbers whose ratio of prior to posterior has never reached 1/α, in exact fractions."""
    prior = [1 / Fraction(w + Fraction(str(USUAL_SHARE)) * size + 1) ** 2 for w in range(size + 1)]
    total = sum(prior)
    prior = [weight / total for weight in prior]
    likelihood, largest, seen, left = [Fraction(1)] * (size + 1), [Fraction(0)] * (size + 1), 0, size
    for drawn, wrong in moves:
        if drawn:
            for w in range(size + 1):
                share = Fraction(w - seen, left)
                likelihood[w] *= max(share if wrong else 1 - share, 0) if 0 <= share <= 1 else 0
            evidence = sum(p * chance for p, chance in zip(prior, likelihood, strict=True))
            for w in range(size + 1):
                ratio = evidence / likelihood[w] if likelihood[w] else Fraction(10**9)
                largest[w] = max(largest[w], ratio)
        seen, left = seen + wrong, left - 1
    possible = [
        w for w in range(size + 1) if seen <= w <= seen + left and largest[w] < 1 / Fraction(str(alpha))
    ]
    return possible, seen


@given(
    labelling=st.lists(st.booleans(), min_size=1, max_size=10),
    drawn=st.lists(st.booleans(), min_size=10, max_size=10),
    steps=st.integers(0, 10),
    alpha=st.sampled_from([0.3, 0.05, 0.01]),
)
def test_the_set_is_the_one_by_definition(labelling, drawn, steps, alpha):
    moves = list(zip(drawn, labelling, strict=False))[:steps]
    count = WrongCount(len(labelling))
    for random, wrong in moves:
        if random:
            count.see_drawn(wrong=wrong)
        else:
            count.see(wrong=wrong)
    possible, seen = by_definition(len(labelling), moves, alpha)
    if possible:
        assert count.least_left(alpha) == possible[0] - seen
        assert count.most_left(alpha) == possible[-1] - seen


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
            right = next((i for i in waiting if not wrong[i]), None)
            if right is not None:
                waiting.remove(right)
                count.see(wrong=False)
            count.see_drawn(wrong=bool(wrong[drawn]))
            left = int(wrong[waiting].sum())
            if not count.least_left(0.05) <= left <= count.most_left(0.05):
                misses += 1
                break
    assert misses <= 0.05 * games


def test_a_set_that_forgot_who_left_would_be_seen_to_fail():
    """The same game, counted as if nothing had left in between, misses more often than it may."""
    misses, games, size = 0, 200, 200
    for seed in range(games):
        rng = np.random.default_rng(seed)
        wrong = rng.permutation(size) < 60
        waiting, count = list(rng.permutation(size)), WrongCount(size)
        while len(waiting) > 60:
            drawn = waiting.pop(int(rng.integers(len(waiting))))
            right = next((i for i in waiting if not wrong[i]), None)
            if right is not None:
                waiting.remove(right)
            count.see_drawn(wrong=bool(wrong[drawn]))
            if not count.least_left(0.05) <= int(wrong[waiting].sum()) <= count.most_left(0.05):
                misses += 1
                break
    assert misses > 0.05 * games

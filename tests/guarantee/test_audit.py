"""The guarantee over labellings that change: never below the truth in more games than it may."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.errors import ParameterError, SessionError
from zerokelvin.guarantee import Audit

NODES, CLASSES = 150, 3


def improving(rng, truth, codes, answered):
    """A model that gets better."""
    right = rng.random(len(truth)) < 0.05
    codes[right] = truth[right]


def spoiling(rng, truth, codes, answered):
    """One that spoils unanswered nodes after predictions were held."""
    waiting = np.flatnonzero(~answered)
    codes[rng.choice(waiting, 1)] = rng.integers(CLASSES)


def still(rng, truth, codes, answered):
    """One that never changes."""


def first_right(rng, truth, codes, waiting):
    """Whoever asks takes the nodes that are right already, which leaves the wrong ones."""
    right = waiting[truth[waiting] == codes[waiting]]
    return int(right[0]) if len(right) else int(waiting[0])


def at_random(rng, truth, codes, waiting):
    return int(rng.choice(waiting))


def game(seed, model, asker, share=0.1):
    """One game: whether the limit was ever below the truth, and the last limit."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(CLASSES, size=NODES)
    codes = np.where(rng.random(NODES) < share, (truth + 1) % CLASSES, truth)
    audit, below = Audit(NODES, seed), False
    audit.hold(codes)
    for step in range(100):
        waiting = np.flatnonzero(~audit.answered)
        if rng.random() < 0.6:
            audit.reveal(audit.draw(), truth[audit.draw()])
        else:
            if rng.random() < 0.5:
                audit.draw()  # one is drawn, and another answered before it
            node = asker(rng, truth, codes, waiting)
            audit.reveal(node, truth[node])
        model(rng, truth, codes, audit.answered)
        if step in (10, 40, 80) and audit.drawn is None:
            audit.hold(codes)
        left = ~audit.answered
        found = audit.guarantee(codes)
        assert found.unasked == left.sum()
        below |= int((truth[left] != codes[left]).sum()) > found.wrong_at_most
    return below, found


@pytest.mark.parametrize("asker", [first_right, at_random])
@pytest.mark.parametrize("model", [improving, spoiling, still])
def test_the_limit_holds_at_all_times(model, asker):
    games = 100
    assert sum(game(seed, model, asker)[0] for seed in range(games)) <= 0.05 * games


def test_the_limit_says_something():
    limits = [game(seed, still, at_random, share=0.0)[1].error_at_most for seed in range(10)]
    assert max(limits) < 0.2


@given(seed=st.integers(0, 10**6), nodes=st.integers(1, 40))
def test_every_node_is_drawn_once(seed, nodes):
    audit = Audit(nodes, seed)
    audit.hold(np.zeros(nodes, dtype=np.int64))
    drawn = []
    for _ in range(nodes):
        node = audit.draw()
        assert audit.draw() == node
        drawn.append(node)
        audit.reveal(node, 0)
    assert sorted(drawn) == list(range(nodes))
    assert audit.guarantee(np.zeros(nodes, dtype=np.int64)).error_at_most == 0.0
    with pytest.raises(SessionError, match="every node is answered"):
        audit.draw()


def test_draws_are_uniform():
    first = np.bincount([Audit(5, seed).draw() for seed in range(5000)], minlength=5)
    assert abs(first - 1000).max() < 150


def test_a_check_passed_over_counts_as_wrong():
    limits = []
    for passed in (False, True):
        audit = Audit(100, 3)
        audit.hold(np.zeros(100, dtype=np.int64))
        for step in range(50):
            node = audit.draw()
            if passed and step == 20:
                audit.pass_over()
            else:
                audit.reveal(node, 0)
        limits.append(audit.guarantee(np.zeros(100, dtype=np.int64)).wrong_at_most)
    assert limits[1] > limits[0]
    with pytest.raises(SessionError, match="no node is drawn"):
        audit.pass_over()


def test_without_checks_nothing_is_claimed():
    audit, codes = Audit(10), np.zeros(10, dtype=np.int64)
    assert audit.guarantee(codes).wrong_at_most == 10
    audit.hold(codes)
    for node in range(5):
        audit.reveal(node, 0)
    assert audit.guarantee(codes).wrong_at_most == 5
    assert "100.0%" in str(audit.guarantee(codes))


def test_how_many_checks_are_left():
    audit, codes = Audit(2000, 5), np.zeros(2000, dtype=np.int64)
    needed = audit.checks_until(0.02)
    audit.hold(codes)
    for _ in range(needed):
        audit.reveal(audit.draw(), 0)
    assert audit.guarantee(codes).error_at_most <= 0.02
    assert audit.checks_until(0.02, rate=0.01) > audit.checks_until(0.02)
    assert Audit(20).checks_until(0.01, rate=1.0) == 20


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, float("nan")])
def test_bad_confidence(confidence):
    with pytest.raises(ParameterError, match="confidence"):
        Audit(5).guarantee(np.zeros(5, dtype=np.int64), confidence)


def test_bad_labelling():
    with pytest.raises(ParameterError, match="4 entries for 5 nodes"):
        Audit(5).hold(np.zeros(4, dtype=np.int64))
    audit = Audit(5)
    audit.draw()
    with pytest.raises(SessionError, match="drawn already"):
        audit.hold(np.zeros(5, dtype=np.int64))

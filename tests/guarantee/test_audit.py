"""The guarantee over labellings that change: never below the truth in more games than it may."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from zerokelvin.errors import ParameterError, SessionError
from zerokelvin.guarantee import Audit, ToldLabel, guarantee
from zerokelvin.guarantee.audit import OPEN

NODES, CLASSES = 150, 3


def improving(rng, truth, codes, waiting):
    """A model that gets better."""
    right = rng.random(len(truth)) < 0.05
    codes[right] = truth[right]


def spoiling(rng, truth, codes, waiting):
    """One that spoils unanswered nodes after predictions were held."""
    codes[rng.choice(waiting)] = rng.integers(CLASSES)


def still(rng, truth, codes, waiting):
    """One that never changes."""


def first_right(rng, truth, codes, waiting):
    """Whoever asks takes the nodes that are right already, which leaves the wrong ones."""
    right = waiting[truth[waiting] == codes[waiting]]
    return int(right[0]) if len(right) else int(waiting[0])


def at_random(rng, truth, codes, waiting):
    return int(rng.choice(waiting))


def game(seed, model, asker, share=0.1, skips=0.0):
    """One game: whether the limit was ever below the truth, and the last limit."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(CLASSES, size=NODES)
    codes = np.where(rng.random(NODES) < share, (truth + 1) % CLASSES, truth)
    audit, told, below = Audit(), [], False
    for step in range(100):
        answered = {one.node for one in told if one.label is not None}
        waiting = np.array([node for node in range(NODES) if node not in answered])
        if audit.pending(told) is None and rng.random() < 0.8:
            if step == 0 or (step > 40 and len(audit.held) < 2):
                audit = audit.holding(told, codes.tolist())
            audit = audit.drawing(told, NODES, seed)
        drawn = audit.pending(told)
        if drawn is not None and rng.random() < 0.75:  # else another is answered before the one drawn
            passed = rng.random() < skips and truth[drawn] != codes[drawn]
            told.append(ToldLabel(drawn, None if passed else int(truth[drawn])))
        else:
            node = asker(rng, truth, codes, waiting)
            told.append(ToldLabel(node, int(truth[node])))
        waiting = np.setdiff1d(waiting, [told[-1].node] if told[-1].label is not None else [])
        model(rng, truth, codes, waiting)
        if step % 3 == 0:  # a limit below the truth stays there for a while
            found = guarantee(audit, told, codes.tolist())
            assert found.unasked == len(waiting)
            below |= int((truth[waiting] != codes[waiting]).sum()) > found.wrong_at_most
    return below, found


@pytest.mark.parametrize("skips", [0.0, 0.7])
@pytest.mark.parametrize("asker", [first_right, at_random])
@pytest.mark.parametrize("model", [improving, spoiling, still])
def test_the_limit_holds_at_all_times(model, asker, skips):
    games = 40
    assert sum(game(seed, model, asker, skips=skips)[0] for seed in range(games)) <= 0.05 * games


def test_the_limit_says_something():
    limits = [game(seed, still, at_random, share=0.0)[1].error_at_most for seed in range(10)]
    assert max(limits) < 0.2


def test_a_limit_that_left_out_what_was_passed_over_would_be_seen_to_fail():
    """Passing over every check that would be wrong hides them all; counting them keeps the limit true."""
    below = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth, guesses = np.zeros(NODES, dtype=int), (rng.random(NODES) < 0.15).astype(int)
        audit, told = Audit().holding([], guesses.tolist()), []
        for _ in range(90):
            audit = audit.drawing(told, NODES, seed)
            node = audit.pending(told)
            told.append(ToldLabel(node, None if guesses[node] else 0))
        honest = guarantee(audit, told, guesses.tolist())
        waiting = [node for node in range(NODES) if ToldLabel(node, 0) not in told]
        wrong = int((guesses[waiting] != truth[waiting]).sum())
        assert wrong <= honest.wrong_at_most
        kept = [one for one in told if one.label is not None]
        shown = Audit(audit.labels, tuple(d for d in audit.draws if not guesses[d.node]), audit.held)
        renumbered = tuple(draw._replace(told=k) for k, draw in enumerate(shown.draws))
        blind = guarantee(Audit(shown.labels, renumbered, shown.held), kept, guesses.tolist())
        below += wrong > blind.wrong_at_most
    assert below > 10


@given(seed=st.integers(0, 10**6), nodes=st.integers(1, 40))
def test_every_node_is_drawn_once(seed, nodes):
    guesses = [0] * nodes
    audit, told, drawn = Audit().holding([], guesses), [], []
    for _ in range(nodes):
        audit = audit.drawing(told, nodes, seed)
        drawn.append(audit.pending(told))
        told.append(ToldLabel(drawn[-1], 0))
        assert audit.pending(told) is None
    assert sorted(drawn) == list(range(nodes))
    assert guarantee(audit, told, guesses).error_at_most == 0.0
    with pytest.raises(SessionError, match="no node without an answer"):
        audit.drawing(told, nodes, seed)


def test_draws_are_uniform():
    first = np.bincount([Audit().drawing([], 5, seed).draws[0].node for seed in range(5000)], minlength=5)
    assert abs(first - 1000).max() < 150


def test_without_checks_nothing_is_claimed():
    guesses = ["x"] * 10
    assert guarantee(Audit(), [], guesses).wrong_at_most == 10
    told = [ToldLabel(node, "x") for node in range(5)]
    found = guarantee(Audit().holding([], guesses), told, guesses)
    assert (found.wrong_at_most, found.checks) == (5, 0)
    assert "100.0%" in str(found)


def test_changed_and_new_labels_count_against_it():
    guesses = ["x"] * 200
    audit, told = Audit().holding([], guesses), []
    for _ in range(100):
        audit = audit.drawing(told, 200, 4)
        told.append(ToldLabel(audit.pending(told), "x"))
    before = guarantee(audit, told, guesses)
    node = next(node for node in range(200) if ToldLabel(node, "x") not in told)
    changed = [*guesses[:node], "y", *guesses[node + 1 :]]
    assert guarantee(audit, told, changed).wrong_at_most == before.wrong_at_most + 1
    assert guarantee(audit, told, [*guesses, "x", "x"]).wrong_at_most == before.wrong_at_most + 2


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, float("nan")])
def test_bad_confidence(confidence):
    with pytest.raises(ParameterError, match="confidence"):
        guarantee(Audit(), [], [0] * 5, confidence)


def test_a_draw_is_uniform_also_from_what_is_unanswered_again():
    guesses, counts = ["ham"] * 6, np.zeros(6)
    for seed in range(6000):
        told = [ToldLabel(0, "ham"), ToldLabel(1, "ham"), ToldLabel(2, "ham")]
        audit = Audit().holding([], guesses).drawing(told, 6, seed)
        back = audit.taken_back([1, 2], told, 6, seed)
        counts[back.pending(told[:1])] += 1
        assert len(back.draws) == 1
        assert back.draws[0].told == 1
    assert counts[0] == 0
    assert chisquare(counts[1:]).pvalue > 1e-4


def test_what_is_taken_back_before_an_answered_check_begins_the_checks_anew():
    audit, told = Audit().holding([], ["ham"] * 9), [ToldLabel(0, "ham")]
    for _ in range(2):
        audit = audit.drawing(told, 9, seed=3)
        told.append(ToldLabel(audit.draws[-1].node, "ham"))
    assert audit.taken_back([0], told, 9, seed=3) == Audit()
    assert audit.taken_back([2], told, 9, seed=3).pending(told[:2]) == told[2].node


@pytest.mark.parametrize("seed", range(20))
def test_what_changed_is_counted_node_by_node(seed):
    """The limit and the time to hold again, against counting by definition; labels come, nodes join."""
    rng = np.random.default_rng(seed)
    size, told, audit = 30, [], Audit()
    labels = rng.choice(["a", "b"], size).tolist()
    for step in range(40):
        changing = rng.integers(size)
        labels[changing] = str(rng.choice(["a", "b", "c"]))  # one that was never held
        if step == 20:
            labels += ["b"] * 5
            size += 5
        answered = {one.node for one in told if one.label is not None}
        waiting = [node for node in range(size) if node not in answered]
        if audit.may_be_due():
            if audit.held:
                changed = sum(_differs(audit, -1, node, labels) for node in waiting)
                since = sum(draw.told >= audit.held[-1].told for draw in audit.draws)
                assert audit.due(told, labels) == (changed * since > OPEN * len(waiting))
            if audit.due(told, labels):
                audit = audit.holding(told, labels)
        if len(audit.unanswered(told, size)) and rng.random() < 0.5:
            audit = audit.drawing(told, size, seed)
            told.append(
                ToldLabel(audit.draws[-1].node, rng.choice([labels[audit.draws[-1].node], "a", None]))
            )
        elif waiting:
            told.append(ToldLabel(int(rng.choice(waiting)), "a"))
        found = guarantee(audit, told, labels)
        answered = {one.node for one in told if one.label is not None}
        passed = {one.node for one in told if one.label is None}
        assert found.unasked == size - len(answered)
        counts = {
            sum(_differs(audit, k, node, labels) for node in range(size) if node not in answered | passed)
            for k in range(len(audit.held))
        }
        assert found.changed in counts or found.wrong_at_most == found.unasked


def _differs(audit, held, node, labels):
    codes = audit.held[held].codes
    return node >= len(codes) or audit.labels[codes[node]] != labels[node]

"""What a `Bound` promises: of this game, in expectation, or nothing."""

import math

from zerokelvin.bound import Assumption, Bound


def test_a_bound_in_expectation_is_no_promise_for_one_game():
    bound = Bound(3.0, "a theorem", expected=True)
    assert bound.holds
    assert not bound.certain
    assert not bound.is_broken_by(4)
    assert "in expectation" in str(bound)
    assert bound.as_dict()["expected"] is True


def test_a_bound_that_holds_is_broken_by_one_mistake_more():
    bound = Bound(3.0, "a theorem")
    assert bound.certain
    assert not bound.is_broken_by(3)
    assert bound.is_broken_by(4)
    assert Bound(math.nan, "a theorem").is_broken_by(0)
    assert not Bound(3.0, "a theorem", {}, (Assumption("it rains", False),)).is_broken_by(4)


def test_a_sum_is_in_expectation_as_soon_as_one_part_is():
    total = Bound.total([Bound(1.0, "a"), Bound(2.0, "a", expected=True)])
    assert total.expected
    assert not Bound.total([Bound(1.0, "a"), Bound(2.0, "a")]).expected

"""Compiled play, play step by step and a session: the same game to the last bit, whatever is drawn."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin import learners
from zerokelvin.asking import POLICIES, Margin
from zerokelvin.asking.policies import policy
from zerokelvin.checks.arenas import draw_arena
from zerokelvin.checks.families import FAMILIES, ORDERS, draw_policy
from zerokelvin.checks.same_game import find_difference
from zerokelvin.errors import GraphError
from zerokelvin.learners.base import columns_of
from zerokelvin.learners.cuts.longest_path import LongestPath
from zerokelvin.learners.nearest import Nearest, NearestState


def test_a_binary_tree_from_its_last_leaf_stays_within_its_bound():
    tree = zk.Graph.from_edges([(i, (i - 1) // 2) for i in range(1, 26)])
    labels = [i % 2 for i in range(26)]
    run = zk.play(tree, labels, "longest-path", order=list(range(26))[::-1])
    assert np.isin(run.margins, (-1.0, -0.5, 0.0, 0.5, 1.0)).all()
    assert run.bound.holds
    assert run.bound.allows(run.mistakes)


def test_longest_path_plays_every_trial_of_a_forest():
    faults = [find_difference(LongestPath(), seed).fault for seed in range(300)]
    assert [fault for fault in faults if fault] == []


def test_forests_are_drawn_on_which_the_flow_gives_way_in_the_middle(monkeypatch):
    """The games would notice a gap between the flow and the trees: some are played by both."""
    from zerokelvin.learners.cuts import longest_path

    handed_over = []
    rest = longest_path.ForestPathState._rest

    def watched(self):
        before = self.tree
        rest(self)
        handed_over.append(before is None and self.tree is not None and len(self.seen_nodes) > 1)

    monkeypatch.setattr(longest_path.ForestPathState, "_rest", watched)
    for seed in range(300):
        find_difference(LongestPath(), seed)
    assert sum(handed_over) >= 10


@pytest.mark.parametrize("name", learners.names())
def test_arenas_suit_every_learner_and_cover_what_they_should(name):
    arenas = [draw_arena(learners.make(name), seed) for seed in range(400)]
    texts = " ".join(map(str, arenas))
    assert all(family in texts for family in FAMILIES)
    assert all(order in texts for order in ORDERS)
    assert {"policy", "budget", "delay", "repeats", "label_noise", "forget"} <= {
        setting for arena in arenas for setting in arena.settings
    }
    assert min(arena.graph.num_nodes for arena in arenas) == 1
    assert str(draw_arena(learners.make(name), 7)) == str(arenas[7])


def test_a_policy_is_drawn_as_soon_as_it_is_registered():
    @policy("unheard", "LIMIT")
    @dataclasses.dataclass(frozen=True)
    class Unheard(Margin):
        checked_with: ClassVar[float] = 3.0

    try:
        drawn = {draw_policy(np.random.default_rng(seed)) for seed in range(100)}
        assert {text.partition(":")[0] for text in drawn} == set(POLICIES) - {"always"}
        assert "unheard:3.0" in drawn
    finally:
        del POLICIES._values["unheard"], POLICIES._numbers["unheard"]


@dataclasses.dataclass(frozen=True)
class Hasty(Nearest):
    """Its game stops before the last trial and leaves it unfilled."""

    class game(learners.OneVsRest):  # noqa: N801 - as learners name it
        def play(self, trials, progress=None):
            trace = super().play(trials, progress)
            trace.margins[-1] = np.nan
            return trace


@dataclasses.dataclass(frozen=True)
class Careless(Nearest):
    """Its compiled game forgets one label in ten."""

    class game(learners.OneVsRest):  # noqa: N801
        def play(self, trials, progress=None):
            some = np.arange(len(trials.nodes)) % 10 != 9
            signs = np.where(some[:, None], trials.signs, -trials.signs)
            return super().play(dataclasses.replace(trials, signs=signs), progress)


def test_a_trial_left_out_never_becomes_a_result():
    class Plain(Hasty):
        def start(self, graph, prepared=None, rng=None):
            return NearestState(learners.nearest.Neighbours(graph, 1, None), self)

        def start_game(self, graph, classes, prepared=None, seed=0):
            return self.game([self.start(graph) for _ in range(columns_of(classes))])

    line = zk.Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(GraphError, match="a fault of the learner"):
        zk.play(line, [0, 0, 1], Plain())


def test_a_game_that_differs_from_its_steps_is_found():
    class Plain(Careless):
        def start_game(self, graph, classes, prepared=None, seed=0):
            return self.game([self.start(graph) for _ in range(columns_of(classes))])

    found = [find_difference(Plain(), seed).fault for seed in range(40)]
    assert any(fault and "step by step" in fault for fault in found)


def test_a_label_is_worth_as_much_in_a_game_as_in_a_session_where_not_all_nodes_are_played():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(11)])
    labels = [0] * 6 + [1] * 6
    order = [3, 4, 3, 8, 4]
    run = zk.play(line, labels, "nearest", order=order, policy="value:0.67")
    session = zk.start(line, "nearest", classes=[0, 1], policy="value:0.67")
    for t, node in enumerate(order):
        ask = session.predict(node).ask
        assert ask == run.asked[t].any()
        session.learn(node, labels[node]) if ask else session.skip(node)

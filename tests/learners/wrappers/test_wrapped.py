"""Wrappers pass everything on: random questions, forgetting and guides say what they change, and no more."""

import inspect

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.checks import CHECKS, ContractError, wrappers, wrappers_of
from zerokelvin.learners import Game, Learner, make
from zerokelvin.learners.wrappers.forgetting import Forgetting, ForgettingGame
from zerokelvin.learners.wrappers.guided import Guided
from zerokelvin.learners.wrappers.random_query import RandomQuery
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedGame

CHECK = "a wrapper that changes nothing passes everything on"
GRID = zk.Graph.from_edges(
    [(5 * i + j, 5 * i + j + 1) for i in range(5) for j in range(4)]
    + [(5 * i + j, 5 * i + j + 5) for i in range(4) for j in range(5)]
)
LABELS = ["a" if node % 5 < 2 else "b" if node < 13 else "c" for node in range(25)]


def sessions(learner, wrapper, count=12, **options):
    pair = [zk.start(GRID, each, classes=["a", "b", "c"], **options) for each in (learner, wrapper)]
    for node in np.random.default_rng(0).permutation(25)[:count].tolist():
        for session in pair:
            session.learn(node, LABELS[node])
    return pair


def test_forgetting_keeps_the_path():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(5)])
    session, plain = (zk.start(line, "longest-path", classes=["x", "y"], forget=w) for w in (10, None))
    for one in (session, plain):
        one.learn(0, "x")
    assert session.explain(3).path == plain.explain(3).path
    assert len(plain.explain(3).path) == 4


def test_random_questions_over_auto_keep_probabilities_and_experts():
    plain, wrapped = sessions("auto", RandomQuery(p=1.0, inner="auto"))
    assert plain.explain(7).trusted
    for node in range(25):
        assert wrapped.predict_proba_one(node) == plain.predict_proba_one(node)
        assert wrapped.explain(node).trusted == plain.explain(node).trusted
    assert wrapped.learner.calibrated
    assert wrapped.bound(LABELS).value == plain.bound(LABELS).value


def test_the_target_of_auto_shows_through_every_wrapper():
    for wrapper in wrappers_of(make("auto", target=0.1)).values():
        game = wrapper.start_game(GRID, 3, None, 0)
        for node in np.random.default_rng(1).integers(0, 25, 40).tolist():
            game.learn(node, "abc".index(LABELS[node]))
        assert game.remaining_error() is not None
        assert game.remaining_error(True) is not None


def test_a_guide_answers_only_for_what_is_missing():
    plain, guided = sessions("ollgc", Guided(make("ollgc"), "value"))
    assert [guided.variance(node) for node in range(25)] == [plain.variance(node) for node in range(25)]
    assert guided.standing.game.value(3, np.ones(25, dtype=np.bool_)) > 0


def test_a_restored_state_tosses_the_coins_of_the_saved_one():
    game, fresh = (RandomQuery(0.5).start_game(GRID, 3, None, 5) for _ in range(2))
    for node in range(7):
        game.learn(node, 0)
    fresh.restore(game.snapshot())
    assert [fresh.learnt.tolist(), game.learnt.tolist()] == [[7, 7, 7]] * 2
    assert fresh.asks(9).tolist() == game.asks(9).tolist()


def test_what_a_class_says_of_itself_is_what_its_defaults_say():
    assert (RandomQuery.growth, RandomQuery.multiclass) == ("carried", True)
    assert Forgetting.multiclass is True
    assert make("random", inner="halving").multiclass == make("halving").multiclass


@pytest.mark.parametrize(("base", "wrapper"), [(Game, WrappedGame), (Learner, Wrapped)])
def test_every_public_part_of_the_contract_is_passed_on(base, wrapper):
    public = [name for name in vars(base) if not name.startswith("_")]
    assert [name for name in public if name not in vars(wrapper)] == []
    assert not inspect.isabstract(WrappedGame)
    own = ("scores", "score", "learn", "teach", "evidence", "learn_in_order", "play", "start", "start_game")
    own += (
        "hand_over",
        "take_over",
        "scores_in_order",
        "twin",
        "keeping",
        "bound_so_far",
        "learn_reversibly",
    )
    for name in (name for name in public if inspect.isfunction(vars(base)[name]) and name not in own):
        assert vars(wrapper)[name].__doc__ == vars(base)[name].__doc__


class Pathless(ForgettingGame):
    """What was wrong once: the path is not passed on."""

    def trail(self, node, column):
        return ()


def test_the_contract_catches_a_wrapper_that_loses_a_part(monkeypatch):
    CHECKS[CHECK](make("longest-path"))
    monkeypatch.setattr("zerokelvin.learners.wrappers.forgetting.ForgettingGame", Pathless)
    with pytest.raises(ContractError, match="paths differ with forget"):
        CHECKS[CHECK](make("longest-path"))


@pytest.mark.parametrize(
    "part", ["chances", "trusted", "value", "remaining_error", "bound", "asks", "variance"]
)
def test_the_contract_looks_at_every_part(part, monkeypatch):
    """A wrapper that answers with the default of `Game` in one part only is found out."""

    class Deaf(RandomQuery):
        def start_game(self, graph, classes, prepared=None, seed=0):
            game = super().start_game(graph, classes, prepared, seed)
            known = {
                "value": 0.5,
                "asks": np.zeros(game.columns, dtype=np.bool_),
                "variance": 9.0,
                "trusted": {"me": 1.0},
            }
            known |= {"remaining_error": 0.5, "chances": np.full(3, 1 / 3), "bound": zk.Bound(0.5, "none")}
            monkeypatch.setattr(game, part, lambda *_values: known[part], raising=False)
            return game

    monkeypatch.setattr(wrappers, "RandomQuery", Deaf)
    with pytest.raises(ContractError, match="with random"):
        CHECKS[CHECK](make("gaussian"))

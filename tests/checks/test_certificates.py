"""No bound that holds is exceeded: the faults that were found, and games at random over all learners."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin import Graph, learners, load, play, start
from zerokelvin.bound import Assumption, Bound
from zerokelvin.checks import CHECKS, ContractError, certificate_game, certificate_games
from zerokelvin.checks.certificates import keep_bound, variants
from zerokelvin.checks.families import FAMILIES, draw_graph
from zerokelvin.learners.base import Learner, State

GAMES = {"auto": 60}


@pytest.mark.parametrize("name", learners.names())
def test_no_bound_that_holds_is_exceeded(name):
    games = list(certificate_games(name, GAMES.get(name, 150), seed=1))
    assert [game.settings for game in games if game.exceeded] == []


@pytest.mark.parametrize("name", ["nearest", "halving"])
def test_labels_that_contradict_each_other_void_a_bound(name):
    graph = Graph.from_edges([(0, 3), (1, 2), (1, 3)])
    run = play(graph, [1, 1, 1, 1], name, classes=[0, 1], repeats=6, label_noise=0.4, seed=15)
    assert run.mistakes > run.bound.value
    assert not run.bound.holds
    assert "no label contradicts the comparator" in str(run.bound)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["nearest", "halving", "perceptron"])
def test_a_game_can_be_played_again_from_its_text(name):
    for game in certificate_games(name, 40, seed=3):
        names = {"Graph": Graph, "play": play, "start": start, "load": load}
        if game.settings.startswith("play"):
            run = eval(game.settings, names)  # noqa: S307
            assert (run.mistakes, run.bound.value) == (game.mistakes, game.bound.value)
        elif "load" not in game.settings:
            *steps, asked = game.settings.split("; ")
            exec("\n".join(steps), names)  # noqa: S102
            assert names["session"].mistakes == game.mistakes
            assert eval(asked, names).value == game.bound.value  # noqa: S307


def test_games_depend_on_the_seed_and_their_number_alone():
    games = [list(certificate_games("shortest-path", 6, seed=2))[5] for _ in range(2)]
    assert games[0] == games[1]
    chosen = variants("shortest-path")[0]
    assert certificate_game(chosen, np.random.default_rng([2, 5])) == games[0]


def test_games_cover_everything_they_are_meant_to():
    told = " ".join(game.settings for game in certificate_games("shortest-path", 400))
    settings = {"label_noise", "concept_noise", "repeats", "drift", "delay", "budget", "policy", "forget"}
    steps = {"add_nodes", "add_edges", "correct", "skip", "load(", "order", "None", "num_nodes=1)"}
    policies = {"variance:", "value:", "margin:", "doubt:", "random:"}
    assert {word for word in settings | steps | policies if word not in told} == set()
    assert "classes=('a',)" in told
    assert "classes=('a', 'b', 'c')" in told
    assert {len(variants(name)) for name in learners.names()} >= {1, 2, 3}


@pytest.mark.parametrize("name", learners.names())
def test_variants_are_parameters_that_a_learner_takes(name):
    first, *others = variants(name)
    assert first == learners.make(name)
    assert all(type(other) is type(first) for other in others)


def test_graphs_cover_the_families():
    graphs = [draw_graph(np.random.default_rng(i)).graph for i in range(300)]
    assert {graph.num_nodes for graph in graphs} >= set(range(1, 13))
    assert any(graph.num_components > 1 for graph in graphs)
    spans = [graph.edge_weights.max() / graph.edge_weights.min() for graph in graphs if graph.num_edges]
    assert max(spans) > 1e9
    assert len(FAMILIES) >= 10


class _BoastfulState(State):
    def margin(self, node: int) -> float:
        return 0.0

    def update(self, node: int, label: int) -> None:
        pass

    def bound(self, labels: object) -> Bound:
        return Bound(1.0, "wishful thinking", {}, (Assumption("nothing", True),))


class _Boastful(Learner):
    name = "boastful"

    def start(self, graph: Graph, prepared: object = None, rng: object = None) -> State:
        return _BoastfulState()


def test_the_contract_finds_a_false_certificate():
    verdicts = [keep_bound(_Boastful(), seed) for seed in range(40)]
    assert any(verdict.fault and "wishful thinking" in verdict.fault for verdict in verdicts)
    assert not all(verdict.applies for verdict in verdicts)


class _Forgetful(_BoastfulState):
    def update(self, node: int, label: int) -> None:
        self.record.replace(0, np.array([node]), np.array([label]))


class _ForgetfulLearner(_Boastful):
    def start(self, graph: Graph, prepared: object = None, rng: object = None) -> State:
        return _Forgetful()


def test_the_contract_finds_a_record_with_gaps():
    check = CHECKS["every label that reaches a problem is on its record"]
    check(_Boastful())
    with pytest.raises(ContractError, match="not on the record"):
        check(_ForgetfulLearner())


def test_checks_are_shipped():
    assert zk.checks.certificate_games is certificate_games

"""The contract every learner keeps, as functions anyone can run over their own learner.

Each check takes a learner (parameters, not a state) and raises `ContractError` with one sentence
when a promise is broken. ``check_learner(MyLearner())`` runs them all; the test suite does so for
every registered learner, so a new learner is tested by being registered.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.checks.examples import Example, examples
from zerokelvin.checks.promises import PROMISES
from zerokelvin.errors import LabelError, NodeError
from zerokelvin.games import play
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner
from zerokelvin.registry import Registry
from zerokelvin.session import Session, load, start

__all__ = ["CHECKS", "ContractError", "check_learner"]

Check = Callable[[Learner], None]
CHECKS: Registry[Check] = Registry("check")

GAMES = 40  # of each promise; 'zerokelvin check' plays as many as one likes


class ContractError(AssertionError):
    """A learner broke a promise every learner makes."""


def check_learner(learner: Learner) -> None:
    """Run every check over a learner.

    >>> check_learner(learners.make("perceptron"))
    """
    for check in CHECKS.values():
        check(learner)


def _require(kept: bool, promise: str, learner: Learner, example: Example | None = None) -> None:
    if not kept:
        where = f" on {example.name}" if example else ""
        raise ContractError(f"learner '{learner.name}': {promise}{where}.")


@CHECKS.add("margins are 0 before any label")
def _zero_before(learner: Learner) -> None:
    for example in examples(learner):
        state = learner.start(example.graph, rng=np.random.default_rng(0))
        silent = all(state.margin(node) == 0 for node in range(example.graph.num_nodes))
        _require(silent, "a margin is not 0 before the first label", learner, example)


@CHECKS.add("predicting is pure")
def _pure(learner: Learner) -> None:
    for example in examples(learner):
        quiet, noisy = (learner.start(example.graph, rng=np.random.default_rng(0)) for _ in range(2))
        for node, label in example.binary_trials():
            for other in range(example.graph.num_nodes):
                first = (noisy.margin(other), noisy.ask(other))
                _require(
                    first == (noisy.margin(other), noisy.ask(other)),
                    "predicting twice differs",
                    learner,
                    example,
                )
            _require(
                quiet.margin(node) == noisy.margin(node), "predicting changed the state", learner, example
            )
            quiet.update(node, label)
            noisy.update(node, label)


@CHECKS.add("several margins are the margins one by one")
def _vectorised(learner: Learner) -> None:
    for example in examples(learner):
        state = learner.start(example.graph, rng=np.random.default_rng(0))
        nodes = np.arange(example.graph.num_nodes)
        for node, label in example.binary_trials():
            state.update(node, label)
            same = np.array_equal(state.margins(nodes), [state.margin(int(i)) for i in nodes])
            _require(same, "margins(nodes) differs from margin(node)", learner, example)


@CHECKS.add("the same seed gives the same game")
def _deterministic(learner: Learner) -> None:
    for example in examples(learner):
        one, two = (play(example.graph, example.labels, learner, seed=3, label_noise=0.2) for _ in range(2))
        same = np.array_equal(one.margins, two.margins) and np.array_equal(one.nodes, two.nodes)
        _require(same, "two games with one seed differ", learner, example)


@CHECKS.add("promises hold in games drawn at random")
def _promises(learner: Learner) -> None:
    for name, promise in PROMISES.items():
        for seed in range(GAMES):
            fault = promise(learner, seed).fault
            _require(fault is None, f"broke the promise '{name}' in {fault}", learner)


@CHECKS.add("a session survives saving and loading")
def _save_load(learner: Learner) -> None:
    for example in examples(learner):
        session = start(example.graph, learner, classes=example.classes, seed=2, policy="random:0.7")
        trials = example.named_trials()
        for node, label in trials[: len(trials) // 2]:
            session.learn(node, label)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "session.zk"
            session.save(path)
            loaded = load(path, example.graph)
        for node, label in trials[len(trials) // 2 :]:
            _require(
                session.predict(node) == loaded.predict(node), "a loaded session differs", learner, example
            )
            session.learn(node, label)
            loaded.learn(node, label)
        _require(_figures(session) == _figures(loaded), "a loaded session counts otherwise", learner, example)


@CHECKS.add("correcting equals having been right from the start")
def _correct(learner: Learner) -> None:
    for example in examples(learner):
        trials = example.named_trials()
        wrong_at = len(trials) // 3
        node, label = trials[wrong_at]
        wrong = next((c for c in example.classes if c != label), None)
        if wrong is None:
            continue
        right, mended = (start(example.graph, learner, classes=example.classes) for _ in range(2))
        last = max(i for i, trial in enumerate(trials) if trial[0] == node)
        for i, (name, truth) in enumerate(trials):
            right.learn(name, truth)
            mended.learn(name, wrong if i == last else truth)
        mended.correct(node, trials[last][1])
        _require(
            _view(right) == _view(mended), "a corrected session differs from a right one", learner, example
        )


@CHECKS.add("classes may appear as they come")
def _new_classes(learner: Learner) -> None:
    for example in examples(learner):
        known, found = start(example.graph, learner, classes=example.classes), start(example.graph, learner)
        for node, label in example.named_trials():
            known.learn(node, label)
            found.learn(node, label)
        if set(found.classes) == set(known.classes):
            _require(
                _view(known) == _view(found), "finding classes later changes predictions", learner, example
            )


@CHECKS.add("unknown nodes and labels are refused, and nothing is lost")
def _refusals(learner: Learner) -> None:
    for example in examples(learner):
        session = start(example.graph, learner, classes=example.classes)
        node, label = example.named_trials()[0]
        session.learn(node, label)
        before = _view(session)
        calls: tuple[tuple[Callable[..., Any], tuple[Any, ...], type[Exception]], ...] = (
            (session.predict, ("no such node",), NodeError),
            (session.learn, ("no such node", label), NodeError),
            (session.learn, (node, None), LabelError),
        )
        for call, arguments, error in calls:
            try:
                call(*arguments)
            except error:
                continue
            _require(False, f"{call.__name__}{arguments} is not refused", learner, example)
        _require(_view(session) == before, "a refused call changed the session", learner, example)


@CHECKS.add("one node and one class are enough")
def _smallest(learner: Learner) -> None:
    single = Graph.from_edges([], num_nodes=1)
    run = play(single, ["only"], learner)
    _require(run.mistakes == 0 and run.predictions.tolist() == ["only"], "one node, one class fails", learner)
    pair = play(single, [0], learner, classes=[0, 1], repeats=3)
    _require(pair.trials == 3 and pair.mistakes <= 3, "one node shown three times fails", learner)


@CHECKS.add("mistakes stay within the bound where its assumptions hold")
def _bounded(learner: Learner) -> None:
    for example in examples(learner):
        for seed in range(3):
            run = play(example.graph, example.labels, learner, seed=seed, label_noise=0.1 * seed)
            kept = run.bound.allows(run.mistakes) or not run.bound.holds
            _require(kept, f"{run.mistakes} mistakes exceed the bound {run.bound.value}", learner, example)


@CHECKS.add("parameters rebuild the learner")
def _parameters(learner: Learner) -> None:
    _require(
        learners.make(learner.name, **learner.params()) == learner, "params() do not rebuild it", learner
    )


def _figures(session: Session) -> tuple[int, int, int]:
    return session.mistakes, session.queries, session.trials


def _view(session: Session) -> tuple[Any, ...]:
    names = [session.graph.name(i) for i in range(session.graph.num_nodes)]
    return (_figures(session), *(session.predict(name) for name in names))

"""No bound that holds is ever exceeded: games at random, in everything that a user can do.

`certificate_game` draws a small graph, a labelling and a way to play: `play` with noise, repeats, drift,
delay, a budget, a policy or forgetting, or a session in which answers come twice, are corrected or skipped,
classes turn up late, the graph grows and the truth may be what was not predicted. It reports the mistakes and
the bound, with the text that plays the same game again. A bound that says it holds and is exceeded is a false
certificate.

`certificate_games` gives as many as wanted; game i depends on the seed and i alone. The contract plays some
of them over every learner, `zerokelvin check --promise certificates` as many as one likes.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.bound import Bound
from zerokelvin.checks.contract import CHECKS, ContractError
from zerokelvin.checks.examples import examples
from zerokelvin.checks.families import (
    draw_classes,
    draw_graph,
    draw_labels,
    draw_order,
    draw_policy,
    draw_weights,
)
from zerokelvin.checks.promises import PROMISES, Verdict
from zerokelvin.errors import ZerokelvinError
from zerokelvin.games import play
from zerokelvin.learners import Learner
from zerokelvin.learners.base.record import Record
from zerokelvin.learners.base.renumbered import RenumberedGame
from zerokelvin.session import load, start

__all__ = [
    "CertifiedGame",
    "certificate_game",
    "certificate_games",
    "keep_bound",
    "variants",
]

Rng = np.random.Generator


@dataclass(frozen=True)
class CertifiedGame:
    """One game: who played, how (as the text that plays it again), its mistakes and its bound."""

    learner: str
    settings: str
    mistakes: int
    bound: Bound

    @property
    def holds(self) -> bool:
        """Whether the bound is a promise for this game."""
        return self.bound.certain

    @property
    def exceeded(self) -> bool:
        """Whether that promise is broken: a false certificate."""
        return self.bound.is_broken_by(self.mistakes)


def certificate_games(learner: str | Learner, count: int, seed: int = 0) -> Iterator[CertifiedGame]:
    """Play `count` games; a name stands for the learner with each of its `variants` in turn.

    >>> games = list(certificate_games("perceptron", 20))
    >>> len(games), any(game.exceeded for game in games), any(game.holds for game in games)
    (20, False, True)
    """
    chosen = variants(learner)
    for i in range(count):
        yield certificate_game(chosen[i % len(chosen)], np.random.default_rng([seed, i]))


def variants(learner: str | Learner) -> list[Learner]:
    """The learner itself, or a named one with each set of parameters worth playing."""
    if isinstance(learner, Learner):
        return [learner]
    return [learners.make(learner, **params) for params in learners.LEARNERS[learner].variants]


def certificate_game(learner: Learner, rng: Rng) -> CertifiedGame:
    """Play one game drawn from `rng`; graphs and settings that the learner refuses are drawn again."""
    for _ in range(100):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # extreme weights are announced, which is not what is tested
                return _session(learner, rng) if rng.random() < 0.4 else _play(learner, rng)
        except ZerokelvinError:
            continue
    raise ContractError(f"learner '{learner.name}' refuses every small graph that is drawn.")


def _play(learner: Learner, rng: Rng) -> CertifiedGame:
    """A game by `play`; some labels may be unknown."""
    drawn, classes = draw_graph(rng), draw_classes(rng)
    labels: list[Any] = list(draw_labels(drawn.graph, classes, rng))
    if rng.random() < 0.2:
        labels[1:] = [None if rng.random() < 0.3 else label for label in labels[1:]]
    known = [i for i, label in enumerate(labels) if label is not None]
    settings = _settings(len(known), rng)
    if rng.random() < 0.6:
        settings["order"] = draw_order(drawn.graph, known, rng)
    run = play(drawn.graph, labels, learner, classes=classes, **settings)
    told = _told({"classes": classes} | settings)
    text = f"play({drawn.text}, {labels}, {_made(learner)}, {told})"
    return CertifiedGame(learner.name, text, run.mistakes, run.bound)


def _settings(trials: int, rng: Rng) -> dict[str, Any]:
    """Nothing, one or two things, or many out of the ordinary."""
    chances: dict[str, Callable[[], Any]] = {
        "label_noise": lambda: float(rng.choice([0.05, 0.2, 0.4])),
        "concept_noise": lambda: float(rng.choice([0.1, 0.3])),
        "repeats": lambda: int(rng.integers(2, 7)),
        "drift": lambda: int(rng.integers(1, 4)),
        "delay": lambda: int(rng.integers(1, trials + 2)),
        "budget": lambda: int(rng.integers(0, trials + 1)),
        "policy": lambda: draw_policy(rng),
        "forget": lambda: int(rng.integers(1, trials + 2)),
    }
    wild = rng.choice([0.0, 0.12, 0.4])
    chosen = {name: draw() for name, draw in chances.items() if rng.random() < wild}
    if rng.random() < 0.2:  # a node is then shown with two labels
        chosen |= {name: chances[name]() for name in ("label_noise", "repeats")}
    return {"seed": int(rng.integers(1000)), **chosen}


def _session(learner: Learner, rng: Rng) -> CertifiedGame:
    """A game by a session that is told every label, with noise, spite and oddities between the answers."""
    drawn, classes = draw_graph(rng), draw_classes(rng)
    truth = list(draw_labels(drawn.graph, classes, rng))
    settings: dict[str, Any] = {"seed": int(rng.integers(1000))}
    if rng.random() < 0.5:
        settings["classes"] = classes
    for name, draw in (
        ("policy", lambda: draw_policy(rng)),
        ("budget", lambda: int(rng.integers(0, len(truth) + 1))),
        ("forget", lambda: int(rng.integers(1, len(truth) + 2))),
    ):
        if rng.random() < 0.12:
            settings[name] = draw()
    session = start(drawn.graph, learner, **settings)
    steps: list[str] = []

    def do(name: str, *arguments: Any) -> None:
        getattr(session, name)(*arguments)
        steps.append(f"session.{name}({', '.join(map(repr, arguments))})")

    noise, oddity = float(rng.choice([0.0, 0.0, 0.2])), float(rng.choice([0.0, 0.05, 0.3]))
    spite = int(rng.choice([0, 1, 2, 100]))  # how often the truth is whatever was not predicted
    queue = draw_order(drawn.graph, range(len(truth)), rng)
    while queue:
        node = queue.pop(0)
        others = [c for c in classes if c != session.predict(node).label]
        if spite > 0 and others and rng.random() < 0.7:
            truth[node] = others[int(rng.integers(len(others)))]
            spite -= 1
        lie = rng.random() < noise
        do("learn", node, classes[int(rng.integers(len(classes)))] if lie else truth[node])
        if rng.random() >= oddity:
            continue
        odd = int(rng.integers(5))
        if odd == 0 and queue:
            do("skip", queue.pop(0))
        elif odd == 1:
            taken = bool(rng.random() < 0.3)
            do("correct", node, None if taken else classes[int(rng.integers(len(classes)))])
        elif odd == 2:
            do("learn", node, classes[int(rng.integers(len(classes)))])
        elif odd == 3 and len(truth) < 40:
            queue += _grow(truth, do, classes, rng)
        elif odd == 4:
            session = _reloaded(session)
            steps.append("session.save('game.zk'); session = load('game.zk', session.graph)")
    if not session.classes:
        do("learn", 0, truth[0])
    found = set(session.classes)
    comparator = _comparator(truth, sorted(found), rng)
    told = f"session = start({drawn.text}, {_made(learner)}, {_told(settings)})"
    text = "; ".join([told, *steps, f"session.bound({comparator})"])
    return CertifiedGame(learner.name, text, session.mistakes, session.bound(comparator))


def _grow(truth: list[Any], do: Any, classes: Any, rng: Rng) -> list[int]:
    """Add nodes, edges or both; the nodes that are new."""
    count = len(truth)
    new = int(rng.integers(0, 3))
    edges = [(int(i), int(j)) for i, j in rng.integers(count + new, size=(int(rng.integers(4)), 2)) if i != j]
    weights = draw_weights(len(edges), rng)
    if new:
        do("add_nodes", new, edges, weights)
    else:
        do("add_edges", edges, weights)
    truth += [classes[int(rng.integers(len(classes)))] for _ in range(new)]
    return list(range(count, count + new))


def _reloaded(session: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.zk"
        session.save(path)
        return load(path, session.graph)


def _comparator(truth: list[Any], found: list[Any], rng: Rng) -> list[Any]:
    """What to compare with: the truth, part of it, or anything else."""
    kind = rng.random()
    if kind < 0.6:
        return [label if label in found else None for label in truth]
    if kind < 0.8:
        return [label if label in found and rng.random() < 0.6 else None for label in truth]
    return [found[int(rng.integers(len(found)))] for _ in truth]


def _made(learner: Learner) -> str:
    if learner.name not in learners.names() or type(learners.make(learner.name)) is not type(learner):
        return repr(learner)  # a wrapper, or a learner that is not registered
    plain = type(learner)()
    params = {name: value for name, value in learner.params().items() if plain.params()[name] != value}
    return ", ".join([repr(learner.name), *(f"{name}={value!r}" for name, value in params.items())])


def _told(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())


@CHECKS.add("every label that reaches a problem is on its record")
def _recorded(learner: Learner) -> None:
    for example in examples(learner):
        for delay, budget, limit in ((0, 10**6, np.inf), (2, 10**6, 0.3), (0, 3, np.inf)):
            trials = example.trials(delay, budget, limit)
            game = learner.start_game(example.graph, max(2, trials.signs.shape[1]))
            asked = game.play(trials).asked
            nodes = game.ranks[trials.nodes] if isinstance(game, RenumberedGame) else trials.nodes
            for c, record in enumerate(getattr(game, "records", tuple)()):
                # a problem learns what it asked for, or all that came
                ways = (asked[:, c], asked.any(axis=1))
                _require_record(learner, record, *((nodes[w], trials.signs[w, c]) for w in ways))
        state = learner.start(example.graph, rng=np.random.default_rng(0))
        for node, label in example.binary_trials():
            state.update(node, label)
        shown = tuple(np.array(example.binary_trials(), dtype=np.int64).T)
        _require_record(learner, state.record, shown)
        if arrays := state.snapshot():
            twin = learner.start(example.graph, rng=np.random.default_rng(0))
            twin.restore(arrays)
            inner = getattr(twin, "inner", twin)  # a wrapper may leave restoring to the state it wraps
            _require_record(learner, twin.record if len(twin.record) else inner.record, shown)


def _require_record(learner: Learner, record: Record, *ways: Any) -> None:
    if not any(np.array_equal(record.nodes, n) and np.array_equal(record.labels, y) for n, y in ways):
        raise ContractError(f"learner '{learner.name}': a label that was learnt is not on the record.")


@PROMISES.add("certificates")
def keep_bound(learner: Learner, seed: int) -> Verdict:
    """Whether the game of this number stays within its bound; it says nothing where the bound is none."""
    plain = learner.name in learners.names() and learner == learners.make(learner.name)
    chosen = variants(learner.name if plain else learner)
    game = certificate_game(chosen[seed % len(chosen)], np.random.default_rng([seed]))
    told = f"{game.mistakes} mistakes, and it is said to hold that there are {game.bound}, in {game.settings}"
    return Verdict(game.holds, told if game.exceeded else None)

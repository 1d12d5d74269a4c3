"""The contract of wrappers: where a wrapper has nothing to change, it is its inner learner in every part.

Four wrappers may stand around any learner: random questions (`random`), forgetting (`forget=`), a guide that
tells the policy what the learner cannot, and one that seeks a class (`find`). With p = 1, with a window
longer than the game and with a policy that asks for everything they change nothing, so every part of a
session must be that of a session of the inner learner: margins, predictions, probabilities, experts,
explanations with their path, remark and attributes, variance, value, estimates, bounds, what would be after
an answer that is only supposed, saved states, and the same again after loading and on a grown graph.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.checks.contract import CHECKS, ContractError
from zerokelvin.checks.examples import Example, examples
from zerokelvin.graph import Graph
from zerokelvin.learners import LEARNERS, Learner
from zerokelvin.learners.wrappers.forgetting import Forgetting
from zerokelvin.learners.wrappers.guided import Guided
from zerokelvin.learners.wrappers.random_query import RandomQuery
from zerokelvin.learners.wrappers.seeking import Seeking
from zerokelvin.session import Session, load, start

__all__ = ["wrappers_of"]

TOLD = (
    "multiclass",
    "has_variance",
    "has_value",
    "takes_features",
    "takes_attributes",
    "calibrated",
    "growth",
)
OWN = (("guide", "has_variance"), ("guide", "has_value"), ("find", "has_value"), ("forget", "growth"))
"""What a wrapper says of itself."""

LONG = 10**6
"""A window longer than any game of the examples."""


def wrappers_of(learner: Learner) -> dict[str, Learner]:
    """The learner inside every wrapper that changes nothing, where it may stand inside.

    >>> from zerokelvin.learners import make
    >>> list(wrappers_of(make("pounce")))
    ['random', 'forget', 'guide', 'find']
    """
    found: dict[str, Learner] = {}
    if not isinstance(learner, RandomQuery):
        known = LEARNERS.get(learner.name)
        named = known is type(learner) and known() == learner
        found["random"] = RandomQuery(p=1.0, inner=learner.name if named else learner)
    if isinstance(learner, (Forgetting, Guided, Seeking)):  # a session puts them on the outside, each once
        return found
    others = {"forget": Forgetting(learner, LONG), "guide": Guided(learner, "variance")}
    return found | others | {"find": Seeking(learner)}


@CHECKS.add("a wrapper that changes nothing passes everything on")
def _transparent(learner: Learner) -> None:
    for name, wrapper in wrappers_of(learner).items():
        for trait in TOLD:
            if (name, trait) not in OWN and getattr(wrapper, trait) != getattr(learner, trait):
                raise ContractError(f"learner '{learner.name}': {trait} is another with {name}.")
        for example in (e for e in examples(learner) if e.name != "a line"):
            graph = _known_graph(learner, example)
            plain, wrapped = (
                start(graph, each, classes=example.classes, seed=4) for each in (learner, wrapper)
            )
            trials = example.named_trials()
            for t, (node, label) in enumerate(trials):
                plain.learn(node, label)
                wrapped.learn(node, label)
                if t in (0, len(trials) // 2, len(trials) - 1):
                    _compare(plain, wrapped, name, example)
            _compare(plain, _loaded(wrapped), f"{name}, loaded,", example)
            if name != "forget":  # its growth is exact, whatever the learner's
                for session in (plain, wrapped):
                    _grow(session)
                _compare(plain, wrapped, f"{name}, grown,", example)


def _known_graph(learner: Learner, example: Example) -> Graph:
    """The graph of an example; of three classes, with attributes for learners that take them."""
    if not learner.takes_attributes or example.num_classes < 3:
        return example.graph
    known = np.random.default_rng(3).normal(size=(example.graph.num_nodes, 2))
    return example.graph.with_attributes(known)


def _compare(plain: Session, wrapped: Session, name: str, example: Example) -> None:
    """Refuse any part in which two sessions differ."""
    learner, ours, theirs = plain.learner, _parts(plain, example), _parts(wrapped, example)
    if name.startswith("guide"):
        kept = zip(ours["remarks"], theirs["remarks"], strict=True)
        theirs["remarks"] = [said[: len(own)] for own, said in kept]  # it adds a clause of its own
        for trait in ("variance", "value"):
            if not getattr(learner, f"has_{trait}"):
                theirs[trait] = []  # here the guide answers
    if name.startswith("find"):
        theirs["value"] = ours["value"]  # how likely the class sought is
    for part, own in ours.items():
        if repr(own) != repr(theirs[part]):
            raise ContractError(f"learner '{learner.name}': {part} differ with {name} on {example.name}.")
    saved, own = wrapped.standing.game.snapshot(), plain.standing.game.snapshot()
    if saved and not all(key in saved and np.array_equal(saved[key], array) for key, array in own.items()):
        raise ContractError(f"learner '{learner.name}': snapshots differ with {name} on {example.name}.")


def _parts(session: Session, example: Example) -> dict[str, Any]:
    """All that a session says, by the name of the part, in Python's own values."""
    nodes = range(session.graph.num_nodes)
    names = [session.graph.name(i) for i in nodes]
    game, learner = session.standing.game, session.learner
    with session.supposing([(names[-1], session.classes[0])], [(names[0], session.classes[-1])]) as other:
        supposed = other.standing.game.scores(np.arange(len(nodes))).tolist(), other.trials
    shown, explained = [session.predict(n) for n in names], [session.explain(n) for n in names]
    waiting = np.ones(len(nodes), dtype=np.bool_)
    chances = [game.chances(i) for i in nodes]
    bound = session.bound(dict(zip(names, example.labels, strict=False)))
    return {
        "margins": [game.score(i).tolist() for i in nodes],
        "margins at once": game.scores(np.arange(len(nodes))).tolist(),
        "predictions": [(p.label, p.margin, p.scores, p.confidence, p.ask) for p in shown],
        "predictions of all": session.predict_all().tolist(),
        "probabilities": [session.predict_proba_one(n) for n in names],
        "chances": [None if row is None else row.tolist() for row in chances],
        "experts": (game.trusted(), [e.trusted for e in explained]),
        "contributions": [e.contributions for e in explained],
        "attributes": [game.attribute_shares(i, column) for column in range(game.columns) for i in nodes],
        "supposed": supposed,
        "paths": [e.path for e in explained],
        "remarks": [game.remark(i, column) for column in range(game.columns) for i in nodes],
        "questions": ([game.asks(i, i).tolist() for i in nodes], session.open_questions()),
        "variance": [float(game.variance(i)) for i in nodes] if learner.has_variance else [],
        "value": [float(game.value(i, waiting)) for i in nodes] if learner.has_value else [],
        "estimates": (game.remaining_error(), game.remaining_error(True), session.remaining_error),
        "bounds": (bound.value, bound.theorem, dict(bound.terms), bound.holds),
        "figures": (session.mistakes, session.queries, session.trials),
    }


def _loaded(session: Session) -> Session:
    """The session after saving and loading; itself around a learner that a file cannot name."""
    nameless = isinstance(session.learner, RandomQuery) and not isinstance(session.learner.inner, str)
    if nameless or isinstance(session.learner, (Guided, Seeking)):  # a file knows these by their policy
        return session
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.zk"
        session.save(path)
        return load(path, session.graph)


def _grow(session: Session) -> None:
    """Let the graph grow by a node."""
    named = session.graph.names is not None
    (new,) = session.add_nodes(["new"] if named else 1)
    session.add_edges([(session.graph.name(0), new)])

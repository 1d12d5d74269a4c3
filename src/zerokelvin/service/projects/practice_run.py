"""Doing once, on a session that is thrown away, what a new project will be asked for.

Inner loops are compiled when they are first used, which takes from seconds to a minute, once per
installation. Nobody who predicts or labels is to wait for that, so it is done while the project is made.
"""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from zerokelvin.errors import ZerokelvinError
from zerokelvin.graph import Graph
from zerokelvin.session import Session, start
from zerokelvin.session.predicting import shares_of

__all__ = ["first_use", "practise", "practising", "preload"]

ANSWERS = 3
_done: set[tuple[str, str, int, bool, bool]] = set()
_busy = threading.Lock()
_first: list[str] = []  # learners that are started for the first time in this process, now


def practise(session: Session) -> None:
    """Let a session that is not needed any more predict, learn, ask and correct; once for each kind of it."""
    kind = (
        session.learner.name,
        str(session.policy),
        min(len(session.classes), 3),
        session.graph.names is None,
        session.graph.attributes is not None,
    )
    with _busy:
        if kind in _done:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with suppress(ZerokelvinError):  # what it refuses here it refuses whoever asks, who is then told
                _play(session)
        _done.add(kind)


@contextmanager
def first_use(learner: str) -> Iterator[None]:
    """While a session is started, which compiles too: note it if no other of its learner has practised."""
    new = all(learner != done[0] for done in _done)
    if new:
        _first.append(learner)
    try:
        yield
    finally:
        if new:
            _first.remove(learner)


def practising() -> bool:
    """Whether something is done for the first time or practised now: on a new installation, compiled."""
    return _busy.locked() or bool(_first)


def preload() -> None:
    """Import what projects need, so that the first one is woken at once."""
    line = Graph.from_edges([("a", "b"), ("b", "c")])
    practise(start(line, "nearest", classes=["x", "y"]))


def _play(session: Session) -> None:
    graph = session.graph
    nodes = [graph.name(i) for i in range(min(graph.num_nodes, ANSWERS))]
    for i, node in enumerate(nodes):
        shown = session.predict(node)
        session.predict_proba_one(node)
        session.learn(node, session.classes[i % len(session.classes)], shown=shown)
    session.learn_many([(node, session.classes[0]) for node in nodes])
    session.teach([(node, session.classes[0]) for node in nodes])
    session.predict_many(nodes)
    shares_of(session.standing, graph.name_order[:2])
    session.open_questions(1)
    session.correct(nodes[-1], None)
    copy.copy(session).predict(nodes[0])

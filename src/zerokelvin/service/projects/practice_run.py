"""Doing once, on a session that is thrown away, what a new project will be asked for.

Inner loops are compiled when they are first used, which takes from seconds to a minute, once per
installation. Nobody who predicts or labels is to wait for that, so it is done while the project is made.
"""

from __future__ import annotations

import copy
import threading
import warnings
from contextlib import suppress

from zerokelvin.errors import ZerokelvinError
from zerokelvin.graph import Graph
from zerokelvin.session import Session, start
from zerokelvin.session.predicting import shares_of

__all__ = ["practise", "practising", "preload"]

ANSWERS = 3
_done: set[tuple[str, str, int, bool]] = set()
_busy = threading.Lock()


def practise(session: Session) -> None:
    """Let a session that is not needed any more predict, learn, ask and correct; once for each kind of it."""
    kind = (
        session.learner.name,
        str(session.policy),
        min(len(session.classes), 3),
        session.graph.names is None,
    )
    with _busy:
        if kind in _done:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with suppress(ZerokelvinError):  # what it refuses here it refuses whoever asks, who is then told
                _play(session)
        _done.add(kind)


def practising() -> bool:
    """Whether something is being practised now: on a new installation, compiled."""
    return _busy.locked()


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
    shares_of(session._now(), graph.name_order[:2])
    session.open_questions(1)
    session.correct(nodes[-1], None)
    copy.copy(session).predict(nodes[0])

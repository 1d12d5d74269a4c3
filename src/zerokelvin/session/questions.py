"""Which questions a session still has: the nodes whose label is worth asking for now.

A session asks by its policy, its learner's own rule and its budget. `open_questions` puts every node without
an answer to that test, as if it came next; an empty list is the state "nothing left worth asking": the budget
is spent, every node is answered, or the learner is sure of the rest.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from zerokelvin.learners.asking import confidence
from zerokelvin.session.prediction import LEARN

if TYPE_CHECKING:
    from zerokelvin.session.session import Session

__all__ = ["open_questions"]


def open_questions(session: Session, limit: int | None = None) -> list[Hashable]:
    """The nodes worth asking about now, the least sure first, at most `limit` of them.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.session import start
    >>> line = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    >>> session = start(line, "ollgc", classes=["no", "yes"], policy="doubt:0.2", mu=0.01)
    >>> session.learn("a", "no")
    >>> session.learn("d", "yes")
    >>> session.open_questions()
    ['b', 'c']
    >>> session.budget = session.queries  # nothing left to spend
    >>> session.open_questions()
    []
    """
    answered = {event.node for event in session.events if event.kind == LEARN}
    waiting = [node for node in range(session.graph.num_nodes) if node not in answered]
    if not session.classes:
        found = [(0.0, node) for node in waiting] if session.budget != 0 else []
    else:
        margins = np.atleast_2d(session._all_margins())
        sure = {node: confidence(margins[node]) for node in waiting}
        found = [(sure[node], node) for node in waiting if session._wants(node, margins[node])]
    found.sort()
    return [session.graph.name(node) for _, node in found[:limit]]

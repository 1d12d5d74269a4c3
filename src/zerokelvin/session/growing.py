"""A session whose graph grows while learning goes on.

Nodes and edges may be added at any time. The session then has a new graph, on which old nodes keep their
index, and its learner follows (`zerokelvin.learners.growth`): for an ``"exact"`` learner every prediction is
from then on that of a session started on the new graph and told the same answers in the same order, for a
``"carried"`` one what was learnt is expressed on the new graph.

What was predicted on the smaller graph stays so: `mistakes`, `queries` and `trials` are kept, and correcting
an answer later, which replays all answers on the present graph, recounts only the trials since the last
growth. A bound speaks of a game on one graph; once a growth follows an answer it is marked as no guarantee,
unless it outlives growth, as the perceptron's does.

A growth that is refused, by the graph or by the learner, leaves the session as it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.learners.growth import Growth
from zerokelvin.session.labels import to_signs
from zerokelvin.session.prediction import LEARN

if TYPE_CHECKING:
    from zerokelvin.session.session import Session

__all__ = ["extend"]


def extend(session: Session, nodes: int | Iterable[Hashable], edges: Any, weights: Any) -> list[Hashable]:
    """Let the graph of a session grow; the names of its new nodes."""
    old = session.graph
    graph = old.extended(nodes, edges, weights)
    if not (np.array_equal(graph.indptr, old.indptr) and np.array_equal(graph.weights, old.weights)):
        _follow(session, graph)
    return [graph.name(i) for i in range(old.num_nodes, graph.num_nodes)]


def _follow(session: Session, graph: Graph) -> None:
    """Put a session on a grown graph."""
    session.learner.check_domain(graph)
    prepared = session.learner.prepare(graph)
    problems = session._problems
    heir = session.learner.start_problems(graph, len(problems.states), prepared, session.seed)
    if session._counts.any():
        problems.hand_over(heir, Growth(session.graph, graph, lambda: _answers(session)))
    known = [event.node for event in session.events if event.kind == LEARN]  # edges may have gone too
    session._labelled = np.zeros(graph.num_components, dtype=np.bool_)
    session._labelled[graph.components[known]] = True
    session.graph, session._prepared, session._problems = graph, prepared, heir
    session._settled = len(session.events)


def _answers(session: Session) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    code = {label: i for i, label in enumerate(session.classes)}
    learnt = [(event.node, code[event.label]) for event in session.events if event.kind == LEARN]
    nodes, codes = np.array(learnt, dtype=np.int64).T
    return np.ascontiguousarray(nodes), to_signs(np.ascontiguousarray(codes), len(session.classes))

"""From a graph and some labels to a table of the rest: what every other node is, or what to review next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from zerokelvin.errors import LabelError
from zerokelvin.experiments.predictions.evaluation import taught_session
from zerokelvin.experiments.predictions.prediction_columns import PredictionColumns, predict_columns
from zerokelvin.games.labels import class_array, encode_labels
from zerokelvin.graph import Graph
from zerokelvin.io.formats.result_tables import Column
from zerokelvin.learners import Learner, make
from zerokelvin.session import Session

__all__ = ["prediction_parts", "question_table", "start_from_labels"]

Part = dict[str, Column]


def start_from_labels(
    graph: Graph,
    labels: Any,
    learner: str | Learner = "auto",
    *,
    params: Mapping[str, Any] | None = None,
    policy: str | None = "value",
    seed: int = 0,
) -> Session:
    """A session that was taught all known labels; its classes are those that occur.

    Examples
    --------
    >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
    >>> session = start_from_labels(line, {"ann": "fraud", "dan": "ok"}, "longest-path")
    >>> [part["label"].tolist() for part in prediction_parts(session)]
    [['fraud', 'ok']]
    """
    chosen = make(learner, **(params or {}))
    labelling = encode_labels(graph, labels)
    if len(labelling.known) == 0:
        raise LabelError("no node has a label; give at least one label.")
    chosen.check_domain(graph)
    return taught_session(graph, labelling, labelling.known, chosen, policy, seed)


def prediction_parts(session: Session, progress: Callable[[int, int], None] | None = None) -> Iterator[Part]:
    """The columns node, label, probability, ask and reason of every node without a label, part by part."""
    free = np.ones(session.graph.num_nodes, dtype=np.bool_)
    free[[event.node for event in session.events]] = False
    nodes, done = np.flatnonzero(free), 0
    if len(nodes) == 0:
        raise LabelError("every node has a label already; nothing is left to predict.")
    if progress is not None:
        progress(0, len(nodes))
    for found in predict_columns(session, nodes):
        yield _part(session, found)
        done += len(found.nodes)
        if progress is not None:
            progress(done, len(nodes))


def question_table(session: Session, limit: int | None = None, order: str = "policy") -> Part:
    """The nodes to ask about next, the most urgent first, with the same columns."""
    names = session.open_questions(limit, order)
    nodes = np.array([session.graph.index(name) for name in names], dtype=np.int64)
    parts = [_part(session, found) for found in predict_columns(session, nodes)]
    if not parts:
        return {"node": [], "label": [], "probability": [], "ask": [], "reason": []}
    return {name: [value for part in parts for value in _values(part[name])] for name in parts[0]}


def _part(session: Session, found: PredictionColumns) -> Part:
    graph = session.graph
    names: Column = found.nodes if graph.names is None else [graph.names[i] for i in found.nodes.tolist()]
    return {
        "node": names,
        "label": class_array(session.classes)[found.codes],
        "probability": found.shares[np.arange(len(found.nodes)), found.codes],
        "ask": found.asks,
        "reason": found.reasons,
    }


def _values(column: Column) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)

"""A session that begins with a whole game: many labels in hand, the learner asking for those it wants.

The learner plays them as `zerokelvin.games.play` has it play, compiled where it can, and the session is then
where predicting, learning or skipping node by node would have brought it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from zerokelvin.asking.class_prior import follow_prior
from zerokelvin.games.class_names import refuse_stranger
from zerokelvin.games.game import make_trials
from zerokelvin.games.labels import decide, to_signs
from zerokelvin.session.opening import start
from zerokelvin.session.prediction import LEARN, SKIP, Event, Outcome
from zerokelvin.session.session import Session
from zerokelvin.session.standing import Standing

__all__ = ["start_played"]


def start_played(trials: Sequence[tuple[int, Hashable]], *terms: Any, **named: Any) -> Session:
    """A session, opened by `start` with the other arguments, over pairs of node index and label.

    Each is predicted in turn; its label is learnt where it is asked for, else the node is skipped. The labels
    must be among the classes of the session.

    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem")])
    >>> session = start_played([(0, "ok"), (2, "ok")], line, "longest-path", classes=["fraud", "ok"])
    >>> session.predict("bob").label, session.trials, session.queries
    ('ok', 2, 2)
    """
    session = start(*terms, **named)
    for node, label in trials:
        refuse_stranger(label, session.classes, session.graph.name(node))
    if trials:
        nodes, labels = zip(*trials, strict=True)
        _play(session._now(), np.array(nodes, dtype=np.int64), labels)
    return session


def _play(standing: Standing, nodes: Any, labels: Sequence[Hashable]) -> None:
    """Play a standing that has just begun; if interrupted, it is no longer intact."""
    graph, terms, count = standing.graph, standing.terms, len(standing.classes)
    codes = np.array([standing.codes[label] for label in labels], dtype=np.int64)
    trials = make_trials(
        graph, nodes, to_signs(codes, count), terms.policy, terms.seed, budget=standing.budget
    )
    standing.intact = False
    trace = standing.game.play(trials)
    by_margin = decide(trace.margins, count)
    predicted = by_margin.copy()
    asked = np.asarray(trace.asked.any(axis=1), dtype=np.bool_)
    follow_prior(nodes, codes, asked, 0, graph.components, count, predicted)
    events, outcomes = [], []
    for t, (node, label) in enumerate(zip(nodes.tolist(), labels, strict=True)):
        asks = trace.asked[t]
        if not asks.any():
            events.append(Event(SKIP, node, None))
            outcomes.append(Outcome())
            continue
        events.append(Event(LEARN, node, label))
        overruled = bool(predicted[t] != by_margin[t])
        found = Outcome(standing.classes[predicted[t]], True, overruled, standing.left_out(asks))
        outcomes.append(found)
    standing.note(events, outcomes)
    standing.intact = True

"""Which questions a session still has: the nodes whose label it may ask for now, the most urgent first.

A session asks by its policy, its learner's own rule and its budget. `open_questions` lists every node without
an answer that may be asked for where the session stands. What a policy measures decides, never the coin of a
trial: with ``margin:B`` or ``random:P`` every node may be asked for, if seldom, and the list is ordered by
what they measure. The other policies toss no coin, so the list holds the nodes whose prediction says ``ask``.

| policy | most urgent first |
|---|---|
| ``always``, ``random``, ``margin`` | the least confidence |
| ``variance`` | the largest variance |
| ``doubt`` | the largest deviation √variance over confidence |
| ``value`` | the largest value |

An empty list says that nothing is left to ask: the budget is spent, every node is answered, or no coin makes
policy and learner ask for any of the rest. Answers and skips to come may change that, where a threshold moves
with the number of trials (``variance``, ``doubt``, `sslgc`, `bbq`).
"""

from __future__ import annotations

from collections.abc import Hashable

from zerokelvin.asking.decision import confidence
from zerokelvin.games.counts import require_whole
from zerokelvin.session.predicting import all_margins
from zerokelvin.session.prediction import SKIP
from zerokelvin.session.standing import Standing

__all__ = ["questions"]


def questions(standing: Standing, limit: int | None = None) -> list[Hashable]:
    """The nodes that may be asked for where a session stands, the most urgent first, at most `limit` of them.

    Of equally urgent nodes, the first by name comes first.
    """
    most = None if limit is None else require_whole("limit", limit)
    if standing.spent:
        return []
    answered = {event.node for event in standing.events if event.kind != SKIP}
    waiting = [node for node in standing.graph.name_order.tolist() if node not in answered]
    if not standing.classes:
        return [standing.graph.name(node) for node in waiting[:most]]
    found = []
    margins, policy = all_margins(standing), standing.terms.policy
    begun, coming = bool(standing.counts.any()), standing.waiting()
    for node in waiting:
        spread = standing.spread(node, coming) if begun else 0.0
        if standing.may_ask(node, margins[node], spread):
            found.append((-policy.urgency(confidence(margins[node]), spread), node))
    found.sort(key=lambda question: question[0])
    return [standing.graph.name(node) for _, node in found[:most]]

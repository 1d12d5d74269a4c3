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
| ``value`` | the largest value, with `auto` and `gaussian` in blocks by near value |
| ``find`` | the largest probability of the class sought |
| ``costs`` | the largest expected cost of deciding without the label |

Another order may be wanted: by how much nodes are suspected of a class (`Session.rank`), whatever the policy.

An empty list says that nothing is left to ask: the budget is spent, every node is answered, or no coin makes
policy and learner ask for any of the rest. Answers and skips to come may change that, where a threshold moves
with the number of trials (``variance``, ``doubt``, `sslgc`, `bbq`).

What is compared is computed for all nodes in compiled calls: the margins where the confidence matters, the
values by `Game.most_valued`, which looks at no more nodes than it must. The learner's own rule is asked last,
in the order of urgency, and only until the list is long enough. A list holds what looking at every node by
itself would give; of values, a block of nodes at a time is compared, those first that seem to promise most
(`learners.gaussian.influence`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.asking.coin_hash import LEAST_COIN
from zerokelvin.asking.decision import confidences, worth_asking
from zerokelvin.asking.find import sought_code
from zerokelvin.asking.policies import Policy
from zerokelvin.games.counts import require_whole
from zerokelvin.learners.wrappers.seeking import rarest_class
from zerokelvin.registry import Registry
from zerokelvin.session.predicting import all_margins, ranked
from zerokelvin.session.prediction import SKIP
from zerokelvin.session.standing import Standing

__all__ = ["questions"]


ORDERS: Registry[bool] = Registry("order")
"""Orders in which questions may be wanted: whether they go by suspicion."""
ORDERS.add(POLICY := "policy")(False)
ORDERS.add("suspicion", "[CLASS]")(True)

BEGIN = 64
"""How many nodes of the largest value are looked for at first, where the learner has a rule of its own."""


def questions(standing: Standing, limit: int | None = None, order: str = POLICY) -> list[Hashable]:
    """The nodes that may be asked for where a session stands, the most urgent first, at most `limit` of them.

    Of equally urgent nodes, the first by name comes first. `order` may be ``"suspicion"`` or
    ``"suspicion:CLASS"`` instead of ``"policy"``.
    """
    most = None if limit is None else require_whole("limit", limit)
    if order != POLICY:
        label, open_now = _suspected(standing, order), set(questions(standing))
        if label is None or not open_now:
            return questions(standing, most)
        return [name for name in ranked(standing, label, None) if name in open_now][:most]
    if standing.spent or most == 0:
        return []
    waiting = _unanswered(standing)
    if not standing.classes:
        return [standing.graph.name(node) for node in waiting[:most].tolist()]
    found: list[Hashable] = []
    for node in _by_urgency(standing, waiting, most):
        if not standing.counts.any() or standing.game.may_ask(node, standing.trials):
            found.append(standing.graph.name(node))
            if len(found) == most:
                break
    return found


def _suspected(standing: Standing, order: str) -> Hashable | None:
    """The class by whose probability an order goes; None where none is known yet."""
    written = ORDERS.split(order)[1]
    classes, label = standing.classes, written or getattr(standing.terms.policy, "label", None)
    if not classes:
        return None
    if label is not None:
        code = sought_code(label, classes, standing.terms.closed or bool(written))
        return None if code is None else classes[code]
    return classes[min(rarest_class(standing.lessons(standing.events)[1], len(classes)), len(classes) - 1)]


def _unanswered(standing: Standing) -> Ints:
    """The nodes without an answer, by name."""
    free = np.ones(standing.graph.num_nodes, dtype=np.bool_)
    free[[event.node for event in standing.events if event.kind != SKIP]] = False
    order = standing.graph.name_order
    return order[free[order]]


def _by_urgency(standing: Standing, waiting: Ints, most: int | None) -> Iterator[int]:
    """The nodes that the policy would ask for by some coin, the most urgent first."""
    policy = standing.terms.policy
    limit, gain, floor = standing.rule(LEAST_COIN)
    begun = bool(standing.counts.any())
    if begun and policy.needs_value and limit == np.inf:
        yield from _by_value(standing, waiting, floor, most)
        return
    margins = all_margins(standing)[waiting]
    sure = confidences(margins)
    spreads = np.zeros(len(waiting))
    if begun and policy.needs_spread:
        coming = standing.waiting()
        spreads[:] = [standing.spread(node, coming) for node in waiting.tolist()]
    if type(policy).urgency is Policy.urgency:
        urgency = -sure
    else:
        both = zip(sure.tolist(), spreads.tolist(), strict=True)
        urgency = np.array([policy.urgency(own, spread) for own, spread in both])
    for k in np.argsort(-urgency, kind="stable").tolist():
        if not begun or worth_asking(float(sure[k]), float(spreads[k]), limit, gain, floor):
            yield int(waiting[k])


def _by_value(standing: Standing, waiting: Ints, floor: float, most: int | None) -> Iterator[int]:
    """The nodes whose label is worth more than a number, the most first; more are looked for as needed."""
    game, coming, given = standing.game, standing.waiting(), 0
    wanted = most if most is None or game.wants_every() else max(BEGIN, most)
    while True:
        found = game.most_valued(waiting, coming, floor, wanted).nodes
        yield from found[given:].tolist()
        if wanted is None or len(found) < wanted:
            return
        given, wanted = len(found), 4 * wanted

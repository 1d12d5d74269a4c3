"""Predictions for very many nodes, as columns: class, probability, whether to ask, why.

What stands in a row is what `Session.predict` and `predict_proba_one` say of its node. Margins, probabilities
and the comparison of the policy are computed for a block of nodes in compiled calls; values by
`Game.most_valued`, for all nodes at once. Only a learner's own rule of asking, a variance, and what a learner
remarks about a node are looked up node by node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import AskingRule, confidences, worth_asking
from zerokelvin.games.labels import decide
from zerokelvin.learners import Game
from zerokelvin.session.predicting import reason_sentence, shares_of
from zerokelvin.session.session import Session
from zerokelvin.session.standing import Standing

__all__ = ["BLOCK", "PredictionColumns", "predict_columns"]

BLOCK = 65_536
"""Nodes read at a time: large enough for compiled calls, small enough to show progress."""


class PredictionColumns(NamedTuple):
    """What a session says of several nodes, one entry each.

    Their numbers, class codes and probabilities of all classes, (nodes, classes), whether the label is
    wanted, and the sentence that says why.
    """

    nodes: Ints
    codes: Ints
    shares: Floats
    asks: Bools
    reasons: list[str]


def predict_columns(session: Session, nodes: Ints) -> Iterator[PredictionColumns]:
    """The predictions for nodes, by number, block by block; nothing may be learnt in between.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.session import start
    >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
    >>> session = start(line, "longest-path", classes=["fraud", "ok"])
    >>> session.teach({"ann": "fraud", "dan": "ok"})
    >>> (found,) = predict_columns(session, np.array([1, 2]))
    >>> found.codes.tolist(), found.asks.tolist(), found.reasons[0] == session.predict("bob").reason
    ([0, 1], [True, True], True)
    """
    standing = session.standing
    standing.require_classes()
    wanted = _wanted_by_value(standing, nodes)
    for start in range(0, len(nodes), BLOCK):
        block = nodes[start : start + BLOCK]
        yield _columns(standing, block, None if wanted is None else wanted[start : start + BLOCK])


def _columns(standing: Standing, nodes: Ints, worth: Bools | None) -> PredictionColumns:
    """The columns of a block; `worth` says what the policy wants, where that is known already."""
    margins = standing.game.scores(nodes)
    shares = shares_of(standing, nodes)
    sure = confidences(margins)
    begun = bool(standing.counts.any())
    by_prior = np.zeros(len(nodes), dtype=np.bool_)
    if begun:
        by_prior = ~standing.labelled[standing.graph.label_components[nodes]]
    asks = _asks(standing, nodes, sure, worth)
    remarks = _remarks(standing, nodes, margins.argmax(axis=1)) if begun else [""] * len(nodes)
    rows = zip(sure.tolist(), by_prior.tolist(), asks.tolist(), remarks, strict=True)
    reasons = [reason_sentence(standing, own, prior, ask, remark) for own, prior, ask, remark in rows]
    codes = shares.argmax(axis=1)
    if standing.game.decides_alone:
        codes = decide(margins, len(standing.classes))
    return PredictionColumns(nodes, codes, shares, asks, reasons)


def _asks(standing: Standing, nodes: Ints, sure: Floats, worth: Bools | None) -> Bools:
    """For which nodes the label is wanted, as `Standing.asks` says of each."""
    if standing.spent or not standing.counts.any():
        return np.full(len(nodes), not standing.spent)
    if worth is None:
        rule, spreads = _rule(standing), [0.0] * len(nodes)
        if standing.terms.policy.needs_spread:
            coming = standing.waiting()
            spreads = [standing.spread(node, coming) for node in nodes.tolist()]
        both = zip(sure.tolist(), spreads, strict=True)
        worth = np.array([worth_asking(own, spread, *rule) for own, spread in both], dtype=np.bool_)
    if not standing.game.wants_every():
        worth = worth.copy()
        for place in np.flatnonzero(worth).tolist():
            worth[place] = standing.game.asks(int(nodes[place]), standing.trials).any()
    return worth


def _wanted_by_value(standing: Standing, nodes: Ints) -> NDArray[np.bool_] | None:
    """Which nodes a policy that goes by value alone wants; None where it goes by anything else."""
    policy = standing.terms.policy
    if standing.spent or not standing.counts.any() or not policy.needs_value:
        return None
    rule = _rule(standing)
    if rule.limit != np.inf:
        return None
    found = np.zeros(standing.graph.num_nodes, dtype=np.bool_)
    by_name = standing.graph.name_order
    chosen = np.zeros(standing.graph.num_nodes, dtype=np.bool_)
    chosen[nodes] = True
    found[standing.game.most_valued(by_name[chosen[by_name]], standing.waiting(), rule.floor, None).nodes] = (
        True
    )
    return np.asarray(found[nodes])


def _rule(standing: Standing) -> AskingRule:
    """What the confidence of the present trial is compared with, given its own coin."""
    coin = coins(standing.terms.seed, np.array([standing.trials]))
    return standing.rule(float(coin[0]))


def _remarks(standing: Standing, nodes: Ints, columns: Ints) -> list[str]:
    """What the learner says of each node."""
    game = standing.game
    if getattr(game.remark, "__func__", None) is Game.remark:
        return [""] * len(nodes)
    return [game.remark(node, column) for node, column in zip(nodes.tolist(), columns.tolist(), strict=True)]

"""Predictions as they go out: label, probabilities, whether to ask, why, and the signed decision.

Nothing is written. What goes out is what `Session.predict` and `predict_proba_one` say, read for `BLOCK`
neighbouring numbers at a time, which takes little longer than for one node, and kept until the next event as
the JSON it is sent as: between two events nothing about a prediction changes.
"""

from __future__ import annotations

import hashlib
import time
from array import array
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from zerokelvin.array_types import Bools, Floats
from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import confidence, worth_asking
from zerokelvin.client.messages import Predicted
from zerokelvin.games.labels import decide
from zerokelvin.service.records.decisions import Decision, write_decision
from zerokelvin.service.records.projection import Projection
from zerokelvin.session import Session
from zerokelvin.session.late import DIGEST
from zerokelvin.session.predicting import _reason, shares_of

__all__ = ["BLOCK", "Forecasts", "key_of"]

BLOCK = 256
"""Nodes whose margins and probabilities are read at a time."""

MOST = 50_000
"""Predictions kept as JSON at most, about 400 bytes each."""

_encode = msgspec.json.Encoder().encode


class Block(NamedTuple):
    """What was read of a block of nodes: margins, classes by margin, classes predicted, probabilities."""

    margins: Floats
    by_margin: list[int]
    codes: list[int]
    shares: list[list[float]]


class Forecasts:
    """The predictions of a session where it stands; of no use after the next event."""

    def __init__(self, session: Session, known: Projection) -> None:
        self.standing = standing = session._now()
        self._secret, self._daily = known.secret, known.book.daily_budget
        self._now = time.time()
        self.spent_today = known.left_today(self._now) == 0
        self._made_at = len(standing.events)
        self._keys = [key_of(label) for label in standing.classes]
        self._begun, self._spent = bool(standing.counts.any()), standing.spent
        coin = coins(standing.terms.seed, np.array([standing.trials]))
        self._rule = standing.rule(float(coin[0]))
        self._needs_spread = standing.terms.policy.needs_spread
        self._wants_every = standing.game.wants_every()
        self._blocks: dict[int, Block] = {}
        self._told: dict[int, msgspec.Raw] = {}

    def as_json(self, nodes: Iterable[int]) -> list[msgspec.Raw]:
        """The predictions for nodes, by index, each as JSON."""
        told = self._told
        if len(told) > MOST:
            told.clear()
        found = []
        for node in nodes:
            text = told.get(node)
            if text is None:
                text = told[node] = msgspec.Raw(_encode(self.of(node)))
            found.append(text)
        return found

    def of(self, node: int) -> Predicted:
        """The prediction for a node, by index."""
        number, place = divmod(node, BLOCK)
        block = self._blocks.get(number) or self._read(number)
        standing, margins, code = self.standing, block.margins[place], block.codes[place]
        asks = self._asks(node, margins)
        asked = asks is None or bool(asks.any())
        left_out = () if asks is None or not asked else tuple(np.flatnonzero(~asks).tolist())
        if len(margins) == 1:
            left_out = ()
        reason = _reason(standing, node, margins, self._by_prior(node), asked)
        if asked and self.spent_today:
            asked, left_out = False, ()
            reason = f"{reason.rstrip('.')}, but the daily budget of {self._daily} questions is spent."
        decision = Decision(
            node,
            code,
            asked,
            code != block.by_margin[place],
            self._made_at,
            self._now,
            self._digest(margins),
            left_out,
        )
        return Predicted(
            node=standing.graph.name(node),  # type: ignore[arg-type]
            label=standing.classes[code],  # type: ignore[arg-type]
            probabilities=dict(zip(self._keys, block.shares[place], strict=True)),
            ask=asked,
            reason=reason,
            decision=write_decision(self._secret, decision),
        )

    def _read(self, number: int) -> Block:
        """Read a block; all of them together hold no more than the graph's own arrays."""
        standing = self.standing
        count = len(standing.classes)
        nodes = np.arange(number * BLOCK, min((number + 1) * BLOCK, standing.graph.num_nodes))
        margins = standing.game.scores(nodes)
        shares = shares_of(standing, nodes)
        by_margin = decide(margins, count).tolist()
        codes = list(by_margin)
        if self._begun and not standing.labelled.all():
            prior = int(most_frequent(standing.counts))
            for i in np.flatnonzero(~standing.labelled[standing.graph.components[nodes]]).tolist():
                codes[i] = prior
        block = self._blocks[number] = Block(margins, by_margin, codes, shares.tolist())
        return block

    def _by_prior(self, node: int) -> bool:
        return self._begun and self.standing.without_label(node)

    def _asks(self, node: int, margins: Floats) -> Bools | None:
        """Which problems want the label, as `Standing.asks` says; None for all of them."""
        standing = self.standing
        if self._spent:
            return np.zeros(len(margins), dtype=np.bool_)
        if not self._begun:
            return None
        spread = standing.spread(node) if self._needs_spread else 0.0
        if not worth_asking(confidence(margins), spread, *self._rule):
            return np.zeros(len(margins), dtype=np.bool_)
        return None if self._wants_every else standing.game.asks(node, standing.trials)

    def _digest(self, margins: Floats) -> bytes:
        """The `score_digest` of the scores that these margins are."""
        values = margins.tolist()
        if len(values) == 1:
            values = [-values[0], values[0]][: len(self.standing.classes)]
        scores = array("d", [value + 0.0 for value in values])
        return hashlib.blake2b(scores.tobytes(), digest_size=DIGEST).digest()


def key_of(label: object) -> str:
    """A class as a key of a JSON object."""
    return label if isinstance(label, str) else str(label)

"""Predictions as they go out: label, probabilities, whether to ask, why, and the signed decision.

Nothing is written. What goes out is what `Session.predict` and `predict_proba_one` say, read for many nodes
at a time (for one node `BLOCK` neighbouring numbers, which takes little longer), and kept until the next
event as the JSON it is sent as: between two events nothing about a prediction changes. Where a session is
about to be put in the place of another, all that it says is read before (`read_all`), so that nobody who asks
for a prediction waits for the session.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.class_chances import class_scores
from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import confidences, worth_asking
from zerokelvin.client.messages import Predicted
from zerokelvin.games.labels import decide
from zerokelvin.learners import Game
from zerokelvin.service.records.decisions import Decision, write_decision
from zerokelvin.service.records.project_names import named
from zerokelvin.service.records.projection import Projection
from zerokelvin.session import Session
from zerokelvin.session.late import DIGEST
from zerokelvin.session.predicting import BY_PRIOR, NOTHING_LEARNT, decided_reason, shares_of

__all__ = ["BLOCK", "Forecasts", "key_of"]

BLOCK = 256
"""Nodes whose margins and probabilities are read at a time."""

FEW = 64
"""Predictions that the event loop makes itself."""

ALL = 100_000
"""Nodes of a graph up to which all of it is read at once: some ten milliseconds."""

MOST = 50_000
"""Predictions kept as JSON at most, about 400 bytes each."""

_encode = msgspec.json.Encoder().encode


class Block(NamedTuple):
    """What was read of a block of nodes, a list each.

    Confidences, the problem of the largest margin, the class by margin, the class predicted, whether it is
    the class prior's, whether the policy finds the label worth asking for, scores as bytes, probabilities.
    """

    sure: list[float]
    top: list[int]
    by_margin: list[int]
    codes: list[int]
    by_prior: list[bool]
    worth: list[bool]
    scores: list[bytes]
    shares: list[list[float]]


class AllRead(NamedTuple):
    """Margins and probabilities as the learner gave them, a row for each node."""

    margins: Floats
    shares: Floats


class Forecasts:
    """The predictions of a session where it stands, having learnt the event of number `learnt`.

    What was read is kept here, so that `at_once` needs neither the session nor its lock.
    """

    def __init__(self, session: Session, known: Projection, learnt: int = 0) -> None:
        self.learnt = learnt
        self.standing = standing = session.standing
        self._secret, self._daily = known.secret, known.book.daily_budget
        self._now = time.time()
        self.spent_today = known.left_today(self._now) == 0
        self._made_at = len(standing.events)
        self._keys = [key_of(label) for label in standing.classes]
        self._begun, self._spent = bool(standing.counts.any()), standing.spent
        self._classes = standing.classes
        coin = coins(standing.terms.seed, np.array([standing.trials]))
        self._rule = standing.rule(float(coin[0]))
        self._needs_spread = standing.terms.policy.needs_spread
        self._wants_every = standing.game.wants_every()
        self._remarks = getattr(standing.game.remark, "__func__", None) is not Game.remark
        self._plain = self._wants_every and not self._needs_spread and not self._remarks
        self._learner = standing.terms.learner.name
        self._spent_budget = standing.budget if standing.spent else None
        self._names = standing.graph.names
        self._counts, self._labelled = standing.counts, standing.labelled
        self._read: AllRead | None = None
        self._blocks: dict[int, Block] = {}
        self._told: dict[int, msgspec.Raw] = {}

    def read_all(self) -> None:
        """Read what the learner says of all nodes, unless they are too many."""
        count = self.standing.graph.num_nodes
        if count <= ALL:
            self._read = self._reading(np.arange(count))

    def as_json(self, nodes: Sequence[int]) -> list[msgspec.Raw]:
        """The predictions for nodes, by index, each as JSON."""
        told = self._told
        if len(told) > MOST:
            told.clear()
        fresh = self.untold(nodes)
        if len(fresh) > 1:
            block = self._block(np.array(fresh, dtype=np.int64))
            for place, node in enumerate(fresh):
                told[node] = msgspec.Raw(_encode(self._predicted(node, block, place)))
        elif fresh:
            told[fresh[0]] = msgspec.Raw(_encode(self.of(fresh[0])))
        return [told[node] for node in nodes]

    def at_once(self, nodes: Sequence[int]) -> list[msgspec.Raw] | None:
        """The same where the learner need not be asked and little is to be done; None otherwise.

        For the event loop, while another thread may be learning or reading.
        """
        told, found, fresh = self._told, [], 0
        for node in nodes:
            text = told.get(node)
            if text is None:
                fresh += 1
                block = self._blocks.get(node // BLOCK)
                if not self._plain or fresh > FEW or (self._read is None and block is None):
                    return None
                text = told[node] = msgspec.Raw(_encode(self.of(node, block)))
            found.append(text)
        return found

    def untold(self, nodes: Iterable[int]) -> list[int]:
        """The nodes that were not predicted since the last event, each once."""
        told = self._told
        return list(dict.fromkeys(node for node in nodes if node not in told))

    def is_read(self, node: int) -> bool:
        """Whether nothing has to be read from the learner for a node."""
        return self._read is not None or node // BLOCK in self._blocks

    def of(self, node: int, block: Block | None = None) -> Predicted:
        """The prediction for a node, by index; `block` is what was read of its block, if that is at hand."""
        number, place = divmod(node, BLOCK)
        block = self._blocks.get(number) if block is None else block
        if block is None:
            if len(self._blocks) * BLOCK > MOST:
                self._blocks.clear()
            first = number * BLOCK
            nodes = np.arange(first, min(first + BLOCK, self.standing.graph.num_nodes))
            block = self._blocks[number] = self._block(nodes)
        return self._predicted(node, block, place)

    def alone(self, node: int) -> Predicted:
        """The prediction for a node beside which nobody asks for others: no block is read for it."""
        if self.is_read(node):
            return self.of(node)
        return self._predicted(node, self._block(np.array([node])), 0)

    def _predicted(self, node: int, block: Block, place: int) -> Predicted:
        """The prediction for a node that stands at a place of a block."""
        code = block.codes[place]
        asked, left_out = self._asks(node, block, place)
        reason = self._reason(node, block, place, asked)
        if asked and self.spent_today:
            asked, left_out = False, ()
            reason = f"{reason.rstrip('.')}, but the daily budget of {self._daily} questions is spent."
        overruled = code != block.by_margin[place]
        digest = hashlib.blake2b(block.scores[place], digest_size=DIGEST).digest()
        decision = Decision(node, code, asked, overruled, self._made_at, self._now, digest, left_out)
        return Predicted(
            node=node if self._names is None else named(self._names[node]),
            label=named(self._classes[code]),
            probabilities=dict(zip(self._keys, block.shares[place], strict=True)),
            ask=asked,
            reason=reason,
            decision=write_decision(self._secret, decision),
        )

    def _block(self, nodes: Ints) -> Block:
        """Read what the learner says of nodes."""
        count, components = len(self._classes), self.standing.graph.label_components
        if self._read is None:
            margins, shares = self._reading(nodes)
        else:
            margins, shares = self._read.margins[nodes], self._read.shares[nodes]
        scores = class_scores(margins)[:, :count]
        size = 8 * scores.shape[1]
        data = (scores + 0.0).tobytes()  # −0.0 is 0.0, as in `score_digest`
        by_margin = decide(margins, count)
        by_prior = np.zeros(len(nodes), dtype=np.bool_)
        if self._begun:
            by_prior = ~self._labelled[components[nodes]]
        codes = np.where(by_prior, int(most_frequent(self._counts)), by_margin)
        sure = confidences(margins).tolist()
        return Block(
            sure,
            margins.argmax(axis=1).tolist(),
            by_margin.tolist(),
            codes.tolist(),
            by_prior.tolist(),
            [worth_asking(own, 0.0, *self._rule) for own in sure],
            [data[i : i + size] for i in range(0, len(data), size)],
            shares.tolist(),
        )

    def _reading(self, nodes: Ints) -> AllRead:
        return AllRead(self.standing.game.scores(nodes), shares_of(self.standing, nodes))

    def _asks(self, node: int, block: Block, place: int) -> tuple[bool, tuple[int, ...]]:
        """Whether the label is wanted, as `Standing.asks` says, and the classes that do not want it."""
        standing = self.standing
        if self._spent or not self._begun:
            return not self._spent, ()
        if self._needs_spread:
            worth = worth_asking(block.sure[place], standing.spread(node), *self._rule)
        else:
            worth = block.worth[place]
        if not worth or self._wants_every:
            return worth, ()
        wanted = standing.game.asks(node, standing.trials)
        if len(wanted) == 1 or not wanted.any():
            return bool(wanted.any()), ()
        return True, tuple(np.flatnonzero(~wanted).tolist())

    def _reason(self, node: int, block: Block, place: int, asked: bool) -> str:
        """The sentence that `Session.predict` would give as the reason."""
        if not self._begun:
            return NOTHING_LEARNT
        if block.by_prior[place]:
            return BY_PRIOR
        remark = self.standing.game.remark(node, block.top[place]) if self._remarks else ""
        return decided_reason(self._learner, block.sure[place], remark, asked, self._spent_budget)


def key_of(label: object) -> str:
    """A class as a key of a JSON object."""
    return label if isinstance(label, str) else str(label)

"""Random checks of a labelling that is still being learnt: what was drawn when, and what was predicted then.

Some nodes are answered because their label is worth most, others because a coin chose them: these are the
checks. An audit remembers which nodes were drawn, each after how many of the things told to a session, and
the predictions for all nodes that were *held* from time to time. Together with what the session was told,
that is all a guarantee is computed from (`zerokelvin.guarantee.limit`). An audit never changes; drawing and
holding give another one.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Ints
from zerokelvin.asking.coin_hash import coins
from zerokelvin.errors import SessionError

__all__ = ["Audit", "Draw", "Held", "ToldLabel"]

SALT = 0x5A17
"""Keeps the coins of the draws apart from those of the trials, which have the same seed."""


AGAIN = 0x0BAC
"""The same for the coins of a draw that may give way to a node that is unanswered again."""

FEWEST = 8
"""Checks that a labelling held has before another may be."""

OPEN = 4.0
"""With so many checks, all of them right, about OPEN / checks of the labels may still be wrong at 0.95."""


class ToldLabel(NamedTuple):
    """Something told to a session: the label of a node, None where the node was passed over."""

    node: int
    label: Hashable


class Draw(NamedTuple):
    """A node that was drawn uniformly from those unanswered, after so many things had been told."""

    told: int
    node: int


class Held(NamedTuple):
    """The predictions for all nodes after so many things had been told, as places in `Audit.labels`."""

    told: int
    codes: Ints

    def differs(self, node: int, code: int) -> bool:
        """Whether a node had another prediction, or was not there."""
        return node >= len(self.codes) or int(self.codes[node]) != code

    def changed(self, codes: Ints) -> Bools:
        """Where the codes of all nodes differ from those held."""
        both = min(len(self.codes), len(codes))
        differ = np.ones(len(codes), dtype=np.bool_)
        differ[:both] = self.codes[:both] != codes[:both]
        return differ


@dataclass(frozen=True)
class Audit:
    """The nodes drawn and the predictions held, in order; `labels` has every label that was predicted.

    Examples
    --------
    >>> audit = Audit().holding([], ["spam", "ham", "spam"])
    >>> audit.labels, audit.held[0].codes.tolist()
    (('spam', 'ham'), [0, 1, 0])
    >>> audit = audit.drawing([], 3, seed=1)
    >>> node = audit.pending([])
    >>> audit.pending([ToldLabel(node, "ham")]) is None
    True
    """

    labels: tuple[Hashable, ...] = ()
    draws: tuple[Draw, ...] = ()
    held: tuple[Held, ...] = ()

    def pending(self, told: Sequence[ToldLabel]) -> int | None:
        """The node drawn last, if nothing has been told of it since; None otherwise."""
        if not self.draws:
            return None
        last = self.draws[-1]
        return None if any(one.node == last.node for one in told[last.told :]) else last.node

    def unanswered(self, told: Sequence[ToldLabel], nodes: int) -> Ints:
        """The nodes that may be drawn: without an answer, and not drawn before."""
        free = np.ones(nodes, dtype=np.bool_)
        free[[one.node for one in told if one.label is not None]] = False
        free[[draw.node for draw in self.draws]] = False
        return np.flatnonzero(free)

    def codes(self, predictions: Sequence[Hashable]) -> Ints:
        """The places of predictions in `labels`, −1 for one that is not there."""
        places = {label: i for i, label in enumerate(self.labels)}
        found = map(places.get, predictions, repeat(-1))
        return np.fromiter(found, dtype=np.int64, count=len(predictions))

    def may_be_due(self) -> bool:
        """Whether it is time to see if predictions should be held before the next draw (`due`).

        At first, and after 8, 16, 32, … checks since they were held last.
        """
        since = self._checks_since()
        return not self.held or (since >= FEWEST and since & (since - 1) == 0)

    def due(self, told: Sequence[ToldLabel], predictions: Sequence[Hashable]) -> bool:
        """Whether these predictions should be held: none are, or those held have changed too much.

        Every labelling held takes its share of the risk and has its own checks, so there should be few. One
        is worth it when the changes since the last weigh more than what its checks leave open, which is about
        `OPEN` over their number.
        """
        if not self.held:
            return True
        waiting = np.ones(len(predictions), dtype=np.bool_)
        waiting[[one.node for one in told if one.label is not None]] = False
        changed = np.count_nonzero(self.held[-1].changed(self.codes(predictions)) & waiting)
        return bool(changed * self._checks_since() > OPEN * np.count_nonzero(waiting))

    def _checks_since(self) -> int:
        return sum(draw.told >= self.held[-1].told for draw in self.draws) if self.held else 0

    def holding(self, told: Sequence[ToldLabel], predictions: Sequence[Hashable]) -> Audit:
        """The same with the predictions of this moment held, a label for every node."""
        labels = tuple(dict.fromkeys([*self.labels, *predictions]))
        known = Audit(labels, self.draws, self.held)
        return Audit(labels, self.draws, (*self.held, Held(len(told), known.codes(predictions))))

    def taken_back(self, gone: Collection[int], told: Sequence[ToldLabel], nodes: int, seed: int) -> Audit:
        """The same after the things told at the places `gone` are taken back.

        Where no check was drawn and answered after the first of them, nothing is lost: a check among them
        waits again, and the one drawn since, which was drawn from what was unanswered then, gives way to one
        of the k nodes that are unanswered again with probability k / (N + k), so that it is a uniform draw
        from all N + k. Otherwise draws were made from fewer nodes than are unanswered now, and checks begin
        anew.
        """
        first = min(gone)
        later = [draw for draw in self.draws if draw.told > first]
        left = [one for place, one in enumerate(told) if place not in gone]
        if len(later) > 1 or (later and any(one.node == later[0].node for one in told[later[0].told :])):
            return Audit()

        def moved(place: int) -> int:
            return place - sum(other < place for other in gone)

        held = tuple(Held(moved(one.told), one.codes) for one in self.held)
        if not later:
            return Audit(self.labels, self.draws, held)
        before, last = Audit(self.labels, self.draws[:-1], held), later[0]
        free = before.unanswered(left, nodes)
        again = np.intersect1d([told[place].node for place in gone], free)
        coin = coins(seed ^ AGAIN, np.array([len(self.draws)]))[0] * len(free)
        node = int(again[int(coin)]) if coin < len(again) else last.node
        return Audit(self.labels, (*before.draws, Draw(moved(last.told), node)), held)

    def drawing(self, told: Sequence[ToldLabel], nodes: int, seed: int) -> Audit:
        """The same with a node drawn uniformly from those unanswered of so many nodes.

        `SessionError` where none is left.
        """
        free = self.unanswered(told, nodes)
        if not len(free):
            raise SessionError("no node without an answer is left for a random check.")
        coin = coins(seed ^ SALT, np.array([len(self.draws)]))[0]
        node = int(free[int(coin * len(free))])
        return Audit(self.labels, (*self.draws, Draw(len(told), node)), self.held)

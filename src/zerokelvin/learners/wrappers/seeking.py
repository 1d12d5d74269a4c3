"""A learner that is asked for the nodes of one class: how likely they are is what their labels are worth.

`Seeking` predicts as the learner inside does. Its `value` of a label is the probability that the node is of
the class sought, so that all that asks by value (`zerokelvin.asking.find`, `Session.open_questions`, games)
finds the likely ones. Probabilities are those of a session: of the learner where it knows calibrated ones
(`auto`), else a softmax of its margins, and in a component without labels the shares of the classes so far.

Where no class is named it is the one with the fewest labels. Whoever finds what is rare soon has many labels
of it, so that is settled once: as soon as the class most frequent among the labels learnt has `CLEAR` more
than the rarest. Where labels come at random and the rare one of two classes has the share r, the other is
taken for it with probability at most (r/(1 − r))^CLEAR, the gambler's ruin. Until then, and until a class
that is named was seen, every label is asked for, in an order drawn from the seed.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.class_chances import class_chances
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.find import Find, sought_code
from zerokelvin.asking.policies import Policy
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners.base import Game, Learner
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.multiclass import Valued, rank_values
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedGame
from zerokelvin.undo import Undo

__all__ = ["CLEAR", "Seeking", "SeekingGame", "rarest_class", "seeking"]

CLEAR = 8
"""Labels by which the most frequent class is ahead of the rarest when that is settled: a share of 1/5 is
mistaken for the larger one with probability 4^−8."""

UNNAMED, UNSEEN = -1, -2
"""In the place of a class: none is named; one is named that was never seen."""

COUNTS, SETTLED, LABELLED = "0/sought-counts", "0/sought-settled", "0/sought-labelled"
"""In a snapshot: the labels of each class, the class settled on, which components have a label."""


def rarest_class(codes: Ints, classes: int) -> int:
    """The class that is settled on as the rarest after labels in this order; so far, where none is.

    >>> rarest_class(np.array([0, 0, 1]), 2), rarest_class(np.array([0] * 8 + [1] * 20), 2)
    (1, 1)
    """
    counts = np.zeros(classes, dtype=np.int64)
    for code in codes.tolist():
        counts[code] += 1
        if counts.max() - counts.min() >= CLEAR:
            break
    return int(counts.argmin())


class SeekingGame(WrappedGame):
    """A game in which labels are worth what the probability of one class is.

    `code` is the class named, `UNNAMED` or `UNSEEN`.
    """

    def __init__(self, inner: Game, domain: Graph | Features, calibrated: bool, code: int, seed: int) -> None:
        super().__init__(inner)
        self.calibrated, self.code, self.seed = calibrated, code, seed
        self.components = None if isinstance(domain, Features) else domain.label_components
        self.labelled = np.zeros(0 if self.components is None else self.components.max() + 1, dtype=np.bool_)
        self.counts = np.zeros(inner.classes, dtype=np.int64)
        self.settled = np.full(1, UNNAMED, dtype=np.int64)

    @property
    def sought(self) -> int:
        """The class sought, the rarest so far where that is not settled; `UNSEEN` where it never came."""
        if self.code != UNNAMED:
            return self.code
        return int(self.settled[0]) if self.settled[0] >= 0 else int(self.counts.argmin())

    @property
    def clear(self) -> bool:
        """Whether it is settled which class is sought."""
        return self.code >= 0 or (self.code == UNNAMED and self.settled[0] >= 0)

    def suspicions(self, nodes: Any) -> Floats:
        """The probability that nodes are of the class sought."""
        return self.told(nodes, self.inner.scores(nodes))[:, self.sought]

    def told(self, nodes: Any, margins: Floats) -> Floats:
        """The probability of every class at nodes of these margins, (nodes, classes)."""
        chances = class_chances(margins, self.calibrated)
        if self.components is not None and self.counts.any():
            blind = ~self.labelled[self.components[np.asarray(nodes)]]
            chances[blind] = self.counts / self.counts.sum()
        return chances

    def value(self, node: Any, waiting: Bools) -> float:
        """The probability that a node is of the class sought; more than 1 until that is clear."""
        return float(self._values(np.array([node]))[0])

    def most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None = None) -> Valued:
        """The most likely of the nodes first."""
        values = self._values(nodes) if len(nodes) else np.zeros(0)
        return rank_values(nodes, values, above, most)

    def _values(self, nodes: Ints) -> Floats:
        if not self.clear:
            return 1.0 + coins(self.seed, nodes)
        if len(nodes) == 1:
            return self.told(nodes, self.inner.score(nodes[0])[None, :])[:, self.sought]
        return self.suspicions(nodes)

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Let the inner game learn, and count."""
        self.inner.learn(node, code, wanted)
        self._count(node, code)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Let the inner game learn answers in order, and count."""
        self.inner.teach(nodes, codes)
        for node, code in zip(nodes, codes.tolist(), strict=True):
            self._count(node, code)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Let the inner game learn answers in order, and count: its scores before each."""
        scores = self.inner.scores_in_order(nodes, codes)
        for node, code in zip(nodes, codes.tolist(), strict=True):
            self._count(node, code)
        return scores

    def _count(self, node: Any, code: int) -> None:
        self.counts[code] += 1
        if self.components is not None:
            self.labelled[self.components[node]] = True
        if self.settled[0] < 0 and self.counts.max() - self.counts.min() >= CLEAR:
            self.settled[0] = self.counts.argmin()

    def _own(self) -> dict[str, NDArray[Any]]:
        """The arrays that learning changes here, by name."""
        return {COUNTS: self.counts, SETTLED: self.settled, LABELLED: self.labelled}

    def _around(self, inner: Game) -> SeekingGame:
        """One at the same place around another game."""
        other = copy.copy(self)
        other.inner, other.counts, other.settled = inner, self.counts.copy(), self.settled.copy()
        other.labelled = self.labelled.copy()
        return other

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """The same as `learn`, and what takes it back, where the inner game can."""
        undo = self.inner.learn_reversibly(node, code, wanted)
        if undo is not None:
            for array in self._own().values():
                undo.keep(array)
            self._count(node, code)
        return undo

    def twin(self, kept: bool = False) -> Game | None:
        """One around a twin of the inner game."""
        inner = self.inner.twin(kept)
        return None if inner is None else self._around(inner)

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """The inner game to that of the heir, and what was counted."""
        super().hand_over(heir, growth)
        if isinstance(heir, SeekingGame):
            for name, array in self._own().items():
                if name != LABELLED:
                    heir._own()[name][...] = array
            if heir.components is not None:
                heir.labelled[heir.components[growth.answers()[0]]] = True

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of the inner game and its own; none where it has none."""
        return (*self.inner.fields, *self._own()) if self.inner.fields else ()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The inner game's arrays and its own."""
        if not self.fields:
            return {}
        return self.inner.snapshot() | {name: array.copy() for name, array in self._own().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the inner game and its own arrays."""
        self.inner.restore({name: arrays[name] for name in self.inner.fields})
        for name, array in self._own().items():
            array[...] = arrays[name]


@dataclass(frozen=True)
class Seeking(Wrapped):
    """A learner asked for the nodes of a class, `label` as it is written; None for the rarest.

    `code` is its number, found when the classes are known (`named`).
    """

    inner: Learner
    label: str | None = None
    code: int = UNNAMED

    has_value: ClassVar[bool] = True

    def named(self, classes: Sequence[Hashable], closed: bool = True) -> Learner:
        """The same where classes have these names: the one sought has a number then."""
        code = UNNAMED if self.label is None else sought_code(self.label, classes, closed)
        return replace(self, inner=self.inner.named(classes, closed), code=UNSEEN if code is None else code)

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game around the inner one."""
        ready = self.inner.prepare(graph) if prepared is None else prepared
        inner = self.inner.start_game(graph, classes, ready, seed)
        return SeekingGame(inner, graph, self.inner.calibrated, self.code, seed)


def seeking(learner: Learner, policy: Policy) -> Learner:
    """The learner itself, or one that seeks a class where the policy does.

    >>> from zerokelvin.learners import make, parse_policy
    >>> seeking(make("nearest"), parse_policy("find:fraud")).label
    'fraud'
    """
    return Seeking(learner, policy.label) if isinstance(policy, Find) else learner

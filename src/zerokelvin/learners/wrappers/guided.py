"""Any learner with any policy: a learner beside a `gaussian` that tells the policy what the learner cannot.

Some policies look at the variance of a prediction, or at the value of a label to other nodes
(`zerokelvin.asking.policies`); few learners know those. But the variance of ridge regression,

    v(i) = K'_ii − k_i(S)ᵀ (K'_SS + μI)⁻¹ k_i(S),

depends on which nodes S were revealed only, not on their labels, nor on who predicts. So `guided` puts a
`gaussian` with its default parameters on the same graph, or table of features, beside a learner that lacks
what its policy needs. The learner alone predicts; the gaussian is taught every label that is revealed and
answers for variance and value. What it costs is what a `gaussian` costs: local work per label.

The two are on different scales. v lies between 0 and K'_ii, at most 1/ε = 10 for the default kernel, which is
relative to the mean degree: whatever the learner and the unit of the weights. A margin may be a number of cut
edges (`longest-path`), a vote in {−1, +1} (`nearest` with k = 1) or a kernel expansion that grows with the
mistakes (`perceptron`). The variance policy compares v with t^−κ alone, so it asks the same of every learner.
The doubt policy compares margin² with c·v·log t: c is in squared units of the margin, and wants to be chosen
anew for every learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.policies import Policy
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Game, Learner
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.multiclass import Valued
from zerokelvin.learners.gaussian.gaussian import Gaussian
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedGame
from zerokelvin.undo import Undo

__all__ = ["Guided", "GuidedGame", "Preparation", "guided"]


GUIDE = Gaussian(tol=0.002)
GUIDES = "guide-"
"""Before the names of the guide's arrays."""


def guided(learner: Learner, policy: Policy) -> Learner:
    """The learner itself where it knows what the policy needs, else one with a guide.

    >>> from zerokelvin.learners import make, parse_policy
    >>> guided(make("pounce"), parse_policy("doubt:1")).trait
    'variance'
    >>> guided(make("ollgc"), parse_policy("doubt:1")) == make("ollgc")
    True
    """
    for trait in ("variance", "value"):
        if getattr(policy, f"needs_{trait}") and not getattr(learner, f"has_{trait}"):
            return Guided(learner, trait)
    return learner


@dataclass(frozen=True)
class Preparation:
    """What the learner and its guide have prepared on a graph."""

    inner: Any
    guide: Any


class GuidedGame(WrappedGame):
    """The game of a learner, and that of the gaussian that answers for what the learner `lacks`.

    It is saved with the guide's where both can be; otherwise it is restored by learning all answers again.
    """

    def __init__(self, inner: Game, guide: Game, trait: str, lacks: tuple[str, ...]) -> None:
        super().__init__(inner)
        self.guide = guide
        self.trait = trait
        self.lacks = lacks
        self.lacks_variance, self.lacks_value = "variance" in lacks, "value" in lacks

    def variance(self, node: Any) -> float:
        """The guide's variance where the learner has none."""
        return (self.guide if self.lacks_variance else self.inner).variance(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What the label is worth to the guide where the learner cannot tell."""
        return (self.guide if self.lacks_value else self.inner).value(node, waiting)

    def most_valued(
        self, nodes: Ints, waiting: NDArray[np.bool_], above: float, most: int | None = None
    ) -> Valued:
        """By the guide's values where the learner cannot tell."""
        game = self.guide if self.lacks_value else self.inner
        return game.most_valued(nodes, waiting, above, most)

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Teach the learner what it asked for, and the guide every label that was revealed."""
        self.inner.learn(node, code, wanted)
        self.guide.learn(node, code)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Let the learner and its guide learn several labels that are known already."""
        self.inner.teach(nodes, codes)
        self.guide.teach(nodes, codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Teach both: the learner's scores before each answer."""
        scores = self.inner.scores_in_order(nodes, codes)
        self.guide.teach(nodes, codes)
        return scores

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """Let both learn, and give what takes it back; None, with nothing learnt, where one cannot."""
        undo = self.inner.learn_reversibly(node, code, wanted)
        if undo is None:
            return None
        beside = self.guide.learn_reversibly(node, code)
        if beside is None:
            undo.back()
            return None
        undo.join(beside)
        return undo

    def twin(self, kept: bool = False) -> Game | None:
        """Twins of both; None where one of them has none."""
        inner, guide = self.inner.twin(kept), self.guide.twin(kept)
        if inner is None or guide is None:
            return None
        return GuidedGame(inner, guide, self.trait, self.lacks)

    def remark(self, node: Any, column: int) -> str:
        """The learner's remark, and who is asked about the variance or the value."""
        whose = f"the policy goes by the {self.trait} of a gaussian beside it"
        remark = self.inner.remark(node, column)
        return f"{remark}, and {whose}" if remark else whose

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the saved arrays, the guide's marked; none where one of the two has none."""
        if not (self.inner.fields and self.guide.fields):
            return ()
        return (*self.inner.fields, *map(_marked, self.guide.fields))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of the arrays of the inner game and of the guide, by name."""
        if not self.fields:
            return {}
        guide = {_marked(name): array for name, array in self.guide.snapshot().items()}
        return self.inner.snapshot() | guide

    def restore(self, arrays: Any) -> None:
        """Put saved arrays back in both."""
        self.inner.restore({name: arrays[name] for name in self.inner.fields})
        self.guide.restore({name: arrays[_marked(name)] for name in self.guide.fields})

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Let learner and guide each hand over to their own part of the game on the grown graph."""
        if isinstance(heir, GuidedGame):
            self.inner.hand_over(heir.inner, growth)
            self.guide.hand_over(heir.guide, growth)


@dataclass(frozen=True)
class Guided(Wrapped):
    """A learner with a gaussian beside it that answers for a `trait`, ``"variance"`` or ``"value"``."""

    inner: Learner
    trait: str

    has_variance: ClassVar[bool] = True
    has_value: ClassVar[bool] = True

    def check_domain(self, graph: Graph) -> None:
        """What the inner learner takes, with positive weights."""
        self.inner.check_domain(graph)
        graph.require_positive(f"a policy that looks at the {self.trait}")

    def prepare(self, graph: Graph) -> Preparation:
        """What the inner learner and the gaussian beside it prepare, together."""
        return Preparation(self.inner.prepare(graph), GUIDE.prepare(graph))

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin both; `prepared` may be what the learner alone prepared."""
        ready = prepared if isinstance(prepared, Preparation) else Preparation(prepared, None)
        inner = self.inner.start_game(graph, classes, ready.inner, seed)
        lacks = tuple(t for t in ("variance", "value") if not getattr(self.inner, f"has_{t}"))
        return GuidedGame(inner, GUIDE.start_game(graph, classes, ready.guide, seed), self.trait, lacks)


def _marked(name: str) -> str:
    """The name of an array, behind the number of its problem, as one of the guide's."""
    column, slash, rest = name.rpartition("/")
    return f"{column}{slash}{GUIDES}{rest}"

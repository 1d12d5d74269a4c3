"""Any learner with any policy: a learner beside a `gaussian` that tells the policy what the learner cannot.

Some policies look at the variance of a prediction, or at the value of a label to other nodes
(`zerokelvin.learners.asking`); few learners know those. But the variance of ridge regression,

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.certify import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.asking import Policy
from zerokelvin.learners.base import Learner, Problems, State
from zerokelvin.learners.gaussian import Gaussian
from zerokelvin.learners.growth import Growth

__all__ = ["Guided", "GuidedProblems", "GuidedState", "Preparation", "guided"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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


class GuidedState(State):
    """One binary problem: the learner's in all but the variance.

    It is saved with the guide's where both can be; otherwise it is restored by replaying its updates.
    """

    def __init__(self, owner: GuidedProblems, problem: int) -> None:
        self.owner = owner
        self.inner = owner.inner.states[problem]
        self.guide = owner.guide.states[problem]

    def margin(self, node: Any) -> float:
        """The learner's margin."""
        return self.inner.margin(node)

    def margins(self, nodes: Ints) -> Floats:
        """The learner's margins."""
        return self.inner.margins(nodes)

    def update(self, node: Any, label: int) -> None:
        """Teach both; of several problems, update them together."""
        if len(self.owner.states) > 1:
            raise ParameterError("one answer counts for all classes here; update the problems together.")
        self.owner.update(node, [label])

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether the learner wants this label."""
        return self.inner.ask(node, trial)

    def variance(self, node: Any) -> float:
        """The guide's variance."""
        return self.owner.variance(node)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """The learner's explanation."""
        return self.inner.explain(node)

    def trail(self, node: Any) -> tuple[int, ...]:
        """The learner's path."""
        return self.inner.trail(node)

    def remark(self, node: Any) -> str:
        """The learner's remark, and who is asked about the variance or the value."""
        whose = f"the policy goes by the {self.owner.trait} of a gaussian beside it"
        remark = self.inner.remark(node)
        return f"{remark}, and {whose}" if remark else whose

    def bound(self, labels: Ints) -> Bound:
        """The learner's bound."""
        return self.inner.bound(labels)

    @property
    def fields(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of the saved arrays, the guide's marked; none where one of the two has none."""
        if not (self.inner.fields and self.guide.fields):
            return ()
        return (*self.inner.fields, *(GUIDES + name for name in self.guide.fields))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The arrays of both."""
        if not self.fields:
            return {}
        guide = {GUIDES + name: array for name, array in self.guide.snapshot().items()}
        return self.inner.snapshot() | guide

    def restore(self, arrays: Any) -> None:
        """Put saved arrays back in both."""
        self.inner.restore({name: arrays[name] for name in self.inner.fields})
        self.guide.restore({name: arrays[GUIDES + name] for name in self.guide.fields})


class GuidedProblems(Problems):
    """The problems of a learner, and those of the gaussian that answers for variance and value."""

    def __init__(self, inner: Problems, guide: Problems, trait: str) -> None:
        self.inner = inner
        self.guide = guide
        self.trait = trait
        self.bound_outlives_growth = inner.bound_outlives_growth  # type: ignore[misc]  # as the inner ones
        super().__init__([GuidedState(self, c) for c in range(len(inner.states))])

    def margins(self, node: Any) -> Floats:
        """The learner's margins."""
        return self.inner.margins(node)

    def asks(self, node: Any, trial: int | None = None) -> NDArray[np.bool_]:
        """Which problems want this label by the learner's own rule."""
        return self.inner.asks(node, trial)

    def variance(self, node: Any) -> float:
        """The guide's variance."""
        return self.guide.variance(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What the label is worth to the guide."""
        return self.guide.value(node, waiting)

    def update(self, node: Any, signs: Any, learns: Any = None) -> None:
        """Teach the learner what it asked for, and the guide every label that was revealed."""
        self.inner.update(node, signs, learns)
        self.guide.update(node, signs)

    def teach(self, nodes: Ints, signs: NDArray[np.int8]) -> None:
        """Teach both."""
        self.inner.teach(nodes, signs)
        self.guide.teach(nodes, signs)

    def hand_over(self, heir: Problems, growth: Growth) -> None:
        """Each to its own heir."""
        if isinstance(heir, GuidedProblems):
            self.inner.hand_over(heir.inner, growth)
            self.guide.hand_over(heir.guide, growth)

    def bound(self, labels: Any) -> Bound:
        """The learner's bound."""
        return self.inner.bound(labels)

    def chances(self, node: Any) -> Floats | None:
        """The learner's probabilities, where it knows them."""
        return self.inner.chances(node)

    def remaining_error(self, spent: bool = False) -> float | None:
        """The learner's estimate."""
        return self.inner.remaining_error(spent)

    def trusted(self) -> dict[str, float]:
        """Whom the learner trusts."""
        return self.inner.trusted()


@dataclass(frozen=True)
class Guided(Learner):
    """A learner with a gaussian beside it that answers for a `trait`, ``"variance"`` or ``"value"``."""

    inner: Learner
    trait: str

    def __post_init__(self) -> None:
        told = ("name", "growth", "multiclass", "takes_features")
        vars(self).update({name: getattr(self.inner, name) for name in told})  # as the inner learner
        vars(self).update(has_variance=True, has_value=True)

    def params(self) -> dict[str, Any]:
        """The inner learner's hyper-parameters."""
        return self.inner.params()

    def check_domain(self, graph: Graph) -> None:
        """What the inner learner takes, with positive weights."""
        self.inner.check_domain(graph)
        graph.require_positive(f"a policy that looks at the {self.trait}")

    def unit_matters(self) -> str:
        """As of the inner learner."""
        return self.inner.unit_matters()

    def prepare(self, graph: Graph) -> Preparation:
        """Both preparations."""
        return Preparation(self.inner.prepare(graph), GUIDE.prepare(graph))

    def start(self, graph: Graph, prepared: Any = None, rng: np.random.Generator | None = None) -> State:
        """Begin one binary problem."""
        seed = 0 if rng is None else int(rng.integers(1 << 62))
        return self.start_problems(graph, 1, prepared, seed).states[0]

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems; `prepared` may be what the learner alone prepared."""
        ready = prepared if isinstance(prepared, Preparation) else Preparation(prepared, None)
        inner = self.inner.start_problems(
            graph, count, self.inner.prepare(graph) if ready.inner is None else ready.inner, seed
        )
        return GuidedProblems(inner, GUIDE.start_problems(graph, count, ready.guide, seed), self.trait)

"""Auto: no tuning. A mixture of regressions, propagation, minimum cuts and trees over kernels and scales.

The experts are fixed beforehand (`learners.auto.experts`), and AdaHedge and a logistic combination
decide whom to trust as labels come (`learners.auto.mixing`). Where nodes have attributes, further experts
predict from them and from their averages over walks. The margin of a class is the lead of its
calibrated probability over its best rival's.

Asking. Two rules, beside each of which a hard budget may be set:

- the policy ``value:C`` asks where an answer is both uncertain and of use to nodes still to come, by the
  first expert (`zerokelvin.learners.gaussian.influence`);
- with `target` = α the learner itself asks, until it can expect to be right on a share 1 − α of all nodes
  (`zerokelvin.asking.target`).

Bound (`learners.auto.mixing`): mistakes ≤ 2 (min_k { L_k + (1 + ln(1/π_k) / ln K) Δ } − Δ₀) at every
time, for AdaHedge loses at most half of that (de Rooij et al. 2014, Lemma 3, with a prior π and Δ starting at
Δ₀) and at least ½ where the prediction is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.learners.auto.experts import PreparedExperts, prepare_experts
from zerokelvin.learners.auto.grown_mixture import grow_mixture
from zerokelvin.learners.auto.mixture import Mixture
from zerokelvin.learners.auto.settings import CHUNK, FEW, START
from zerokelvin.learners.base import Game, Learner, Progress, Trace, Trials, columns_of, learner
from zerokelvin.learners.base.growth import ORDERED, Growth
from zerokelvin.learners.base.multiclass import Valued
from zerokelvin.learners.base.ties import DEAD_ZONE
from zerokelvin.learners.gaussian.covariance import all_revealed
from zerokelvin.undo import Undo

__all__ = ["Auto", "AutoGame"]


LEFT_OUT = "0/left-out"
"""The saved flag that a target left a label out."""


class AutoGame(Game):
    """A game whose classes share a mixture of experts."""

    def __init__(self, mixture: Mixture) -> None:
        super().__init__(max(2, mixture.problems))
        self.mixture = mixture
        self.left_out = False

    def scores(self, nodes: Any) -> Floats:
        """The lead of every problem's class in the mixture, (nodes, columns), in compiled code."""
        return self.mixture.all_margins(np.asarray(nodes, dtype=np.int64)).copy()

    def score(self, node: int) -> Floats:
        """The leads at one node, kept until a label is learnt."""
        return self.mixture.margins(node)

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal a class to all experts; this learner wants every label."""
        self.mixture.learn(node, code)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo | None:
        """The same, and what takes it back."""
        return self.mixture.learn_reversibly(node, code)

    def asks(self, node: int, trial: int | None = None) -> NDArray[np.bool_]:
        """Every label, or with a target those of too large a risk; one decision for all problems."""
        asking = self.mixture.asking
        wanted = asking is None or self.mixture.labels == 0 or asking.wants(node, self.mixture.risk(node))
        return np.full(self.columns, wanted)

    def wants_every(self) -> bool:
        """Whether every label is wanted: unless there is a target for the error."""
        return self.mixture.asking is None

    def variance(self, node: int) -> float:
        """The predictive variance of the first Gaussian expert."""
        return self.mixture.first.variance(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What the label is worth to the nodes that wait, by the first expert."""
        return self.mixture.first.value(node, waiting)

    def most_valued(
        self, nodes: Ints, waiting: NDArray[np.bool_], above: float, most: int | None = None
    ) -> Valued:
        """The nodes of the largest value, by the first expert."""
        return self.mixture.first.most_valued(nodes, waiting, above, most)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, each expert in its own compiled game."""
        self.scores_in_order(nodes, codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order, each expert in its own compiled game if they are many: the leads before."""
        if self.mixture.asking is not None or len(codes) < FEW:
            return super().scores_in_order(nodes, codes)
        places = np.asarray(nodes, dtype=np.int64)
        margins = np.zeros((len(codes), self.columns))
        for start in range(0, len(codes), CHUNK):
            part = slice(start, start + CHUNK)
            self.mixture.learn_in_order(places[part], codes[part], margins[part])
        return margins

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The plain loop; where all labels are revealed, each expert plays its own compiled game."""
        mixture = self.mixture
        if mixture.labels or mixture.asking is not None or not all_revealed(trials):
            trace = super().play(trials, progress)
            self.left_out |= mixture.asking is not None and not trace.asked.all()
            return trace
        trace = Trace.all_asked(trials)
        codes = trials.codes
        for start in range(0, len(codes), CHUNK):
            part = slice(start, start + CHUNK)
            mixture.learn_in_order(trials.nodes[part], codes[part], trace.margins[part])
            if progress is not None:
                progress(min(start + CHUNK, len(codes)))
        return trace

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """Twice the loss that AdaHedge cannot exceed, for all classes together, whatever the labels are.

        It is no guarantee where a target left labels out of the game.
        """
        mixing = self.mixture.mixing
        best = int(np.argmin(mixing.limits))
        terms = {
            f"loss of {self.mixture.names[best]}": float(mixing.losses[best]),
            "prior π of it": float(mixing.prior[best]),
            "Δ": mixing.gap,
            "Δ₀": START,
        }
        half = 0.5 - 2.0 * DEAD_ZONE  # a tie may be won by a hair less than ½
        value = float(mixing.limits[best]) / half
        missing = Assumption("every label is learned (the target left some out)", False)
        assumptions = (missing,) if self.left_out else ()
        return Bound(value, "Lemma 3, de Rooij et al. 2014, with a prior", terms, assumptions)

    def bound_so_far(self) -> float | None:
        """The bound, which asks for no labels; None where a target left some out."""
        return None if self.left_out or not self.mixture.labels else self.bound([]).value

    def explain(self, node: int, column: int) -> list[tuple[int, float]]:
        """The labelled nodes behind the margin; see `Mixture.explain`."""
        return self.mixture.explain(node, 1 if self.columns == 1 else column)

    def remark(self, node: int, column: int) -> str:
        """Whom the mixture trusts, and whether the graph says much about the labels."""
        return self.mixture.note()

    def attribute_shares(self, node: int, column: int) -> dict[str, float]:
        """What each attribute adds to the lead of a class, by the regression on own attributes."""
        return self.mixture.attribute_shares(node, 1 if self.columns == 1 else column)

    def chances(self, node: int) -> Floats | None:
        """The calibrated probability of each class."""
        return self.mixture.judge(node)[1] if self.mixture.labels else None

    def chances_of(self, nodes: Any) -> Floats | None:
        """The calibrated probabilities of several nodes, in compiled code."""
        if not self.mixture.labels:
            return None
        return self.mixture.all_chances(np.asarray(nodes, dtype=np.int64)).copy()

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of the mixture, and whether a label was left out; none where an expert has none."""
        return (*self.mixture.fields, LEFT_OUT) if self.mixture.fields else ()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """That of the mixture, and whether a label was left out."""
        found = self.mixture.snapshot()
        return found | {LEFT_OUT: np.array(self.left_out)} if found else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `snapshot` gave: the arrays of the mixture, and whether a label was left out."""
        self.mixture.restore(arrays)
        self.left_out = bool(arrays[LEFT_OUT])

    def twin(self, kept: bool = False) -> AutoGame | None:
        """A game on another mixture at the same place."""
        mixture = self.mixture.twin(kept)
        return None if mixture is None else self._around(mixture)

    def keeping(self) -> Iterator[Game | None] | None:
        """Around the steps of the mixture."""
        return (None if one is None else self._around(one) for one in self.mixture.keeping())

    def _around(self, mixture: Mixture) -> AutoGame:
        """A game that plays another mixture and has left out a label if this one has."""
        other = AutoGame(mixture)
        other.left_out = self.left_out
        return other

    def make_ready(self) -> None:
        """Have the experts do what they put off."""
        for expert in self.mixture.experts:
            expert.game.make_ready()

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Let a mixture on a grown graph go on with the trust of this one (`learners.auto.grown_mixture`)."""
        if isinstance(heir, AutoGame):
            grow_mixture(self.mixture, heir.mixture, growth)
            heir.left_out = self.left_out
        else:
            super().hand_over(heir, growth)

    def remaining_error(self, spent: bool = False) -> float | None:
        """By the answers asked at random; see `zerokelvin.asking.target`."""
        asking = self.mixture.asking
        if asking is None:
            return None
        return asking.blind if spent else asking.error

    def trusted(self) -> dict[str, float]:
        """The weight of every expert, by its name."""
        return self.mixture.trusted()


@learner("auto")
@dataclass(frozen=True)
class Auto(Learner):
    """A mixture over kernels, scales and learners with nothing to tune; see the module.

    Parameters
    ----------
    target
        The share of nodes that may come out wrong, those asked for counted as right: 0.05 asks as few
        questions as 95 % right answers need. None asks for every label.
    tol
        Certified error of the experts' values by local relaxation; five times that for propagation and for
        the regression that reaches furthest.
    local
        Only experts whose work stays around each label, as always on a packed graph: no cuts, trees,
        subspaces and passes over all nodes. Fewer of them above two million nodes, for the memory's sake.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Auto().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) > 0 for node in range(4)]
    [False, False, True, True]
    """

    purpose: ClassVar[str] = (
        "predicting well with nothing to tune, with probabilities that mean what they say"
    )
    choose: ClassVar[str] = "you do not know which learner suits your graph: it finds out as labels come"
    cost: ClassVar[str] = (
        "the sum of its experts: local relaxations around each label, minimum cuts, trees, a small regression"
    )

    target: float | None = None
    tol: float = 0.05
    local: bool = False

    growth: ClassVar[str] = ORDERED
    has_variance: ClassVar[bool] = True
    has_value: ClassVar[bool] = True
    calibrated: ClassVar[bool] = True
    takes_attributes: ClassVar[bool] = True
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {}, {"target": 0.1}, {"local": True})

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol!r} must be a positive number.")
        if self.target is not None and not 0 < self.target < 1:
            raise ParameterError(
                f"target={self.target!r} must lie between 0 and 1, such as 0.05 for 95 % right."
            )

    def needs_whole(self) -> str:
        """Never: on a packed graph its local experts speak."""
        return ""

    def prepare(self, graph: Graph) -> PreparedExperts:
        """The kernels and trees of the graph, shared by all classes and shuffles."""
        graph.require_positive("auto")
        return prepare_experts(graph, local=self.local or isinstance(graph, PackedGraph))

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game on one mixture."""
        ready = self.prepare(graph) if prepared is None else prepared
        return AutoGame(Mixture(ready, columns_of(classes), self.tol, self.target, seed))

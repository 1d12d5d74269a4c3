"""Forgetting: any learner, predicting from its latest answers only, for labels that change over time.

Every W answers a fresh copy of the learner begins. It learns one window of answers unheard, predicts through
the next one while learning on, and is dropped. With copies begun after 0, W, 2W, … answers, the one that
predicts has always seen the last W answers (at the start, all there are) and fewer than the last 2W: what is
older is forgotten. The first copy predicts from the start. Cost: each answer is learnt twice.

Where the answers it remembers say nothing about a node (all margins are 0), their commonest class decides.

Bound. Copy k sees the stretch of answers kW … (k + 2)W − 1, and its mistakes in the part where it predicts
are among those it makes on the whole stretch. With B the learner's own bound, and *any* labelling u_k for
each stretch,

    mistakes ≤ Σ_k B(stretch k, u_k).

The labelling may change from stretch to stretch: this is a bound on tracking. Let T answers contain D moments
at which the labelling changes, and B* bound the mistakes on any stretch of at most 2W answers without one. A
copy makes at most B* mistakes before the first change in its stretch, and copies that began before a change
predict at most 2W trials after it. Hence

    mistakes ≤ ⌈T/W⌉ B* + 2W D,      least near W = √(T B* / 2D), where it is about 2 √(2 T B* D).

Restarting learners to follow a changing comparator is an idea of Hazan and Seshadhri (2009, "Efficient
learning algorithms for changing environments"); the overlap keeps the copy that predicts from being empty.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.flow.static.completion import complete_labelling
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners.base import Game, Learner, Progress, Trace, Trials, signs_of
from zerokelvin.learners.base.growth import EXACT, Growth
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedGame

__all__ = ["Forgetting", "ForgettingGame", "forgetful"]


FAINT = 1e-12
"""The margin of a guess by the most frequent class remembered."""

HEIRS = "heir-"
"""Before the names of the heir's arrays in a snapshot."""

ANSWERS, WANTED, PASSED = "0/forget-answers", "0/forget-wanted", "0/forget-passed"
"""In a snapshot: node and code of every answer, which problems learnt it, whether a trial was let pass."""


class ForgettingGame(WrappedGame):
    """The copies of one game: the elder, `inner`, predicts and learns, the heir only learns.

    A snapshot holds both and the answers; on a table of features all answers are learnt again instead.
    """

    bound_outlives_growth = False

    def __init__(self, graph: Graph | Features, begin: Callable[[], Game], window: int) -> None:
        super().__init__(begin())
        self.graph = graph
        self.begin = begin
        self.window = window
        self.heir: Game | None = None
        self.answers: list[tuple[Any, int, Any]] = []
        self.passed = False  # whether a game went on without the label of some trial

    @property
    def forgot(self) -> bool:
        """Whether an answer has been forgotten."""
        return self.first > 0

    @property
    def first(self) -> int:
        """The number of the first answer that the elder has seen."""
        return max(0, len(self.answers) // self.window - 1) * self.window

    def scores(self, nodes: Any) -> Floats:
        """The elder's scores; a guess where what it remembers says nothing."""
        scores = self.inner.scores(nodes)
        if not self.forgot:
            return scores
        return np.where((scores != 0).any(axis=1, keepdims=True), scores, self.guess())

    def score(self, node: Any) -> Floats:
        """The elder's score of one node; a guess where what it remembers says nothing."""
        score = self.inner.score(node)
        return self.guess() if self.forgot and not score.any() else score

    def guess(self) -> Floats:
        """Next to nothing, for the class most frequent among the answers remembered."""
        codes = np.array([code for _, code, _ in self.answers[self.first :]], dtype=np.int64)
        votes: Floats = signs_of(codes, self.columns).sum(axis=0).astype(np.float64)
        if len(votes) == 1:
            return FAINT * np.sign(votes)
        return np.where(np.arange(len(votes)) == int(most_frequent(votes)), FAINT, -FAINT)

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Let both copies learn; after every window the heir takes over and a new one begins."""
        self.inner.learn(node, code, wanted)
        if self.heir is not None:
            self.heir.learn(node, code, wanted)
        self.answers.append((node, code, wanted))
        if len(self.answers) % self.window == 0:
            self.inner, self.heir = self.heir or self.inner, self.begin()

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order; at the start, only those that are not forgotten at their end."""
        if self.answers:
            Game.teach(self, nodes, codes)
            return
        self.answers = [(node, code, None) for node, code in zip(nodes, codes.tolist(), strict=True)]
        self.inner.teach(nodes[self.first :], codes[self.first :])
        latest = len(nodes) // self.window * self.window
        if latest:
            self.heir = self.begin()
            self.heir.teach(nodes[latest:], codes[latest:])

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of the elder, the same of the heir, marked, the answers and whether a trial was let pass.

        None where the learner has none, or answers may be vectors.
        """
        names = self.inner.fields
        if not names or isinstance(self.graph, Features):
            return ()
        return (*names, *map(_of_heir, names), ANSWERS, WANTED, PASSED)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The arrays of both copies, those of one just begun where there is no heir yet."""
        if not self.fields:
            return {}
        told = [(node, code) for node, code, _ in self.answers]
        every = [True] * self.columns
        wanted = [every if one is None else one for _, _, one in self.answers]
        heir = (self.begin() if self.heir is None else self.heir).snapshot()
        return {
            **self.inner.snapshot(),
            **{_of_heir(name): array for name, array in heir.items()},
            ANSWERS: np.array(told, dtype=np.int64).reshape(-1, 2),
            WANTED: np.array(wanted, dtype=np.bool_).reshape(-1, self.columns),
            PASSED: np.array(self.passed),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put both copies back, and the answers."""
        told, wanted = arrays[ANSWERS], arrays[WANTED].astype(np.bool_)
        if told.shape != (len(told), 2) or wanted.shape != (len(told), self.columns):
            raise ValueError(f"{told.shape} answers do not go with {wanted.shape} problems that learn them.")
        names = self.inner.fields
        self.inner.restore({name: arrays[name] for name in names})
        self.answers = [
            (node, code, None if row.all() else row)
            for (node, code), row in zip(told.tolist(), wanted, strict=True)
        ]
        self.passed = bool(arrays[PASSED])
        if len(told) >= self.window:
            self.heir = self.begin()
            self.heir.restore({name: arrays[_of_heir(name)] for name in names})

    def twin(self, kept: bool = False) -> Game | None:
        """Twins of both copies; None where the learner has none."""
        inner = self.inner.twin(kept)
        heir = None if self.heir is None else self.heir.twin(kept)
        if inner is None or (self.heir is not None and heir is None):
            return None
        other = copy.copy(self)
        other.inner, other.heir, other.answers = inner, heir, self.answers.copy()
        return other

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """All answers are learnt again, so that every copy begins where it did."""
        Game.hand_over(self, heir, growth)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The plain loop; the copies learn from answers, so no bound of theirs speaks of trials let pass."""
        trace = super().play(trials, progress)
        self.passed = self.passed or not trace.asked.all()
        return trace

    def bound(self, labels: Any) -> Bound:
        """The sum over the stretches, each against a labelling that suits it.

        That is the labelling given; where an answer of the stretch contradicts it, the one of smallest cut
        that agrees with the stretch.
        """
        bound = self._over_stretches(labels)
        every = Assumption("every label is asked for", not self.passed)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, every))

    def _over_stretches(self, labels: Any) -> Bound:
        total = len(self.answers)
        starts = [0, *range(self.window, total - self.window, self.window)]
        parts = [self._stretch(start, labels) for start in starts]
        if len(parts) == 1:
            return parts[0]
        assumed = {a.text: a for part in parts for a in part.assumptions if a.holds}
        assumed |= {a.text: a for part in parts for a in part.assumptions if not a.holds}
        terms = {f"stretch {k}": part.value for k, part in enumerate(parts)}
        theorem = f"{parts[0].theorem}, summed over {len(parts)} stretches"
        value = float(np.sum([part.value for part in parts]))
        expected = any(part.expected for part in parts)
        return Bound(value, theorem, terms, tuple(assumed.values()), tuple(parts), expected)

    def _stretch(self, start: int, labels: Any) -> Bound:
        seen = self.answers[start : start + 2 * self.window]
        copy, spoken = self.begin(), True
        for i, (node, code, wanted) in enumerate(seen):
            if start > 0 and i >= self.window:
                spoken = spoken and bool(copy.score(node).any())
            copy.learn(node, code, wanted)
        bound = copy.bound([self._comparator(seen, c, np.asarray(u)) for c, u in enumerate(labels)])
        said = Assumption("every prediction follows the margin (none was by the class remembered)", spoken)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, said))

    def _comparator(self, seen: list[Any], column: int, labels: Ints) -> Ints:
        if isinstance(self.graph, Features):
            return labels
        plus = 1 if self.columns == 1 else column
        answers = {int(node): 1 if code == plus else -1 for node, code, _ in seen}
        if all(labels[node] == label for node, label in answers.items()):
            return labels
        return complete_labelling(self.graph, answers)


@dataclass(frozen=True)
class Forgetting(Wrapped):
    """A learner that forgets all but its latest answers; see the module.

    Parameters
    ----------
    inner
        The learner.
    window
        How many answers are always remembered; from twice as many on they are forgotten.

    Examples
    --------
    >>> from zerokelvin.learners.base import make
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Forgetting(make("longest-path"), window=2).start(line)
    >>> for node, label in [(0, -1), (1, -1), (2, 1), (3, 1)]:  # the labels have changed meanwhile
    ...     state.update(node, label)
    >>> [state.margin(node) for node in range(4)]
    [1.0, 1.0, 1.0, 1.0]
    """

    inner: Learner
    window: Any  # a whole number, checked below under the name that users give it

    growth: ClassVar[str] = EXACT  # whatever the learner: all answers are learnt again

    def __post_init__(self) -> None:
        window = self.window
        if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 1:
            raise ParameterError(f"forget={window!r} must be a whole number of at least 1.")

    def params(self) -> dict[str, Any]:
        """The inner learner's hyper-parameters, and the window as `forget`."""
        return {**self.inner.params(), "forget": self.window}

    def start_game(self, graph: Graph | Features, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game with one copy of the inner one."""
        ready = self.inner.prepare(graph) if prepared is None else prepared
        return ForgettingGame(
            graph, lambda: self.inner.start_game(graph, classes, ready, seed), int(self.window)
        )


def forgetful(learner: Learner, forget: int | None) -> Learner:
    """The learner itself, or one that forgets where a window is given."""
    return learner if forget is None else Forgetting(learner, forget)


def _of_heir(name: str) -> str:
    """The name of an array, behind the number of its problem, as one of the heir's."""
    column, slash, rest = name.rpartition("/")
    return f"{column}{slash}{HEIRS}{rest}"

"""The perceptron on feature vectors, those of a table and new ones.

With a linear kernel it is the classical perceptron: one weight vector in coordinates (with a constant
column √b), O(d) per trial. With any other kernel the mistakes are kept, and the margins of all rows: a
mistake adds a kernel column to them, and a vector from outside the table has the margin
Σ y_t (K(x_t, x) + b). The identity part c·I of the kernel joins a row with itself only, so no two vectors
from outside.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, AskingRule, wants_label
from zerokelvin.bound import Assumption, Bound
from zerokelvin.graph.features import Features
from zerokelvin.jit import kernel
from zerokelvin.learners.base import Game, OneVsRest, Progress, Trace, Trials, sign
from zerokelvin.learners.base.ties import length, settle, settled_dot
from zerokelvin.learners.perceptron.perceptron_state import KernelTerms, PerceptronGame, PerceptronState
from zerokelvin.learners.ridge.instances import FeatureColumns, is_vector, prepare_coordinates
from zerokelvin.least_squares.ldl import dot

__all__ = ["LinearPerceptronState", "VectorPerceptronState", "start_vectors", "vector_game"]


class VectorPerceptronState(PerceptronState):
    """One binary problem over a table of features; `strangers` are mistaken vectors from outside it."""

    fields: ClassVar[tuple[str, ...]] = (*PerceptronState.fields, "strangers", "stranger_labels")

    def __init__(self, features: Features, learner: KernelTerms) -> None:
        super().__init__(features, FeatureColumns(features, learner.kernel), learner)
        self.features = features
        self.strangers: list[list[float]] = []
        self.stranger_labels: list[int] = []

    def margin(self, node: Any) -> float:
        """The weight of a row, or Σ y_t (K(x_t, x) + b) for a new vector."""
        return self._outside(self.features.vector(node)) if is_vector(node) else super().margin(node)

    def update(self, node: Any, label: int) -> None:
        """Add y K x if the prediction for the row or the vector is wrong."""
        if not is_vector(node):
            super().update(node, label)
            return
        x = self.features.vector(node)
        if sign(self._outside(x)) != label:
            column = self.features.cross(self.features.X, x) + self.learner.b
            self.w += label * column
            self.sizes += np.abs(column)
            self._note(x, label)

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """The bound of the table's rows; vectors from outside it have no comparator there."""
        bound = super().bound(labels, theorem)
        known = Assumption("every vector is a row of the table", not self.strangers)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, known))

    def _note(self, x: Floats, label: int) -> None:
        self.strangers.append(x.tolist())
        self.stranger_labels.append(int(label))
        norm = float(self.features.cross(x[None, :], x)[0])
        self.radius = max(self.radius, norm + self.learner.b + self.learner.c)

    def _outside(self, x: Floats) -> float:
        rows = np.array([*self.features.X[self.mistaken_nodes], *np.array(self.strangers)])
        signs = np.array([*self.mistaken_labels, *self.stranger_labels], dtype=np.float64)
        if len(signs) == 0:
            return 0.0
        return float(settled_dot(signs, self.features.cross(rows, x) + self.learner.b))


class LinearPerceptronState(VectorPerceptronState):
    """The same with a linear kernel: `w` is a weight vector, `own` the identity part of every row."""

    fields: ClassVar[tuple[str, ...]] = (*VectorPerceptronState.fields, "own")

    def __init__(self, features: Features, learner: KernelTerms) -> None:
        super().__init__(features, learner)
        self.source = prepare_coordinates(features, 0, learner.b)
        self.w = np.zeros(self.source.dimension)
        self.own = np.zeros(features.num_nodes)

    def margin(self, node: Any) -> float:
        """The inner product with the weights."""
        own = 0.0 if is_vector(node) else float(self.own[node])
        return float(_score(self.source.vector(node), self.w, own))

    def margins(self, nodes: Ints) -> Floats:
        """The inner products of several rows."""
        return _scores(self.source.matrix, nodes, self.w, self.own)

    def update(self, node: Any, label: int) -> None:
        """Add y x if the prediction is wrong."""
        if sign(self.margin(node)) == label:
            return
        x = self.source.vector(node)
        self.w += label * x
        if is_vector(node):
            self._note(self.features.vector(node), label)
            return
        self.own[node] += label * self.learner.c
        self.note_mistakes(np.array([node]), np.array([label]), float(dot(x, x)))

    def note_mistakes(self, nodes: Ints, labels: NDArray[Any], square: float) -> None:
        """Remember mistakes on rows, with their labels and the largest ‖x‖² among them."""
        self.mistaken_nodes.extend(nodes.tolist())
        self.mistaken_labels.extend(labels.tolist())
        if len(nodes):
            self.radius = max(self.radius, square + self.learner.c)


class VectorRules(NamedTuple):
    """Trials after which a label comes, how many may be asked for, and the weight c of the identity."""

    delay: int
    budget: int
    own_weight: float


class VectorWeights(NamedTuple):
    """What the problems of a game have learnt, a row or an entry for each.

    Attributes
    ----------
    w, own
        The weight of every column of the table, and that of every node's own coordinate.
    squares
        The largest ‖x‖² of a mistake.
    lengths
        ‖w‖.
    """

    w: Floats
    own: Floats
    squares: Floats
    lengths: Floats


class LinearPerceptronGame(OneVsRest[LinearPerceptronState]):
    """Linear perceptrons side by side, played in compiled code."""

    def __init__(self, states: list[LinearPerceptronState]) -> None:
        super().__init__(states)
        self.weights = np.stack([state.w for state in states])
        self.own = np.stack([state.own for state in states])
        for state, row, own in zip(states, self.weights, self.own, strict=True):
            state.w, state.own = row, own  # views: the game moves them together

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code."""
        first, trace = self.states[0], Trace.empty(trials)
        codes = np.zeros(trials.signs.shape, dtype=np.int8)
        rules = VectorRules(trials.delay, trials.budget, float(first.learner.c))
        squares = np.zeros(len(self.states))
        weights = VectorWeights(self.weights, self.own, squares, np.zeros(len(self.states)))
        _play(
            first.source.matrix,
            trials.nodes,
            trials.signs,
            trials.limits,
            rules,
            weights,
            trace.margins,
            codes,
        )
        trace.asked[:] = codes > 0
        for c, state in enumerate(self.states):
            learnt = codes[:, c] == 2
            state.note_mistakes(trials.nodes[learnt], trials.signs[learnt, c], float(squares[c]))
        if progress is not None:
            progress(len(trials.nodes))
        return trace


def start_vectors(features: Features, learner: KernelTerms) -> VectorPerceptronState:
    """Begin one binary problem on a table of features."""
    kind = LinearPerceptronState if features.is_linear else VectorPerceptronState
    return kind(features, learner)


def vector_game(features: Features, learner: KernelTerms, count: int) -> Game:
    """Begin `count` problems on a table of features."""
    if features.is_linear:
        return LinearPerceptronGame([LinearPerceptronState(features, learner) for _ in range(count)])
    return PerceptronGame([VectorPerceptronState(features, learner) for _ in range(count)])


@kernel
def _score(x: Floats, w: Floats, own: float) -> float:
    return settle(dot(x, w) + own, length(x) * length(w) + abs(own))


@kernel
def _scores(matrix: Floats, nodes: Ints, w: Floats, own: Floats) -> Floats:
    scores = np.full(len(nodes), np.nan)
    for i in range(len(nodes)):
        scores[i] = _score(matrix[nodes[i]], w, own[nodes[i]])
    return scores


@kernel
def _teach(
    x: Floats, node: int, signs: Any, codes: Any, margins: Any, weights: VectorWeights, c: float
) -> None:
    """Add y x to the weights of every problem that asked and whose margin is on the wrong side.

    Codes become 2 where a problem has learnt.
    """
    w, own, squares, lengths = weights
    for k in range(len(signs)):
        if codes[k] != 0 and (margins[k] >= 0) != (signs[k] > 0):
            for j in range(x.shape[0]):
                w[k, j] += signs[k] * x[j]
            own[k, node] += signs[k] * c
            squares[k] = max(squares[k], dot(x, x))
            lengths[k] = length(w[k])
            codes[k] = 2


@kernel
def _read(x: Floats, node: int, weights: VectorWeights, margins: Any) -> None:
    """The margin of a row in every problem, as `_score` has it, with the lengths of the weights at hand."""
    w, own, lengths = weights.w, weights.own, weights.lengths
    size = length(x)
    for k in range(len(margins)):
        mine = own[k, node]
        margins[k] = settle(dot(x, w[k]) + mine, size * lengths[k] + abs(mine))


@kernel
def _play(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    limits: Floats,
    rules: VectorRules,
    weights: VectorWeights,
    margins: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Predict, ask and learn; codes become 1 asked, 2 learnt."""
    delay, budget, own_weight = rules
    asked = 0
    total, problems = signs.shape
    for k in range(problems):
        weights.lengths[k] = length(weights.w[k])
    now = np.zeros(problems)
    for t in range(total + delay):
        if t < total:
            _read(matrix[nodes[t]], nodes[t], weights, margins[t])
            if wants_label(asked, budget, margins[t], 0.0, AskingRule(limits[t], NO_GAIN, NO_FLOOR)):
                asked += 1
                codes[t, :] = 1
        due = t - delay
        if due >= 0 and codes[due, 0] != 0:
            x = matrix[nodes[due]]
            if delay > 0:  # other labels may have been learnt since
                _read(x, nodes[due], weights, now)
            else:
                now[:] = margins[due]
            _teach(x, nodes[due], signs[due], codes[due], now, weights, own_weight)

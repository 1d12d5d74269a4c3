"""The perceptron in coordinates: the graph perceptron of the 2013 table, in O(d) per trial.

Gu, Aggarwal, Liu, Han (2013, section 5) give every learner, the perceptron of Herbster and Pontil (2006)
too, the rank-d embedding of the nodes in place of the kernel. With rows m_i it keeps w = Σ y_t m_{i_t}
over the mistakes and predicts sign(w·m_i): the predictions of `perceptron` with the kernel matrix M Mᵀ
and b = 0, without computing a kernel column per mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.jit import kernel
from zerokelvin.learners.base import Learner, Problems, Progress, State, Trace, Trials, sign
from zerokelvin.learners.ridge.instances import Coordinates, prepare_coordinates
from zerokelvin.least_squares.ldl import dot

__all__ = ["LowRankPerceptron", "LowRankState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class LowRankState(State):
    """One binary problem: the weights in coordinates."""

    fields: ClassVar[tuple[str, ...]] = ("w",)

    def __init__(self, source: Coordinates) -> None:
        self.source = source
        self.w = np.zeros(source.dimension)

    def margin(self, node: Any) -> float:
        """The inner product of the weights with the coordinates of a node."""
        return float(dot(self.w, self.source.vector(node)))

    def margins(self, nodes: Ints) -> Floats:
        """The inner products at several nodes."""
        return np.array([dot(self.w, row) for row in self.source.matrix[nodes]])

    def update(self, node: Any, label: int) -> None:
        """Add y m_i if the prediction is wrong."""
        x = self.source.vector(node)
        if sign(float(dot(self.w, x))) != label:
            self.w += label * x


class LowRankProblems(Problems):
    """Perceptrons side by side, their weights in one array."""

    def __init__(self, states: Sequence[State]) -> None:
        super().__init__(states)
        chosen = [state for state in states if isinstance(state, LowRankState)]
        self.matrix = chosen[0].source.matrix
        self.weights = np.stack([state.w for state in chosen])
        for state, row in zip(chosen, self.weights, strict=True):
            state.w = row  # a view: the compiled game moves them

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code."""
        trace = Trace.empty(trials)
        settings = np.array([trials.delay, trials.budget])
        _play(
            self.matrix,
            trials.nodes,
            trials.signs,
            trials.limits,
            settings,
            self.weights,
            trace.margins,
            trace.asked,
        )
        if progress is not None:
            progress(len(trials.nodes))
        return trace


@dataclass(frozen=True)
class LowRankPerceptron(Learner):
    """Perceptron on the rank-d embedding with a constant column √b; see the module.

    Parameters
    ----------
    rank
        Number of coordinates, the constant one included. Vectors of a `Features` are taken whole.
    b
        Squared constant column.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = LowRankPerceptron(rank=3, b=1.0).start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [sign(state.margin(node)) for node in range(4)]
    [-1, -1, 1, 1]
    """

    rank: int = 100
    b: float = 2.0

    name: ClassVar[str] = "perceptron"
    takes_features: ClassVar[bool] = True
    problems: ClassVar[type[Problems]] = LowRankProblems

    def prepare(self, graph: Graph | Features) -> Coordinates:
        """The embedding, shared by all classes and shuffles."""
        graph.require_positive(self.name)
        return prepare_coordinates(graph, self.rank, self.b)

    def start(
        self, graph: Graph, prepared: Coordinates | None = None, rng: np.random.Generator | None = None
    ) -> LowRankState:
        """Begin with w = 0."""
        return LowRankState(self.prepare(graph) if prepared is None else prepared)


@kernel
def _play(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    limits: Floats,
    settings: Ints,
    weights: Floats,
    margins: Floats,
    asked: NDArray[np.bool_],
) -> None:
    """Predict and ask at each trial, learn the label that is due; settings = (delay, budget)."""
    delay, budget = settings[0], settings[1]
    total, problems, d = len(nodes), weights.shape[0], matrix.shape[1]
    spent = 0
    for t in range(total + delay):
        if t < total:
            x = matrix[nodes[t]]
            first, second = -np.inf, -np.inf
            for c in range(problems):
                margin = dot(weights[c], x)
                margins[t, c] = margin
                if margin > first:
                    first, second = margin, first
                elif margin > second:
                    second = margin
            sureness = abs(first) if problems == 1 else 0.5 * (first - second)
            if spent < budget and (spent == 0 or sureness < limits[t]):
                spent += 1
                asked[t, :] = True
        due = t - delay
        if due < 0:
            continue
        x = matrix[nodes[due]]
        for c in range(problems):
            if asked[due, c] and (1 if dot(weights[c], x) >= 0 else -1) != signs[due, c]:
                for k in range(d):
                    weights[c, k] += signs[due, c] * x[k]

"""The states and the compiled game of the kernel perceptron; see `learners.perceptron.perceptron`.

Above 300 lines: the state, its bounds and the game that plays many share one array of weights.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, AskingRule, label_is_due, wants_label
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.graph.measures.structure import bal, cut, diameter, label_balance
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernels import KernelColumns
from zerokelvin.learners.base import (
    Game,
    OneVsRest,
    Progress,
    State,
    Trace,
    Trials,
    sign,
)
from zerokelvin.learners.base.growth import Growth, apply_kernel
from zerokelvin.learners.base.ties import DEAD_ZONE, settle
from zerokelvin.learners.perceptron.perceptron_norm import squared_norm
from zerokelvin.machine.lanes import borrow
from zerokelvin.resistance.effective import resistance_diameter
from zerokelvin.resistance.harmonic import smoothest

__all__ = ["KernelTerms", "PerceptronGame", "PerceptronState"]


class KernelTerms(Protocol):
    """What a state needs to know of its learner: the kernel and the weights b and c beside it."""

    @property
    def b(self) -> float:
        """The weight of the constant."""

    @property
    def c(self) -> float:
        """The weight of the identity."""

    @property
    def kernel(self) -> Any:
        """The kernel, by name or as a matrix."""


class PerceptronState(State):
    """One binary problem of the perceptron: the weight vector and the mistakes it is made of."""

    fields: ClassVar[tuple[str, ...]] = (
        "w",
        "sizes",
        "mistaken_nodes",
        "mistaken_labels",
        "radius",
        "carried",
    )

    def __init__(self, graph: Any, columns: KernelColumns, learner: KernelTerms) -> None:
        self.graph = graph
        self.columns = columns
        self.learner = learner
        self.w = np.zeros(graph.num_nodes)
        self.sizes = np.zeros(graph.num_nodes)  # the sums Σ |K(i_t, ·)| of what w was summed from
        self.mistaken_nodes: list[int] = []
        self.mistaken_labels: list[int] = []
        self.radius = 0.0  # X² of Theorem 2.1: the largest K_ii among the mistakes
        self.carried = False  # whether the kernel was another when the first mistakes were made

    def margin(self, node: int) -> float:
        """The weight w_i, the inner product of w with the coordinate of the node (eq. 3)."""
        return float(settle(self.w[node], self.sizes[node]))

    def margins(self, nodes: Ints) -> Floats:
        """The weights at the given nodes."""
        return _settled(self.w, self.sizes, np.asarray(nodes, dtype=np.int64))

    def update(self, node: int, label: int) -> None:
        """Add y K e_i if the prediction for the node is wrong."""
        if sign(self.margin(node)) == label:
            return
        column = self.columns.column(node) + self.learner.b
        column[node] += self.learner.c
        self.radius = max(self.radius, float(column[node]))
        if label > 0:
            self.w += column
        else:
            self.w -= column
        self.sizes += np.abs(column, out=column)
        self.mistaken_nodes.append(int(node))
        self.mistaken_labels.append(int(label))

    def explain(self, node: int) -> list[tuple[int, float]]:
        """Every mistaken node with y_t K(i_t, node), summed over its mistakes; the sum is the margin."""
        column = self.columns.column(node) + self.learner.b
        shares: dict[int, float] = defaultdict(float)
        for other, label in zip(self.mistaken_nodes, self.mistaken_labels, strict=True):
            shares[other] += label * (float(column[other]) + (self.learner.c if other == node else 0.0))
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    # -- bounds -----------------------------------------------------------------------------------

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """The mistake bound of the theorem against the comparator `labels` in {-1, +1}ⁿ.

        ``"2.1"`` uses the norms of the mistaken nodes, ``"4.2"`` the resistance diameter R_G instead,
        and ``"16"`` is the special case b = 1, c = 0 without noise,
        |M| ≤ (4 Φ(u) + β_u) (R_G + 1). Two more are for other b, without noise and with c = 0:

        - ``"1"``, for b = 0: |M| ≤ 4Φ(u) D_G bal(u) (Herbster, Pontil, Wainer 2005; eq. 1 of the paper);
        - ``"4"``, for b = R_G: |M| ≤ 2‖u*‖² R_G + 2, u* the smoothest function that has the labels of the
          mistakes (Herbster 2008, eq. 4 and 5).

        By default Theorem 2.1, or, where u is not in the space because b = c = 0, eq. (1) with X² for D_G.

        After the graph has grown, ⟨w, u⟩ = Σ y_t u(i_t) still, in the kernel of the new graph, so that
        |M| ≤ 2 |M_A ∩ M_u| + ‖w‖ ‖u‖ by Cauchy–Schwarz, with ‖w‖² = Σ y_t w(i_t) as it is now.
        """
        u = np.asarray(labels, dtype=np.int64)
        disagreed = sum(y != u[i] for i, y in zip(self.mistaken_nodes, self.mistaken_labels, strict=True))
        if theorem in ("1", "4"):
            return self._without_noise(u, theorem, disagreed)
        norm, terms = self._squared_norm(u)
        plain = self._is_laplacian and self.learner.b == self.learner.c == 0 and not self.carried
        if theorem is None and math.isinf(norm) and plain and self.graph.num_components == 1:
            return self._without_noise(u, "1", disagreed, self.radius)
        assumptions = [Assumption("the comparator lies in the kernel's space", math.isfinite(norm))]
        if theorem in (None, "2.1"):
            product, name = norm * self.radius if self.radius else 0.0, "Theorem 2.1"
            terms["X²"] = self.radius
        elif theorem in ("4.2", "16"):
            reach = float(resistance_diameter(self.graph))
            name = "Theorem 4.2" if theorem == "4.2" else "Equation (16)"
            product = norm * (reach + self.learner.b + self.learner.c)
            terms["R_G"] = reach
            assumptions.append(Assumption("the graph is connected", self.graph.num_components == 1))
            assumptions.append(Assumption("the kernel is the Laplacian's", self._is_laplacian))
        else:
            raise ParameterError(f"unknown theorem '{theorem}'; known: 2.1, 4.2, 16, 1, 4.")
        if theorem == "16":
            special = self.learner.b == 1 and self.learner.c == 0
            product = (4 * cut(self.graph, u) + label_balance(u)) * (terms["R_G"] + 1)
            assumptions.append(Assumption("b = 1 and c = 0", special))
            assumptions.append(Assumption("no label contradicts the comparator", disagreed == 0))
        terms |= {"‖u‖²": norm, "|M_A ∩ M_u|": float(disagreed)}
        product *= self._tied
        if self.carried:
            energy = float(np.dot(self.w[self.mistaken_nodes], self.mistaken_labels)) * (1 + 1e-6)
            terms = {name: value for name, value in terms.items() if name not in ("X²", "R_G")}
            terms["‖w‖²"] = energy
            value = 2 * disagreed + math.sqrt(max(energy, 0.0) * norm) if energy > 0 else 2.0 * disagreed
            return Bound(value, "Cauchy–Schwarz on the mistakes", terms, tuple(assumptions[:1]))
        root = math.sqrt(2 * disagreed * product + product**2 / 4) if math.isfinite(product) else math.inf
        value = 2 * disagreed + product / 2 + root  # eq. (5) and (15)
        return Bound(value, f"{name}, Herbster and Pontil 2006", terms, tuple(assumptions))

    @property
    def _tied(self) -> float:
        """What ties cost: ‖w‖² ≤ Σ (X² + 2 y_t w(i_t)), and on a tie y_t w(i_t) ≤ 10⁻⁹ |M| X²."""
        return 1.0 + 2.0 * DEAD_ZONE * len(self.mistaken_nodes)

    def _without_noise(self, u: Ints, theorem: str, disagreed: int, reach: float | None = None) -> Bound:
        """Eq. (1) of Herbster and Pontil 2006, with `reach` for D_G if given, and eq. (4) of Herbster 2008.

        Eq. (1): u less its mean ū is in the space of G, and has a margin of at least 1 − |ū|.
        """
        b, c, graph = self.learner.b, self.learner.c, self.graph
        if isinstance(graph, Features):
            raise ParameterError(f"equation ({theorem}) speaks of a graph; features have Theorem 2.1.")
        assumptions = [
            Assumption("the graph is connected", graph.num_components == 1),
            Assumption("the kernel is the Laplacian's", self._is_laplacian),
            Assumption("no label contradicts the comparator", disagreed == 0),
            Assumption("the graph did not grow", not self.carried),
        ]
        if theorem == "1":
            far = float(diameter(graph)) if reach is None else reach
            terms = {"4Φ": 4 * cut(graph, u), "bal": bal(u), "D_G" if reach is None else "X²": far}
            # u of one label only: 0·∞, and its first mistake needs a margin that is not there
            value = terms["4Φ"] * far * terms["bal"] if terms["4Φ"] > 0 else math.inf
            assumptions += [
                Assumption("b = 0 and c = 0", b == 0 and c == 0),
                Assumption("both labels occur", terms["4Φ"] > 0),
            ]
            return Bound(
                value * self._tied, "Equation (1), Herbster and Pontil 2006", terms, tuple(assumptions)
            )
        graph.require_positive("equation (4)")
        nodes = np.unique(np.array(self.mistaken_nodes, dtype=np.int64))
        least, far = smoothest(graph, nodes, u[nodes]).squared_norm, float(resistance_diameter(graph))
        same = math.isclose(b, far, rel_tol=1e-6) and far > 0 and c == 0  # on a single node K would be 0
        assumptions.append(Assumption("b = R_G > 0 and c = 0", same))
        terms = {"‖u*‖²": least, "R_G": far, "4Φ": 4 * cut(graph, u)}
        value = (2 * least * far + 2) * self._tied
        return Bound(value, "Equation (4), Herbster 2008", terms, tuple(assumptions))

    @property
    def _is_laplacian(self) -> bool:
        named = isinstance(self.learner.kernel, str) and self.learner.kernel == "laplacian"
        return named and not isinstance(self.graph, Features)

    def _squared_norm(self, u: Ints) -> tuple[float, dict[str, float]]:
        """‖u‖² in the space of K, and the terms of Lemma 4.1; any other kernel is solved densely."""
        if not self._is_laplacian:
            return self._dense_norm(u), {}
        return squared_norm(self.graph, u, self.learner.b, self.learner.c)

    def _dense_norm(self, u: Ints) -> float:
        n = self.graph.num_nodes
        matrix = np.column_stack([self.columns.column(i) for i in range(n)])
        matrix = matrix + self.learner.b + self.learner.c * np.eye(n)
        solution, *_ = np.linalg.lstsq(matrix, u.astype(np.float64))
        inside = np.allclose(matrix @ solution, u, atol=1e-6)
        return float(u @ solution) if inside else math.inf


class PerceptronArrays(NamedTuple):
    """The weights w of every problem, (problems, nodes), and the sizes of what they were summed from."""

    weights: Floats
    sizes: Floats


class PerceptronRules(NamedTuple):
    """Trials after which a label comes, and how many labels may be asked for."""

    delay: int
    budget: int


class PerceptronGame(OneVsRest[PerceptronState]):
    """Perceptrons side by side: weights in one array, so that the game runs compiled between mistakes."""

    bound_outlives_growth = True

    def __init__(self, states: Sequence[PerceptronState]) -> None:
        super().__init__(states)
        self.weights = np.stack([state.w for state in states])
        self.sizes = np.stack([state.sizes for state in states])
        for state, row, sizes in zip(states, self.weights, self.sizes, strict=True):
            state.w, state.sizes = row, sizes  # views: updates go to the shared arrays

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Keep the mistakes: the weights become K c with the kernel of the grown graph, by one solve each."""
        if isinstance(heir, PerceptronGame):
            carry_mistakes(self, heir, growth.places)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Scan to the next mistake in compiled code, update, and go on."""
        trace = Trace.empty(trials)
        rules = PerceptronRules(trials.delay, trials.budget)
        cursor = np.zeros(3, dtype=np.int64)
        while True:
            due = _scan(
                PerceptronArrays(self.weights, self.sizes),
                trials.nodes,
                trials.signs,
                trials.limits,
                rules,
                cursor,
                trace.margins,
                trace.asked,
            )
            if progress is not None:
                progress(int(cursor[0]))
            if due < 0:
                return trace
            self.learn(int(trials.nodes[due]), int(trials.codes[due]), trace.asked[due])


def carry_mistakes(old: PerceptronGame, new: PerceptronGame, places: Ints) -> None:
    """Give fresh perceptrons on a grown graph the mistakes of old ones, node i being ``places[i]`` there."""
    pairs = list(zip(old.states, new.states, strict=True))
    coefficients = np.zeros_like(new.weights)
    for row, (before, after) in zip(coefficients, pairs, strict=True):
        moved = places[np.array(before.mistaken_nodes, dtype=np.int64)].tolist()
        np.add.at(row, moved, before.mistaken_labels)
        vars(after).update(
            mistaken_nodes=moved,
            mistaken_labels=before.mistaken_labels.copy(),
            radius=before.radius,
            carried=True,
        )
    first = new.states[0]
    new.weights[:] = apply_kernel(first.columns, coefficients)
    new.weights += first.learner.b * coefficients.sum(axis=1, keepdims=True) + first.learner.c * coefficients
    counts = np.abs(coefficients)
    new.sizes[:] = np.abs(apply_kernel(first.columns, counts)) + np.abs(new.weights)
    new.sizes += first.learner.b * counts.sum(axis=1, keepdims=True) + first.learner.c * counts


@kernel
def _settled(w: Floats, sizes: Floats, nodes: Ints) -> Floats:
    margins = np.zeros(len(nodes))
    for k in range(len(nodes)):
        margins[k] = settle(w[nodes[k]], sizes[nodes[k]])
    return margins


@kernel
def _scan(
    arrays: PerceptronArrays,
    nodes: Ints,
    signs: NDArray[np.int8],
    limits: Floats,
    rules: PerceptronRules,
    cursor: Ints,
    margins: Floats,
    asked: NDArray[np.bool_],
) -> int:
    """Predict on from the cursor until a label is due that was predicted wrong; −1 at the end.

    cursor = (next trial to predict, next label to learn, trials asked).
    """
    weights, sizes = arrays
    delay, budget = rules
    total, problems = len(nodes), weights.shape[0]
    margins, cursor = borrow(margins), borrow(cursor)  # passed on at every trial
    while True:
        while label_is_due(cursor, delay, total):
            due = cursor[1]
            cursor[1] += 1
            for c in range(problems):
                guess = 1 if settle(weights[c, nodes[due]], sizes[c, nodes[due]]) >= 0 else -1
                if asked[due, c] and guess != signs[due, c]:
                    return due
        if cursor[0] == total:
            return -1
        t = cursor[0]
        cursor[0] += 1
        for c in range(problems):
            margins[t, c] = settle(weights[c, nodes[t]], sizes[c, nodes[t]])
        if wants_label(cursor[2], budget, margins[t], 0.0, AskingRule(limits[t], NO_GAIN, NO_FLOOR)):
            cursor[2] += 1
            for c in range(problems):
                asked[t, c] = True

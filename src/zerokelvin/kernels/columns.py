"""Kernels on the nodes of a graph, one column K e_i at a time and never as a matrix.

| class | kernel | cost of a column |
|---|---|---|
| `SolverKernel` | L⁺, (L + εI)⁻¹, Lₙ⁺, (Lₙ + εI)⁻¹ | one solve |
| `HeatKernel` | exp(−tL), exp(−tLₙ) | about √(t·λ·ln(1/tol)) products, λ ≥ the largest eigenvalue |
| `RandomWalkKernel` | (a·I − Lₙ)^p, a ≥ 2 | p products |
| `PageRankKernel` | (1 − α)(I − αAD⁻¹)⁻¹ | one solve |

(Smola and Kondor 2003 for the family.) Local approximations that never touch the whole graph are in
`zerokelvin.kernels.push`. Every class has `num_nodes`, ``column(node)`` and ``columns(nodes)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.special
from numpy.typing import ArrayLike, NDArray

from zerokelvin.errors import NodeError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solver import Solver, analyse

__all__ = ["HeatKernel", "PageRankKernel", "RandomWalkKernel", "SolverKernel"]

Floats = NDArray[np.float64]

MOST_TERMS = 50_000
"""Most terms of a heat kernel's series: a column is as many products with the matrix."""

MOST_DOUBLINGS = 500.0
"""Most steps of a walk times log₂ a: entries grow as a^steps, and squares of floats end at 2^1024."""


@dataclass(frozen=True)
class SolverKernel:
    """The kernel that a solver inverts to: L⁺, (L + εI)⁻¹ or a normalized form.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> SolverKernel.of(line, shift=1.0).column(1).round(3).tolist()
    [0.25, 0.5, 0.25]
    """

    solver: Solver

    @classmethod
    def of(
        cls,
        graph: Graph,
        shift: float = 0.0,
        normalized: bool = False,
        engine: str = "auto",
        tol: float = 1e-6,
    ) -> SolverKernel:
        """Analyse a graph for the kernel (L + shift·I)⁻¹, the pseudo-inverse where shift is 0."""
        return cls(analyse(graph, engine, shift=shift, normalized=normalized, tol=tol))

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.solver.operator.graph.num_nodes

    def column(self, node: int) -> Floats:
        """The column of one node."""
        _check(node, self.num_nodes)
        return self.solver.column(node)

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns as an (n, k) array."""
        return self.solver.columns(nodes)

    def several(self, nodes: list[int]) -> list[Floats]:
        """Several columns, each an array of its own: looked up, or solved for as one block."""
        if self.solver.engine == "dense":
            return [self.column(node) for node in nodes]
        return list(np.ascontiguousarray(self.columns(nodes).T))


@dataclass(frozen=True)
class HeatKernel:
    """The heat (diffusion) kernel exp(−tL), or exp(−tLₙ), by a Chebyshev series.

    On [0, λ], exp(−tx) = Σ_k c_k T_k(2x/λ − 1) with c_k = 2·(−1)^k·e^(−z)·I_k(z), z = tλ/2, halved
    at k = 0. As |T_k| ≤ 1 there, cutting the series after K terms costs a column at most Σ_{k>K} |c_k|
    in Euclidean norm, and K is taken so that this is at most `tol`. λ is the Gershgorin bound 2·max
    degree, or 2 where normalized.

    Parameters
    ----------
    graph
        The graph; signed ones use the signed Laplacian.
    t
        Diffusion time, at least 0.
    normalized
        Take Lₙ in place of L.
    tol
        Bound on the Euclidean error of a column.

    Examples
    --------
    >>> pair = Graph.from_edges([(0, 1)])
    >>> HeatKernel(pair, t=1.0).column(0).round(6).tolist()
    [0.567668, 0.432332]
    """

    graph: Graph
    t: float
    normalized: bool = False
    tol: float = 1e-8

    def __post_init__(self) -> None:
        if not (np.isfinite(self.t) and self.t >= 0):
            raise ParameterError(f"t={self.t} must be a finite number, at least 0.")
        if not 0 < self.tol < 1:
            raise ParameterError(f"tol={self.tol} must lie between 0 and 1.")
        _ = self.coefficients  # refuse what takes too long before anything is learnt

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.graph.num_nodes

    @cached_property
    def coefficients(self) -> Floats:
        """The Chebyshev coefficients kept."""
        z = self.t * self._reach / 2
        terms = 2 * np.sqrt(z * np.log(4 / self.tol)) + 2 * np.log(4 / self.tol) + 16
        if not terms <= MOST_TERMS:
            raise ParameterError(
                f"the heat kernel with t={self.t:g} and degrees of up to {self._reach / 2:.2g} takes "
                f"{terms:.0e} products per column, more than {MOST_TERMS}; take a smaller t, "
                "kernel='relative-heat:T', in which the unit of weights does not matter, or another kernel."
            )
        most = int(terms)
        for _ in range(8):  # the second time is enough, but for tolerances that rounding cannot reach
            orders = np.arange(2 * most)
            values: Floats = 2 * np.asarray(scipy.special.ive(orders, z), dtype=np.float64)
            tails = np.cumsum(values[::-1])[::-1]
            # beyond the computed orders the coefficients fall faster than geometrically, so this suffices
            if tails[most] <= self.tol / 4 and values[-1] <= self.tol * 1e-4:
                break
            most *= 2
        else:
            raise ParameterError(
                f"tol={self.tol:g} is too small for the heat kernel; rounding alone exceeds it."
            )
        keep = int(np.argmax(np.append(tails[1:], 0.0) <= self.tol / 2)) + 1
        kept = values[:keep] * (-1.0) ** orders[:keep]
        kept[0] /= 2
        return kept

    def column(self, node: int) -> Floats:
        """The column of one node."""
        _check(node, self.num_nodes)
        unit = np.zeros(self.num_nodes)
        unit[node] = 1.0
        return self._apply(unit)

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns as an (n, k) array."""
        return self._apply(_units(nodes, self.num_nodes))

    @cached_property
    def _operator(self) -> Operator:
        return Operator(self.graph, normalized=self.normalized)

    @cached_property
    def _reach(self) -> float:
        highest = float(self.graph.degrees.max())
        return 2.0 if self.normalized and highest > 0 else 2.0 * highest

    def _apply(self, value: Floats) -> Floats:
        weights = self.coefficients
        total: Floats = weights[0] * value
        if len(weights) == 1 or self._reach == 0:
            return value.copy() if self._reach == 0 else total
        scale = 2.0 / self._reach
        before, current = value.copy(), scale * self._operator.apply(value) - value
        total += weights[1] * current
        for weight in weights[2:]:  # 2 (scale · L − I) current − before, with no array but one made anew
            following = self._operator.apply(current)
            following *= 2 * scale
            following -= current
            following -= current
            following -= before
            spare, before, current = before, current, following
            np.multiply(current, weight, out=spare)
            total += spare
        return total


@dataclass(frozen=True)
class RandomWalkKernel:
    """The p-step random-walk kernel (a·I − Lₙ)^p; positive semi-definite for a ≥ 2.

    Examples
    --------
    >>> RandomWalkKernel(Graph.from_edges([(0, 1)]), steps=1).column(0).tolist()
    [1.0, 1.0]
    """

    graph: Graph
    steps: int
    a: float = 2.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ParameterError(f"steps={self.steps} must be at least 1.")
        if not (np.isfinite(self.a) and self.a >= 2):
            raise ParameterError(f"a={self.a} must be at least 2 for a positive semi-definite kernel.")
        if not self.steps * np.log2(self.a) <= MOST_DOUBLINGS:
            most = int(MOST_DOUBLINGS / np.log2(self.a))
            raise ParameterError(f"steps={self.steps} outgrow floats; take at most {most} with a={self.a:g}.")

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.graph.num_nodes

    def column(self, node: int) -> Floats:
        """The column of one node."""
        _check(node, self.num_nodes)
        unit = np.zeros(self.num_nodes)
        unit[node] = 1.0
        return self._apply(unit)

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns as an (n, k) array."""
        return self._apply(_units(nodes, self.num_nodes))

    @cached_property
    def _operator(self) -> Operator:
        return Operator(self.graph, normalized=True)

    def _apply(self, value: Floats) -> Floats:
        for _ in range(self.steps):
            value = self.a * value - self._operator.apply(value)
        return value


@dataclass(frozen=True)
class PageRankKernel:
    """Personalised PageRank (1 − α)(I − αAD⁻¹)⁻¹, not symmetric, by solves.

    With ρ = (1 − α)/α it is ρ D^(1/2) (Lₙ + ρI)⁻¹ D^(−1/2), so a solver of Lₙ + ρI serves it. A walk at a
    node without edges stays there. Local approximations: `zerokelvin.kernels.push.pagerank`.

    Examples
    --------
    >>> PageRankKernel.of(Graph.from_edges([(0, 1)]), alpha=0.5).column(0).round(6).tolist()
    [0.666667, 0.333333]
    """

    solver: Solver

    @classmethod
    def of(cls, graph: Graph, alpha: float, engine: str = "auto", tol: float = 1e-6) -> PageRankKernel:
        """Analyse a graph with positive weights for the chance 0 < α < 1 of walking on."""
        graph.require_positive("PageRank")
        if not 0 < alpha < 1:
            raise ParameterError(f"alpha={alpha} must lie strictly between 0 and 1.")
        return cls(analyse(graph, engine, shift=(1 - alpha) / alpha, normalized=True, tol=tol))

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.solver.operator.graph.num_nodes

    def column(self, node: int) -> Floats:
        """Where a walk from one node ends."""
        _check(node, self.num_nodes)
        return self._rate * self.solver.column(node) * (self._scale / self._scale[node])

    def row(self, node: int) -> Floats:
        """How much of the walk from every node ends at one node."""
        _check(node, self.num_nodes)
        return self._rate * self.solver.column(node) * (self._scale[node] / self._scale)

    @property
    def _rate(self) -> float:
        return self.solver.operator.shift

    @cached_property
    def _scale(self) -> Floats:
        degrees = self.solver.operator.graph.degrees
        return np.sqrt(np.where(degrees > 0, degrees, 1.0))


def _check(node: int, count: int) -> None:
    if not 0 <= node < count:
        raise NodeError(f"node index {node} is outside the graph's {count} nodes.")


def _units(nodes: ArrayLike, count: int) -> Floats:
    chosen = np.asarray(nodes, dtype=np.int64)
    for node in chosen:
        _check(int(node), count)
    unit = np.zeros((count, len(chosen)))
    unit[chosen, np.arange(len(chosen))] = 1.0
    return unit

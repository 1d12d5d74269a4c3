"""The heat (diffusion) kernels exp(−tL) and exp(−tLₙ).

A column takes about √(t·λ·ln(1/tol)) products with the matrix, λ ≥ its largest eigenvalue.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.kernels.columns import AppliedKernel
from zerokelvin.kernels.kernel_names import AT_LEAST_ZERO, graph_kernel
from zerokelvin.solve.engines import check_engine
from zerokelvin.solve.operator import Operator

__all__ = ["MOST_TERMS", "HeatKernel", "heat", "normalized_heat"]

MOST_TERMS = 50_000
"""Most terms of a heat kernel's series: a column is as many products with the matrix."""


@dataclass(frozen=True)
class HeatKernel(AppliedKernel):
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
        """The coefficients of the Chebyshev series, as many as the tolerance takes."""
        from scipy.special import ive

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
            values: Floats = 2 * np.asarray(ive(orders, z), dtype=np.float64)
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

    @cached_property
    def _operator(self) -> Operator:
        return Operator(self.graph, normalized=self.normalized)

    @cached_property
    def _reach(self) -> float:
        highest = float(self.graph.degrees.max())
        return 2.0 if self.normalized and highest > 0 else 2.0 * highest

    def apply(self, value: Floats) -> Floats:
        """The kernel times a vector (n,) or a block (n, k)."""
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


@graph_kernel("heat", "T", needs=AT_LEAST_ZERO)
def heat(graph: Graph, number: float, engine: str, tol: float) -> HeatKernel:
    """The kernel exp(−T·L), T being `number`."""
    check_engine(engine)
    return HeatKernel(graph, number, tol=tol)


@graph_kernel("normalized-heat", "T", needs=AT_LEAST_ZERO, has_unit=False)
def normalized_heat(graph: Graph, number: float, engine: str, tol: float) -> HeatKernel:
    """The kernel exp(−T·Lₙ), T being `number`."""
    check_engine(engine)
    return HeatKernel(graph, number, normalized=True, tol=tol)

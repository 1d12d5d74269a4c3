"""One connected resistive network, asked many things: pairs, all nodes from one, all pairs, and their sums.

With K = G⁺ the resistance is r(p, q) = K_pp + K_qq − 2 K_pq (`zerokelvin.resistance.effective`), so that
everything here is made of the diagonal of K and of its columns. The two sums that graphs are compared by are

    Σ_{p<q} r(p, q) = n·tr K                                     (Kirchhoff index; Klein and Randić 1993),
    Σ_{p<q} d_p d_q r(p, q) / D = Σ_p d_p K_pp − dᵀKd / D         (Kemeny's constant, D = Σ d; Lovász 1993),

the latter for the walk that leaves p by an edge with probability weight / d_p, and stays with what is left
where d_p is more than the sum of the weights (a self-loop).

The solver is sparse Cholesky where its factor is small, else approximate Cholesky; both are made when first
used. A graph of up to 3,000 nodes whose factor is large has its dense inverse for the diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.resistance.effective import BLOCK, kernel_diagonal, pair_resistances
from zerokelvin.solve.dense import DENSE_LIMIT
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.solver import Solver, analyse, inverse_matrix

__all__ = ["ResistiveNetwork"]

SMALL_FILL = 60.0
"""Entries of a Cholesky factor per node up to which one solve costs less than its iterations."""

TOLERANCE = 1e-12
"""Relative residual of iterative solves: as exact as a dense pseudo-inverse is on such graphs."""


@dataclass(frozen=True)
class ResistiveNetwork:
    """Effective resistances of a connected graph.

    Parameters
    ----------
    graph
        Its weights are the conductances, positive ones.
    inverse
        G⁺ itself, where conductances have any sign; everything is then read off it.

    Examples
    --------
    >>> network = ResistiveNetwork(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]))
    >>> round(network.pair(0, 2), 9), network.row(0).round(9).tolist(), round(network.total(), 9)
    (1.0, [0.0, 0.75, 1.0, 0.75], 5.0)
    """

    graph: Graph
    inverse: Floats | None = None

    def __post_init__(self) -> None:
        if self.inverse is None:
            self.graph.require_positive("effective resistance")
        if self.graph.num_components > 1:
            raise GraphError("the graph is not connected; take graph.largest_component() first.")

    def pair(self, p: int, q: int) -> float:
        """The effective resistance between nodes p and q, by one solve."""
        if self.inverse is not None:
            return float(self.row(p)[q])
        return float(pair_resistances(self.graph, [(p, q)], self._sparse[0])[0])

    def row(self, p: int) -> Floats:
        """The resistance between node p and every node, (n,)."""
        return next(self._resistances(np.array([p])))

    def rows(self) -> Iterator[Floats]:
        """`row` of every node, one after the other in node order, never all at once."""
        return self._resistances(np.arange(self.graph.num_nodes))

    def total(self) -> float:
        """The sum of the resistances of all pairs of nodes, the effective graph resistance."""
        return float(self.graph.num_nodes * self.diagonal.sum())

    def row_sums(self) -> Floats:
        """For every node the sum of its resistances to all nodes."""
        return self.graph.num_nodes * self.diagonal + self.diagonal.sum()

    def kemeny(self, degrees: Floats) -> float:
        """Kemeny's constant of the walk with these degrees, at least ``graph.degrees``.

        >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
        >>> round(ResistiveNetwork(triangle).kemeny(triangle.degrees), 9)
        1.333333333
        """
        total = float(degrees.sum())
        centred = degrees - total / len(degrees)
        potential = self._sparse[0].solve(centred).value
        return float(degrees @ self.diagonal - centred @ potential / total)

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal of the pseudo-inverse G⁺ of the Laplacian, (n,)."""
        if self._inverse is not None:
            return self._inverse.diagonal()
        return kernel_diagonal(self.graph, self._sparse[0])

    @cached_property
    def _sparse(self) -> tuple[Solver, bool]:
        """A solver without a dense matrix, and whether it is direct."""
        if self.graph.num_edges == self.graph.num_nodes - 1:
            return analyse(self.graph), True
        try:
            return analyse(self.graph, Direct(max_fill=SMALL_FILL)), True
        except ParameterError:  # too large a factor
            return analyse(self.graph, "approximate", tol=TOLERANCE), False

    @cached_property
    def _inverse(self) -> Floats | None:
        """The dense inverse, where the graph is small and its factor large."""
        if self.inverse is not None:
            return self.inverse
        dense = self.graph.num_nodes <= DENSE_LIMIT and not self._sparse[1]
        return inverse_matrix(self.graph) if dense else None

    def _resistances(self, nodes: Ints) -> Iterator[Floats]:
        diagonal, inverse = self.diagonal, self._inverse
        if inverse is None and len(nodes) > BLOCK and self.graph.num_nodes <= DENSE_LIMIT:
            inverse = inverse_matrix(self.graph)
        for start in range(0, len(nodes), BLOCK):
            some = nodes[start : start + BLOCK]
            columns = self._sparse[0].columns(some).T if inverse is None else inverse[some]
            for p, column in zip(some.tolist(), columns, strict=True):
                found = diagonal[p] + diagonal - 2 * column
                found[p] = 0.0
                yield found if self.inverse is not None else np.maximum(found, 0.0)

"""Effective resistances of all pairs at once, approximately: a random projection with its error stated.

Spielman and Srivastava (2011): with the edge-node incidence matrix B and weights W,
r(p, q) = ‖W^(1/2) B G⁺ (e_p − e_q)‖², a squared distance between vectors with one entry per edge. A
projection Q on k random directions (entries ±1/√k) keeps all of these: by Achlioptas (2003), for one pair

    Pr[ | ‖Qx‖² − ‖x‖² | > ε‖x‖² ]  ≤  2·exp(−k·(ε²/4 − ε³/6)),

and the coordinates Z = Q W^(1/2) B G⁺ take k solves. The error stated holds for all pairs of nodes
at once, except with the probability stated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.optimize
from numpy.typing import ArrayLike, NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.resistance.effective import BLOCK, node_pairs
from zerokelvin.solve.solver import Solver, analyse

__all__ = ["ResistanceSketch", "sketch_resistances"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ResistanceSketch:
    """Coordinates of the nodes whose squared distances approximate effective resistances.

    Attributes
    ----------
    coordinates
        (n, k) array.
    components
        The component of every node.
    error, failure
        All pairs are right up to the relative `error`, except with probability `failure`; an error of
        1 or more says that k is too small for any guarantee over all pairs.
    typical
        The standard deviation √(2/k) of one pair's relative error.
    """

    coordinates: Floats
    components: NDArray[np.int64]
    error: float
    failure: float
    typical: float

    def pairs(self, pairs: ArrayLike) -> Floats:
        """Approximate effective resistance of every row (p, q); inf across components."""
        first, second = node_pairs(pairs, len(self.components)).T
        gaps = self.coordinates[first] - self.coordinates[second]
        squares: Floats = np.einsum("ij,ij->i", gaps, gaps)
        return np.where(self.components[first] == self.components[second], squares, np.inf)


def sketch_resistances(
    graph: Graph,
    rng: np.random.Generator,
    directions: int = 200,
    failure: float = 0.01,
    solver: Solver | None = None,
) -> ResistanceSketch:
    """Sketch all effective resistances of a graph with `directions` solves.

    Parameters
    ----------
    graph, rng
        A graph with positive weights; the source of the random signs.
    directions
        k, the number of random directions.
    failure
        Probability that the stated error may be exceeded.
    solver
        A solver of ``analyse(graph)`` to use; one of relative residual 10⁻⁸ is made otherwise.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> sketch = sketch_resistances(square, np.random.default_rng(0), directions=2000)
    >>> bool(abs(sketch.pairs([(0, 2)])[0] - 1.0) < sketch.error)
    True
    """
    graph.require_positive("effective resistance")
    if directions < 1:
        raise ParameterError(f"directions={directions} must be at least 1.")
    if not 0 < failure < 1:
        raise ParameterError(f"failure={failure} must lie strictly between 0 and 1.")
    solver = solver or analyse(graph, tol=1e-8)
    roots = np.sqrt(graph.edge_weights / directions)
    coordinates = np.full((graph.num_nodes, directions), np.nan)
    for start in range(0, directions, BLOCK):
        stop = min(start + BLOCK, directions)
        signs = rng.integers(0, 2, size=(graph.num_edges, stop - start)) * 2.0 - 1.0
        flow = signs * roots[:, None]
        right = np.zeros((graph.num_nodes, stop - start))
        for lane in range(stop - start):
            right[:, lane] = np.bincount(graph.edges[:, 0], flow[:, lane], graph.num_nodes)
            right[:, lane] -= np.bincount(graph.edges[:, 1], flow[:, lane], graph.num_nodes)
        coordinates[:, start:stop] = solver.solve(right).value
    error = _projection_error(directions, graph.num_nodes, failure)
    return ResistanceSketch(coordinates, graph.components, error, failure, (2 / directions) ** 0.5)


def _projection_error(directions: int, count: int, failure: float) -> float:
    """The smallest ε for which the union bound over all pairs gives at most `failure`; inf if none."""
    pairs = max(count * (count - 1) / 2, 1)
    need = np.log(2 * pairs / failure) / directions
    if need > 1 / 4 - 1 / 6:
        return float("inf")
    return float(scipy.optimize.brentq(lambda e: e * e / 4 - e**3 / 6 - need, 0.0, 1.0))

"""What a label is worth: how unsure the prediction is, and how much it would tell about nodes still to come.

With P the posterior covariance of a Gaussian regression and μ its noise, a label at i moves the mean of j by
k_ij = P_ij / (P_ii + μ) times what was wrong at i. The influence of i is

    √ Σ_j k_ij²   over the nodes j that wait for their turn,

large for a node in the middle of unexplored country, near 0 for a leaf or where labels are dense. The value
of a label is this influence over the lead of the best class before the second in the posterior mean, which is
small where classes compete and where nothing is known: the policy ``value:C`` asks where it exceeds 1/C.

The column P e_i comes from local pushes on the precision matrix L + E (`kernels.relaxation`), every
entry within `TOL` of the exact one, and only the nodes it reaches are touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.value import label_value
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import join, leave
from zerokelvin.learners.gaussian.diffusion import Diffusion

__all__ = ["TOL", "Influence"]

TOL = 0.01


class Influence:
    """The influence of labels under the regression of a `Diffusion`.

    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.learners.gaussian.diffusion import system_of
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 8)])
    >>> influence = Influence(Diffusion(system_of(star, "regularized:0.1"), 1, 1.0, 0.0, 0.01))
    >>> waiting = np.ones(8, dtype=bool)
    >>> influence.of(0, waiting) > influence.of(1, waiting)
    True
    """

    def __init__(self, diffusion: Diffusion) -> None:
        self.diffusion = diffusion
        count = diffusion.system.graph.num_nodes
        reached, known = np.empty(count, np.int64), np.zeros(count, np.bool_)
        self._column = (np.zeros(count), np.zeros(count), reached, known)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What a label of `node` is worth: influence on the nodes that wait, over the lead of its class."""
        return label_value(self.of(node, waiting), self.diffusion.values(node))

    def of(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """The influence of a node on the others that wait; nodes beyond the end of the array do not."""
        diffusion, solve = self.diffusion, self.diffusion.relaxation
        system = diffusion.system
        matrix = (solve.csr, solve.diagonal[0], solve.excess)
        ends = (system.into, system.out, waiting)
        noise = 1.0 / diffusion.terms.precision
        return float(_influence(matrix, ends, self._column, solve.scratch, node, noise, TOL / system.unit**2))


@kernel
def _influence(matrix: Any, ends: Any, column: Any, queue: Any, node: int, noise: float, tol: float) -> float:
    (indptr, indices, weights), inverse, excess = matrix
    into, out, waiting = ends
    x, r, reached, known = column
    head, count = 0, 1
    r[node] = 1.0
    reached[0] = node
    known[node] = True
    length = join(queue, head, 0, node)
    while length > 0:
        u, head, length = leave(queue, head, length)
        moved = r[u] * inverse[u]
        x[u] += moved
        r[u] = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            r[v] += weights[p] * moved
            if not known[v]:
                known[v] = True
                reached[count] = v
                count += 1
            if r[v] > tol * excess[v]:
                length = join(queue, head, length, v)
    own = out[node] * x[node] * into[node] + noise
    total = 0.0
    for k in range(count):
        v = reached[k]
        if v != node and v < len(waiting) and waiting[v]:
            share = out[v] * x[v] * into[node] / own
            total += share * share
        x[v] = 0.0
        r[v] = 0.0
        known[v] = False
    return np.sqrt(total)

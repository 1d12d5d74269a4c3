"""One epoch of the refinement: every node moves towards its neighbours and away from nodes drawn by a hash.

With d the distance of two nodes in the plane, the objective of UMAP (McInnes, Healy, Melville 2018, section
3.2 and appendix C, with b = 1, where no power has to be computed) is

    Σ_edges w log(1 + a d²) − γ Σ_pairs log(1 − 1/(1 + a d²)),

so an edge pulls with 2 a w (x_j − x_i)/(1 + a d²), and any other node pushes with
2 γ (x_i − x_k)/((ε + d²)(1 + a d²)). Here the step is divided by 2 a Σ_j w_ij, as in Jacobi's method:

    step_i = Σ_j (w_ij/W_i) (x_j − x_i)/(1 + a d_ij²) + (γ/a) · mean_k (x_i − x_k)/((ε + d_ik²)(1 + a d_ik²)),

which keeps hubs from overshooting at any weights. The mean is over `samples` nodes k drawn with replacement
by a hash of seed, epoch, node and sample.

All nodes move at once, each from the old positions of the others: what a node does depends on nothing but its
own row, so that any split of the nodes among threads gives the same positions to the last bit. Only sums,
products and quotients are used, in a fixed order, so compiled code gives what Python gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = ["Forces", "move_nodes"]


class Forces(NamedTuple):
    """The constants of an epoch.

    `sharpness` is a, `push` γ/a, `softness` ε; `samples` nodes push each node; `rate` is the part of a step
    that is made, of one cut to the length `longest`; `momentum` the part of the last move that is made again.
    """

    sharpness: float
    push: float
    softness: float
    samples: int
    rate: float
    longest: float
    momentum: float


@kernel
def move_nodes(
    csr: Csr, old: Floats, new: Floats, start: int, stop: int, key: np.uint64, forces: Forces
) -> None:
    """Set rows `start` to `stop` of `new`, (n, 2), to where those nodes move from `old`.

    `new` comes with the positions before the old ones, from which a node has its momentum. The weights of the
    csr are the shares w_ij/W_i. Nodes without an edge stay where they are. `key` belongs to the epoch.
    """
    count = np.uint64(len(old))
    for i in range(start, stop):
        x, y = old[i, 0], old[i, 1]
        if csr.indptr[i] == csr.indptr[i + 1]:
            new[i, 0], new[i, 1] = x, y
            continue
        pull_x, pull_y = 0.0, 0.0
        for p in range(csr.indptr[i], csr.indptr[i + 1]):
            j = csr.indices[p]
            across, up = old[j, 0] - x, old[j, 1] - y
            share = csr.weights[p] / (1.0 + forces.sharpness * (across * across + up * up))
            pull_x += share * across
            pull_y += share * up
        push_x, push_y = 0.0, 0.0
        state = key ^ (np.uint64(i) * np.uint64(0xD1B54A32D192ED03))
        for _ in range(forces.samples):
            state = state + np.uint64(0x9E3779B97F4A7C15)
            z = state
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
            k = np.int64(((z >> np.uint64(32)) * count) >> np.uint64(32))
            across, up = x - old[k, 0], y - old[k, 1]
            square = across * across + up * up
            share = 1.0 / ((forces.softness + square) * (1.0 + forces.sharpness * square))
            push_x += share * across
            push_y += share * up
        strength = forces.push / forces.samples
        step_x = pull_x + strength * push_x
        step_y = pull_y + strength * push_y
        length = np.sqrt(step_x * step_x + step_y * step_y)
        rate = forces.rate
        if length > forces.longest:
            rate *= forces.longest / length
        new[i, 0] = x + rate * step_x + forces.momentum * (x - new[i, 0])
        new[i, 1] = y + rate * step_y + forces.momentum * (y - new[i, 1])

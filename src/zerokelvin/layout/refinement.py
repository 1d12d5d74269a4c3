"""Refine a drawing by pulls along edges and pushes between nodes, in the background and in stages.

Epoch by epoch all nodes move at once (`attraction_repulsion`), with steps that become shorter in a straight
line. The nodes are split among threads; the positions are the same to the last bit on any number of them,
with and without compilation. Components are put side by side again at every stage that is shown
(`shelf_packing`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.graph import Graph
from zerokelvin.layout.attraction_repulsion import Forces, move_nodes
from zerokelvin.layout.shelf_packing import packed
from zerokelvin.layout.spectral_start import attracting, components_of
from zerokelvin.threads import in_threads

__all__ = ["LayoutStage", "refine"]

EPOCHS = 1000
SHARPNESS = 1.6
"""a: UMAP's curve for a least distance of 0.1 has a = 1.577, b = 0.895."""

REPULSION = 30.0
"""γ, for all pushes on a node together. UMAP has 5 pushes to a pull that moves both ends; with more of it the
map is wider and more of its neighbours are right: 20 to 50 did best on digits, pen digits, 100,000 points."""

SAMPLES = 10
SOFTNESS = 1e-3
"""ε, as UMAP has it."""

RATE, LONGEST, MOMENTUM = 0.9, 1.0, 0.5
"""The first epoch's part of a step (a whole one makes pairs of nodes change places for ever), the longest
step, and the momentum: 0.5 raises the share of right neighbours at 100,000 points by a tenth; 0.8 lowers it
at 2,000."""

JITTER = 1e-3
"""Nodes that begin in one place would stay together: each is moved by up to so much at first."""

STAGES = 12
SHARE_OF_A_THREAD = 4096
"""Nodes below which another thread costs more than it brings."""


@dataclass(frozen=True)
class LayoutStage:
    """The drawing after `epoch` of `epochs`: `positions`, (n, 2), belong to whoever is shown them."""

    epoch: int
    epochs: int
    positions: Floats = field(repr=False)


def refine(
    graph: Graph,
    positions: ArrayLike,
    seed: int = 0,
    epochs: int = EPOCHS,
    report: Callable[[LayoutStage], object] | None = None,
    threads: int | None = None,
) -> Floats:
    """Better positions (n, 2) of the nodes, from given ones such as `first_layout`'s.

    Parameters
    ----------
    graph
        Any graph; edges of negative weight do not pull.
    positions
        Two finite numbers per node.
    seed
        Whole number; draws the nodes that push.
    epochs
        How often all nodes move, at least 0.
    report
        Called with a `LayoutStage` some twelve times; if it returns False, what has been reached is returned.
    threads
        How many parts the nodes are split into; by default 2, or 1 for a small graph.

    Examples
    --------
    >>> ring = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> seen = []
    >>> refine(ring, np.zeros((6, 2)), epochs=24, report=lambda stage: seen.append(stage.epoch)).shape
    (6, 2)
    >>> seen
    [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]
    """
    now = _checked(graph, positions)
    if epochs < 0:
        raise ParameterError(f"epochs={epochs} is negative; 0 leaves the positions as they are.")
    matrix = attracting(graph)
    components = components_of(matrix)
    seed &= 2**64 - 1
    now += np.random.default_rng(seed).uniform(-JITTER, JITTER, now.shape)
    keys = np.random.SeedSequence(seed).generate_state(max(epochs, 1), np.uint64)
    sums = np.repeat(matrix.sum(axis=1), np.diff(matrix.indptr))
    csr = Csr(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data / sums)
    parts = _parts(graph.num_nodes, threads)
    before = now.copy()
    every = max(1, -(-epochs // STAGES))
    for epoch in range(epochs):
        rate = RATE * (1.0 - epoch / epochs)
        forces = Forces(SHARPNESS, REPULSION / SHARPNESS, SOFTNESS, SAMPLES, rate, LONGEST, MOMENTUM)
        in_threads([partial(_move, csr, now, before, part, keys[epoch], forces) for part in parts])
        now, before = before, now
        if report is not None and ((epoch + 1) % every == 0 or epoch + 1 == epochs):
            stage = LayoutStage(epoch + 1, epochs, packed(now, components))
            if report(stage) is False:
                break
    return packed(now, components)


def _move(csr: Csr, old: Floats, new: Floats, part: tuple[int, int], key: np.uint64, forces: Forces) -> None:
    """Move some of the nodes; uncompiled, the hash may overflow here as it does compiled."""
    with np.errstate(over="ignore"):
        move_nodes(csr, old, new, part[0], part[1], key, forces)


def _parts(nodes: int, threads: int | None) -> list[tuple[int, int]]:
    """The first and last node (exclusive) of every thread."""
    if threads is not None and threads < 1:
        raise ParameterError(f"threads={threads} must be 1 or more.")
    count = min(threads if threads is not None else 2 if nodes >= 2 * SHARE_OF_A_THREAD else 1, nodes)
    ends: Ints = np.linspace(0, nodes, count + 1).astype(np.int64)
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _checked(graph: Graph, positions: ArrayLike) -> Floats:
    """A copy of the positions as floats, or what is wrong with them."""
    found = np.array(positions, dtype=np.float64)
    if found.shape != (graph.num_nodes, 2):
        raise ParameterError(
            f"positions have shape {found.shape}; give ({graph.num_nodes}, 2), two per node."
        )
    if not np.isfinite(found).all():
        node = int(np.argmin(np.isfinite(found).all(axis=1)))
        raise ParameterError(f"the position of node {node} is {found[node].tolist()}; give finite numbers.")
    return found

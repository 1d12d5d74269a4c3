"""Rings of fraudulent accounts among many honest ones: a rare class that hides.

Honest accounts deal with each other within communities of like size, now and then across. Fraudulent ones
form small rings in which many deal with each other; every ring knows another one, and each of its accounts
deals with honest ones too, so as not to be noticed (camouflage, as Hooi et al. 2016, "FRAUDAR", call it).
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph.generators.labelled import LabelledGraph, require, require_whole
from zerokelvin.graph.graph import Graph

__all__ = ["fraud_rings"]

COMMUNITY, ACROSS = 50, 0.1
"""Honest accounts of a community, and the share of their dealings that leave it."""


def fraud_rings(
    n: int,
    rng: np.random.Generator,
    *,
    rings: int = 10,
    size: int = 8,
    inside: float = 0.4,
    camouflage: float = 2.0,
    degree: float = 6.0,
) -> LabelledGraph:
    """A graph of n accounts, of which rings · size are fraudulent, +1, and all others honest, −1.

    Within a ring each pair deals with probability `inside`, and each ring is joined to the one before it by
    one edge. A fraudulent account deals with a Poisson number of honest ones, `camouflage` on the mean; an
    honest one deals with `degree` others on the mean, most of them of its community. Who is who is drawn.

    >>> data = fraud_rings(1000, np.random.default_rng(0), rings=4, size=5)
    >>> data.graph.num_nodes, int((data.labels == 1).sum())
    (1000, 20)
    """
    require_whole("rings", rings, 1, None, "there is at least one ring")
    require_whole("size", size, 2, None, "a ring has at least two accounts")
    require_whole("n", n, 2 * rings * size, None, "at least half of the accounts are honest")
    require(0 <= inside <= 1, "inside", inside, "a probability is between 0 and 1")
    for name, mean in (("camouflage", camouflage), ("degree", degree)):
        require(0 <= mean < n, name, mean, "a mean number of dealings is from 0 to the number of accounts")
    bad, honest = rings * size, n - rings * size
    edges = [_ring_pairs(ring * size, size, inside, rng) for ring in range(rings)]
    starts = np.arange(1, rings) * size
    edges.append(np.column_stack([starts, starts - size]) + rng.integers(size, size=(rings - 1, 2)))
    hidden = np.repeat(np.arange(bad), rng.poisson(camouflage, bad))
    edges.append(np.column_stack([hidden, bad + rng.integers(honest, size=len(hidden))]))
    edges.append(bad + _dealings(honest, degree, rng))
    place = rng.permutation(n)
    labels = np.full(n, -1)
    labels[place[:bad]] = 1
    graph = Graph.from_edges(place[np.concatenate(edges)], num_nodes=n)
    return LabelledGraph(graph, labels, f"{rings} rings of {size} fraudulent accounts among {n}")


def _ring_pairs(first: int, size: int, inside: float, rng: np.random.Generator) -> Ints:
    """The pairs of a ring that deal: each with a probability, and everyone with the next."""
    pairs = np.column_stack(np.triu_indices(size, k=1))
    dealing = (rng.random(len(pairs)) < inside) | (pairs[:, 1] - pairs[:, 0] == 1)
    return pairs[dealing] + first


def _dealings(honest: int, degree: float, rng: np.random.Generator) -> Ints:
    """Pairs of honest accounts, mostly of one community; none with itself."""
    one = rng.integers(honest, size=int(rng.poisson(honest * degree / 2.0)))
    first = one - one % COMMUNITY
    near = first + rng.integers(COMMUNITY, size=len(one))
    far = rng.integers(honest, size=len(one))
    other = np.where((rng.random(len(one)) < ACROSS) | (near >= honest), far, near)
    return np.column_stack([one, other])[one != other]

"""The smallest eigenpairs of a graph, computed once and read from the user's cache from then on.

What is read is what was written, number by number: the description of a cached embedding names the graph by
its content hash and every parameter that changes the result, and the computation is deterministic. Small
graphs are computed anew, which takes no longer than it takes to notice; so are pairs that missed their
tolerance, with the warning that says so.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.graph import Graph
from zerokelvin.io.embedding_cache import read_embedding, write_embedding
from zerokelvin.spectral.eigenpairs import Eigenpairs, smallest_eigenpairs

__all__ = ["SMALL", "remembered_eigenpairs"]

SMALL = 1000
"""Nodes below which nothing is kept."""

METHOD = 3
"""Raised whenever the computation changes, so that what an older one left is not read."""


def remembered_eigenpairs(
    graph: Graph,
    count: int,
    *,
    normalized: bool = False,
    tol: float = 1e-8,
    engine: str = "auto",
    cache: bool = True,
) -> Eigenpairs:
    """The pairs of `smallest_eigenpairs`, from the cache where they are known.

    Parameters
    ----------
    graph, count, normalized, tol, engine
        As in `smallest_eigenpairs`.
    cache
        False neither reads nor writes; so does ``ZEROKELVIN_CACHE=off`` in the environment.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> remembered_eigenpairs(line, 2).values.round(6).tolist()
    [1.0, 3.0]
    """
    if not cache or graph.num_nodes < SMALL:
        return smallest_eigenpairs(graph, count, normalized=normalized, tol=tol, engine=engine)
    description = {
        "method": METHOD,
        "graph": graph.content_hash,
        "count": int(count),
        "normalized": bool(normalized),
        "tol": float(tol),
        "engine": engine,
    }
    found = read_embedding(description)
    if found is not None:
        return Eigenpairs(
            found["values"],
            found["vectors"],
            float(found["residual"]),
            int(found["solves"]),
            str(found["engine"]),
        )
    pairs = smallest_eigenpairs(graph, count, normalized=normalized, tol=tol, engine=engine)
    if pairs.converged:
        arrays = {"values": pairs.values, "vectors": pairs.vectors, "residual": np.array(pairs.residual)}
        write_embedding(
            description, {**arrays, "solves": np.array(pairs.solves), "engine": np.array(pairs.engine)}
        )
    return pairs

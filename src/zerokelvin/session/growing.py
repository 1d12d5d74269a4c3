"""A session whose graph grows while learning goes on.

Nodes and edges may be added at any time. The session then has a new graph, on which old nodes keep their
index, and its learner follows (`learners.base.growth`): for an ``"exact"`` learner every prediction is
from then on that of a session started on the new graph and told the same answers in the same order, for a
``"carried"`` one what was learnt is expressed on the new graph.

What was predicted on the smaller graph stays so: `mistakes`, `queries` and `trials` are kept, and correcting
an answer later, which replays all answers on the present graph, recounts only the trials since the last
growth. A bound speaks of a game on one graph; once a growth follows an answer it is marked as no guarantee,
unless it outlives growth, as the perceptron's does.

A growth that is refused, by the graph or by the learner, leaves the session as it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from zerokelvin.graph import Graph
from zerokelvin.session.standing import Standing

__all__ = ["extended"]


def extended(standing: Standing, nodes: int | Iterable[Hashable], edges: Any, weights: Any) -> Standing:
    """The standing on its grown graph; itself where nothing was added."""
    graph = standing.graph.extended(nodes, edges, weights)
    return standing if _same(standing.graph, graph) else standing.grown(graph)


def _same(old: Graph, new: Graph) -> bool:
    """Whether two graphs of the same names are equal: what else their content hashes are made of."""
    arrays = ("indptr", "indices", "weights")
    return all(np.array_equal(getattr(old, name), getattr(new, name)) for name in arrays)

"""Regression on the attributes of nodes, their own and averaged over walks on the graph.

Bayesian linear regression on the coordinates of `graph.attributes`, in its primal form whatever the number of
labels, as there are at most 512 coordinates (`learners.auto.subspace_regression`): O(k²) a label. Averaged
attributes are those of personalised PageRank with restart a,

    Σ_t a (1 − a)^t (D^-½ A D^-½)^t X,

cut off where what remains of the sum is below `REST` of it, every row brought to length 1. Attributes
averaged in this way are what graph neural networks learn from (Gasteiger, Bojchevski, Günnemann 2019).
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Acquainted, Expert, Kind, expert
from zerokelvin.learners.auto.subspace_regression import SubspaceRegression

__all__ = ["KnownAttributes", "averaged"]

REST = 0.01
"""The share of the sum over walks that is left out."""


@expert("known attributes")
class KnownAttributes(Kind):
    """A regression on a node's own attributes, and one for each reach of walks."""

    rank: ClassVar[int] = 60

    def prepare(self, graph: Graph, scaled: Graph) -> list[tuple[str, Floats]]:
        """The coordinates of every node, its own and averaged; none where there are no attributes."""
        if graph.attributes is None:
            return []
        rows = graph.attributes.rows
        far = [(f"attributes around, restart {a:g}", averaged(graph, rows, a)) for a in settings.RESTARTS]
        return [("own attributes", rows), *far]

    def start(self, ready: list[tuple[str, Floats]], classes: int, tol: float, seed: int) -> list[Expert]:
        """A game per table of coordinates."""
        mu = settings.ATTRIBUTE_MU
        return [Acquainted(name, SubspaceRegression(rows, classes, mu)) for name, rows in ready]


def averaged(graph: Graph, rows: Floats, restart: float) -> Floats:
    """Attributes averaged over walks from every node, of length 1 or 0; see the module.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> averaged(line, np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]), 0.2)[1].round(3).tolist()
    [0.707, 0.707]
    """
    roots = np.sqrt(np.where(graph.degrees > 0, graph.degrees, 1.0))
    inverse = sp.diags_array(1.0 / roots)
    walk = sp.csr_array(inverse @ graph.adjacency @ inverse)
    step, total = rows, restart * rows
    for _ in range(math.ceil(math.log(REST) / math.log(1.0 - restart))):
        step = (1.0 - restart) * (walk @ step)
        total = total + restart * step
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    return np.ascontiguousarray(total / np.where(lengths > 0.0, lengths, 1.0))

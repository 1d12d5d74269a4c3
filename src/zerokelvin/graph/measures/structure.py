"""Structural quantities of a graph and a labelling: cut, balance, geodesic distances.

The weighted cut of a labelling u ∈ {−1, 1}ⁿ is Φ(u) = ¼‖u‖²_G, the weight of the edges whose ends
disagree. Its balance is β_u = (mean u)², or bal(u) = (1 − |mean u|)⁻². Geodesic distances, in which an
edge of weight w has length 1/w, are computed in `distances` and `diameters` and offered here as well.

References
----------
Herbster, Pontil 2006, "Prediction on a graph with a perceptron": eq. (1) for bal, (6) for Φ,
section 4 for β.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Ints
from zerokelvin.errors import LabelError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.diameters import diameter
from zerokelvin.graph.measures.distances import eccentricity, geodesic_distances
from zerokelvin.graph.measures.measured import Measured

__all__ = ["Measured", "bal", "cut", "diameter", "eccentricity", "geodesic_distances", "label_balance"]


def cut(graph: Graph, labels: ArrayLike) -> float:
    """The weighted cut Φ of a labelling: the weight of the edges whose ends differ.

    Labels are of any kind, two classes or more. For ±1 labels Φ = ¼ uᵀGu, also on a signed graph
    with its signed Laplacian: there an edge of negative weight counts, with its absolute weight, when
    its ends agree.

    Parameters
    ----------
    graph
        The graph.
    labels
        One label per node; None and NaN (unknown) are refused.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)], weights=[1.0, 0.5, 2.0])
    >>> cut(path, [1, 1, -1, -1])
    0.5
    """
    codes = _label_codes(labels, graph.num_nodes)
    differ = codes[graph.edges[:, 0]] != codes[graph.edges[:, 1]]
    weights = graph.edge_weights
    violated = differ == (weights > 0)
    return float(np.abs(weights[violated]).sum())


def label_balance(labels: ArrayLike) -> float:
    """The balance β_u = (mean u)² of ±1 labels: 0 where both are equally frequent, 1 where one is missing.

    >>> label_balance([1, 1, 1, -1])
    0.25
    """
    return float(np.mean(_signs(labels)) ** 2)


def bal(labels: ArrayLike) -> float:
    """The label balance bal(u) = (1 − |mean u|)⁻² of ±1 labels; infinite where one label is missing.

    >>> bal([1, -1]), bal([1, 1, 1, -1]), bal([1, 1])
    (1.0, 4.0, inf)
    """
    signs = _signs(labels)
    slack = len(signs) - abs(int(signs.sum()))
    return float((len(signs) / slack) ** 2) if slack else float("inf")


def _label_codes(labels: ArrayLike, count: int) -> Ints:
    """One code per node, equal where labels are; a missing label is refused."""
    given = np.asarray(labels)
    if given.shape != (count,):
        raise LabelError(f"labels have shape {given.shape} for {count} nodes; give one label per node.")
    if given.dtype.kind == "O":
        listed = given.tolist()
        unknown = [i for i, label in enumerate(listed) if label is None or label != label]
        number: dict[Any, int] = {}
        codes = np.array([number.setdefault(label, len(number)) for label in listed], dtype=np.int64)
    else:
        unknown = np.flatnonzero(given != given).tolist()
        codes = np.unique(given, return_inverse=True)[1].astype(np.int64)
    if unknown:
        raise LabelError(
            f"node {unknown[0]} has no label ({given[unknown[0]]}); label every node or take a subgraph."
        )
    return codes


def _signs(labels: ArrayLike) -> Ints:
    """The labels as integers −1 and +1; anything else is refused."""
    given = np.asarray(labels)
    if given.ndim != 1 or len(given) == 0:
        raise LabelError(f"labels have shape {given.shape}; give a list of -1 and +1, one per node.")
    if given.dtype.kind not in "iuf":
        raise LabelError(f"label {given[0]!r} is not -1 or +1; the balance is defined for ±1 labels.")
    bad = np.flatnonzero((given != 1) & (given != -1))
    if len(bad):
        raise LabelError(f"label {given[bad[0]]} of node {bad[0]} is not -1 or +1.")
    return given.astype(np.int64)

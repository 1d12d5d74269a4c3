"""A graph with its natural labelling, and checks of the parameters that generators share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.graph.graph import Graph

__all__ = ["LabelledGraph", "clique_edges", "halves", "joined_cliques", "require", "require_whole"]


@dataclass(frozen=True, eq=False)
class LabelledGraph:
    """A generated graph with the labelling it is meant to be predicted with.

    Parameters
    ----------
    graph
        The graph.
    labels
        One integer per node: −1 or +1, or a class number for planted partitions.
    description
        The generator and its parameters, in words.
    points
        Coordinates of the nodes, where the graph was built from points.
    played
        Indices of the nodes to be predicted, in order; None means all of them.

    Examples
    --------
    >>> from zerokelvin.graph.generators import barbell
    >>> data = barbell(3)
    >>> data.graph
    Graph(nodes=6, edges=7)
    >>> data.labels
    array([ 1,  1,  1, -1, -1, -1])
    """

    graph: Graph
    labels: Ints
    description: str
    points: Floats | None = None
    played: Ints | None = None

    def __post_init__(self) -> None:
        labels = _frozen(np.array(self.labels, dtype=np.int64))
        if labels.shape != (self.graph.num_nodes,):
            raise LabelError(
                f"labels have shape {labels.shape} for {self.graph.num_nodes} nodes; give one each."
            )
        object.__setattr__(self, "labels", labels)
        if self.points is not None:
            object.__setattr__(self, "points", _frozen(np.array(self.points, dtype=np.float64)))
        if self.played is not None:
            object.__setattr__(self, "played", _frozen(np.array(self.played, dtype=np.int64)))


def require(condition: bool, name: str, value: object, remedy: str) -> None:
    """Refuse a parameter that is out of range."""
    if not condition:
        raise ParameterError(f"{name}={value!r} is out of range; {remedy}.")


def require_whole(name: str, value: Any, low: int, high: int | None, remedy: str) -> None:
    """Refuse a parameter that is not a whole number from `low` to `high`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    require(whole, name, value, "give a whole number")
    require(low <= value and (high is None or value <= high), name, value, remedy)


def halves(count: int) -> Ints:
    """+1 for the first half of the nodes (the larger one), −1 for the others."""
    return np.where(np.arange(count) < (count + 1) // 2, 1, -1)


def clique_edges(size: int, first: int = 0) -> Ints:
    """All pairs of the nodes ``first .. first + size - 1``."""
    return np.column_stack(np.triu_indices(size, k=1)).astype(np.int64) + first


def joined_cliques(size: int, cliques: int, *bridges: ArrayLike) -> Graph:
    """Cliques of equal size, one after the other, and the edges between them."""
    inside = [clique_edges(size, first=size * i) for i in range(cliques)]
    between = [np.asarray(pairs, dtype=np.int64).reshape(-1, 2) for pairs in bridges]
    return Graph.from_edges(np.concatenate(inside + between), num_nodes=size * cliques)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, which can no longer be written to."""
    array.setflags(write=False)
    return array

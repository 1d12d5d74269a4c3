"""Near-duplicates: items so alike that one answer does for all of them.

Two texts are the same where they agree but for case, spaces and punctuation; that their TF-IDF agrees is not
enough, since it passes over single letters and digits. Two vectors are the same where
they differ by less than 10⁻⁶ of the median distance of neighbours; a cosine of 0.999 or more counts too where
vectors have length one. Groups are joined over neighbours in the graph only; none has more than 1,000 items.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph

__all__ = ["COSINE", "duplicate_groups"]

COSINE = 0.999
EQUAL = 1e-6
MOST = 1000
_PLAIN = re.compile(r"\W+")


def duplicate_groups(
    count: int, graph: Graph | None, vectors: Floats | None, texts: list[str] | None, cosine: bool
) -> Ints:
    """The number of the group of every item; the number is that of its first item.

    >>> duplicate_groups(3, None, None, ["Hello, world", "other", "hello world!"], False).tolist()
    [0, 1, 0]
    """
    groups = np.arange(count)
    if texts is not None:
        first: dict[str, int] = {}
        for place, text in enumerate(texts):
            key = _plain(text)
            if key:
                groups[place] = first.setdefault(key, place)
    if vectors is not None and graph is not None and graph.num_edges:
        _join_near(groups, graph, vectors, cosine)
    sizes = np.bincount(groups, minlength=count)
    large = sizes[groups] > MOST
    return np.where(large, np.arange(count), groups)


def _join_near(groups: Ints, graph: Graph, vectors: Floats, cosine: bool) -> None:
    """Join neighbours whose vectors are (nearly) the same, smaller numbers first."""
    edges = graph.edges
    distances = np.linalg.norm(vectors[edges[:, 0]] - vectors[edges[:, 1]], axis=1)
    usual = float(np.median(distances[distances > 0])) if (distances > 0).any() else 1.0
    zero = np.asarray(~vectors.any(axis=1))
    limit = max(EQUAL * usual, np.sqrt(2 - 2 * COSINE) if cosine else 0.0)
    near = (distances <= limit) & ~zero[edges[:, 0]] & ~zero[edges[:, 1]]
    for low, high in edges[near].tolist():
        a, b = _root(groups, low), _root(groups, high)
        groups[max(a, b)] = min(a, b)
    for place in range(len(groups)):
        groups[place] = _root(groups, place)


def _root(groups: Ints, place: int) -> int:
    while groups[place] != place:
        place = int(groups[place])
    return place


def _plain(text: str) -> str:
    return _PLAIN.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()

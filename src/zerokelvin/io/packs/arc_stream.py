"""Sorted arcs as they come, made into rows: duplicates summed, nothing kept but what every node needs.

An arc is a pair of node numbers with a weight; both directions of every edge come, by tail, then head, then
weight. Duplicates are summed from the lightest on, so that the sum does not depend on where they stood in the
files. Memory is O(nodes).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, index_kind
from zerokelvin.errors import GraphError
from zerokelvin.io.packs.pack_writer import PackWriter, SectionWriter
from zerokelvin.jit import kernel

__all__ = ["ArcStream"]


class ArcStream:
    """Writes the sections of arcs and degrees of a pack, and finds its components."""

    def __init__(self, pack: PackWriter, nodes: int) -> None:
        self.pack, self.nodes = pack, nodes
        kind = index_kind(nodes)
        self.indices = pack.section("indices", kind)
        self.weights = _Weights(pack)
        self.counts = np.zeros(nodes + 1, dtype=np.int64)
        self.degrees, self.heaviest = np.zeros(nodes), np.zeros(nodes)
        self.parents = np.arange(nodes, dtype=kind)
        self.least, self.largest, self.signed = np.inf, 0.0, False
        self._last = (-1, -1, 0.0)

    def add(self, tails: NDArray[Any], heads: NDArray[Any], weights: Floats | None) -> None:
        """Take further arcs, each after all before it; without weights each weighs 1."""
        room = len(tails) + 1
        kept = np.empty(room, self.indices.kind), np.empty(room)
        given = np.ones(len(tails)) if weights is None else weights
        sums = self.counts, self.degrees, self.heaviest, self.parents
        *last, count = _merge(tails, heads, given, self._last, kept, sums)
        self._last = (int(last[0]), int(last[1]), float(last[2]))
        self._write(kept[0][:count], kept[1][:count])

    def finish(self) -> dict[str, Any]:
        """Write what is left; the facts that the head of the pack needs."""
        tail, head, weight = self._last
        if tail >= 0 and weight != 0.0:
            one = np.array([tail]), np.array([head]), np.array([weight])
            _take(tail, head, weight, (self.counts, self.degrees, self.heaviest, self.parents))
            self._write(one[1].astype(self.indices.kind), one[2])
        self.weights.finish()
        indptr = np.cumsum(self.counts)
        self.pack.put("indptr", indptr)
        self.pack.put("degrees", self.degrees)
        self.pack.put("heaviest", self.heaviest)
        components = _number(self.parents)
        if components > 1:
            self.pack.put("components", self.parents)
        return {
            "nodes": self.nodes,
            "arcs": int(indptr[-1]),
            "components": components,
            "signed": self.signed,
            "least": 0.0 if self.largest == 0.0 else self.least,
            "largest": self.largest,
            "total": float(self.degrees.sum()),
        }

    def _write(self, heads: NDArray[Any], weights: Floats) -> None:
        if not len(heads):
            return
        if not np.isfinite(weights).all():
            raise GraphError(
                "parallel edges sum to an infinite weight; divide all weights by a common factor."
            )
        sizes = np.abs(weights)
        self.least = min(self.least, float(sizes.min()))
        self.largest = max(self.largest, float(sizes.max()))
        self.signed = self.signed or bool((weights < 0).any())
        self.indices.add(heads)
        self.weights.add(weights)


class _Weights:
    """The section of weights: one where all are equal, of 32 bits where that is exact, else of 64."""

    def __init__(self, pack: PackWriter) -> None:
        self.pack = pack
        self.equal: float | None = None
        self.count = 0
        self.section: SectionWriter | None = None

    def add(self, weights: Floats) -> None:
        """Take further weights: counted as long as all are equal, written from then on."""
        if self.section is None:
            first = float(weights[0]) if self.equal is None else self.equal
            self.equal = first
            if bool((weights == first).all()):
                self.count += len(weights)
                return
            self.section = self.pack.section("weights", _kind(np.array([first])))
            for start in range(0, self.count, 1 << 20):
                self.section.add(np.full(min(1 << 20, self.count - start), first))
        if self.section.kind == np.float32 and _kind(weights) is np.float64:
            self.section = self.pack.widen("weights", np.float64)
        self.section.add(weights)

    def finish(self) -> None:
        """Write the one weight where all were equal."""
        if self.section is None:
            one = np.zeros(0) if self.equal is None else np.array([self.equal])
            self.pack.put("weights", one.astype(_kind(one)))


def _kind(weights: Floats) -> type[np.float32 | np.float64]:
    """32 bits where these weights are exact in them."""
    with np.errstate(over="ignore"):
        return np.float32 if bool((weights.astype(np.float32) == weights).all()) else np.float64


@kernel
def _take(tail: int, head: int, weight: float, sums: Any) -> None:
    """Count an arc at its tail, and join the components of its ends."""
    counts, degrees, heaviest, parents = sums
    counts[tail + 1] += 1
    degrees[tail] += abs(weight)
    heaviest[tail] = max(heaviest[tail], weight)
    if tail < head:
        a, b = tail, head
        while parents[a] != a:
            parents[a] = parents[parents[a]]
            a = parents[a]
        while parents[b] != b:
            parents[b] = parents[parents[b]]
            b = parents[b]
        if a < b:
            parents[b] = a
        elif b < a:
            parents[a] = b


@kernel
def _merge(tails: Any, heads: Any, weights: Any, last: Any, kept: Any, sums: Any) -> Any:
    """Sum arcs that are equal; the last one, which may go on, is given back, with how many are kept."""
    tail, head, weight = last
    count = 0
    for k in range(len(tails)):
        if tails[k] == tail and heads[k] == head:
            weight += weights[k]
            continue
        if tail >= 0 and weight != 0.0:
            kept[0][count] = head
            kept[1][count] = weight
            count += 1
            _take(tail, head, weight, sums)
        tail, head, weight = np.int64(tails[k]), np.int64(heads[k]), weights[k]
    return tail, head, weight, count


@kernel
def _number(parents: Any) -> int:
    """Number components by their lowest node, in place; how many there are."""
    for node in range(len(parents)):
        root = node
        while parents[root] != root:
            root = parents[root]
        parents[node] = root
    count = 0
    for node in range(len(parents)):
        if parents[node] == node:
            parents[node] = count
            count += 1
        else:
            parents[node] = parents[parents[node]]
    return count

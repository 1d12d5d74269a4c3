"""Renumber a packed graph, so that neighbours lie near each other in the file and in memory.

Reverse Cuthill–McKee (Cuthill and McKee 1969; George 1971): a breadth-first search from a node of least
degree, neighbours in the order of their degree, the whole order reversed. Arithmetic over all arcs then finds
what it needs in the cache. Memory is O(nodes); the graph is read where it lies. Each row keeps its neighbours
in the order of their names, so that no learner computes anything else (`zerokelvin.graph.packed`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints, index_kind
from zerokelvin.errors import DataError, ParameterError
from zerokelvin.graph.packed.packed_graph import PackedGraph
from zerokelvin.graph.packed.packed_names import PackedNumbers, PackedTexts
from zerokelvin.io.files import PathLike
from zerokelvin.io.packs.pack_layout import PackHead
from zerokelvin.io.packs.pack_writer import PackWriter, writing_pack
from zerokelvin.jit import kernel

__all__ = ["NAME", "ORDERS", "order_pack"]

NAME = "name"
"""The order of names, in which every pack is made at first."""

ROWS = 1 << 16
"""Nodes whose rows are gathered at once."""


def reverse_cuthill_mckee(graph: PackedGraph) -> Ints:
    """The old number of every new node."""
    sizes = np.diff(graph.indptr)
    order = np.argsort(sizes, kind="stable").astype(index_kind(graph.num_nodes))
    found = np.empty_like(order)
    _search(graph.indptr, graph.indices, order, found, np.zeros(graph.num_nodes, dtype=np.bool_))
    return found[::-1]


ORDERS: dict[str, Callable[[PackedGraph], Ints]] = {"rcm": reverse_cuthill_mckee}


def order_pack(
    graph: PackedGraph,
    out: PathLike,
    order: str,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> PackHead:
    """Write a packed graph, whose nodes are in the order of names, in another order."""
    if order not in ORDERS:
        raise ParameterError(f"unknown order '{order}'; known: {NAME}, {', '.join(ORDERS)}.")
    if graph.facts.order != NAME:
        raise DataError(f"'{graph.source}' is in the order '{graph.facts.order}'; pack its edges again.")
    say = progress or (lambda task, done, total: None)
    count = graph.num_nodes
    say("Ordering", 0, None)
    olds = ORDERS[order](graph)
    places = np.empty_like(olds)
    places[olds] = np.arange(count, dtype=olds.dtype)
    sizes = np.diff(graph.indptr)
    facts = graph.facts
    with writing_pack(out) as pack:
        single = graph.num_edges > 0 and graph.weights.strides == (0,)
        indices = pack.section("indices", graph.indices.dtype)
        weights = pack.section("weights", graph.weights.dtype)
        for start in range(0, count, ROWS):
            part = olds[start : start + ROWS]
            room = int(sizes[part].sum())
            heads = np.empty(room, dtype=graph.indices.dtype)
            values = np.empty(0 if single else room, dtype=graph.weights.dtype)
            _gather(graph.csr, part, places, heads, values)
            indices.add(heads)
            weights.add(values)
            say("Writing", start, count)
        if single:
            weights.add(graph.weights[:1])
        pack.put("indptr", np.concatenate([[0], np.cumsum(sizes[olds])]))
        pack.put("degrees", graph.degrees[olds])
        pack.put("heaviest", graph.heaviest[olds])
        if facts.components > 1:
            components = graph.components[olds]
            _renumber(components, np.full(facts.components, -1, dtype=components.dtype))
            pack.put("components", components)
        _write_names(pack, graph, olds)
        pack.put("order", places)
        return pack.finish(
            nodes=count,
            arcs=len(graph.indices),
            order=order,
            components=facts.components,
            signed=facts.signed,
            least=facts.least,
            largest=facts.largest,
            total=facts.total,
        )


def _write_names(pack: PackWriter, graph: PackedGraph, olds: Ints) -> None:
    """The names in the new order; what had none is called by its old number."""
    if isinstance(graph.names, PackedTexts):
        old, count = graph.names, len(olds)
        lengths = np.diff(old.starts)[olds]
        pack.put("starts", np.concatenate([[0], np.cumsum(lengths)]))
        texts = pack.section("texts", np.uint8)
        for start in range(0, count, ROWS):
            part = olds[start : start + ROWS]
            content = np.empty(int(lengths[start : start + ROWS].sum()), dtype=np.uint8)
            _gather_texts(old.starts, old.content, part, content)
            texts.add(content)
        return
    numbers: NDArray[Any] = olds
    if isinstance(graph.names, PackedNumbers):
        numbers = graph.names.values[olds]
    pack.put("numbers", numbers.astype(np.int64))


@kernel
def _search(indptr: Any, indices: Any, seeds: Any, found: Any, seen: Any) -> None:
    """Breadth-first searches from one seed after the other, neighbours by increasing degree."""
    head, tail = 0, 0
    for k in range(len(seeds)):
        if seen[seeds[k]]:
            continue
        seen[seeds[k]] = True
        found[tail] = seeds[k]
        tail += 1
        while head < tail:
            node = found[head]
            head += 1
            first = tail
            for p in range(indptr[node], indptr[node + 1]):
                other = indices[p]
                if not seen[other]:
                    seen[other] = True
                    found[tail] = other
                    tail += 1
            fresh = found[first:tail].copy()
            sizes = indptr[fresh + 1] - indptr[fresh]
            found[first:tail] = fresh[np.argsort(sizes, kind="mergesort")]


@kernel
def _gather(csr: Any, olds: Any, places: Any, heads: Any, values: Any) -> None:
    """The rows of some nodes, one after the other, with their neighbours' new numbers."""
    indptr, indices, weights = csr
    at = 0
    for old in olds:
        for p in range(indptr[old], indptr[old + 1]):
            heads[at] = places[indices[p]]
            if len(values):
                values[at] = weights[p]
            at += 1


@kernel
def _gather_texts(starts: Any, content: Any, olds: Any, texts: Any) -> None:
    """The bytes of the names of some nodes, one after the other."""
    at = 0
    for old in olds:
        for p in range(starts[old], starts[old + 1]):
            texts[at] = content[p]
            at += 1


@kernel
def _renumber(components: Any, numbers: Any) -> None:
    """Number components by their lowest node, in place."""
    count = 0
    for node in range(len(components)):
        old = components[node]
        if numbers[old] < 0:
            numbers[old] = count
            count += 1
        components[node] = numbers[old]

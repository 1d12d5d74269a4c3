"""A graph whose arrays lie in a file: mapped into memory, and read where they are touched.

Nodes may be numbered by their names, or otherwise, so that neighbours lie near each other in the file. What
is computed must not depend on that. So the neighbours of a node stand in the order of their *names*, whatever
their numbers: whoever goes through them does the same, to the last bit, as on `Graph.by_name` of the graph in
memory. What a learner needs to know of all nodes or edges before it begins (degrees, components, the lightest
and the heaviest edge) is in the file too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.packed.giving_back import MappedPages
from zerokelvin.graph.packed.packed_names import PackedNames

__all__ = ["PackFacts", "PackedGraph"]

COUNTS = 1 << 26
"""Bytes of neighbours from which on pages are given back while learners go through them."""


@dataclass(frozen=True)
class PackFacts:
    """What is known of a packed graph as a whole.

    Attributes
    ----------
    identity
        A hash of everything in the file.
    order
        How nodes are numbered: ``"name"``, or the method that brought neighbours near each other.
    components
        How many connected components there are.
    signed
        Whether some weight is negative.
    least, largest
        The smallest and the largest size of a weight; 0 without edges.
    total
        The sum of the degrees, summed by name.
    """

    identity: str
    order: str
    components: int
    signed: bool
    least: float
    largest: float
    total: float


class PackedGraph(Graph):
    """A graph in a file that `zerokelvin.open_graph` has mapped, for learners whose work is local.

    `indices` may be of 32 bits, `weights` of 32 bits where that is exact, and of stride 0 where all are
    equal: the values are those of the graph in memory.
    """

    facts: PackFacts
    source: str
    _measures: dict[str, NDArray[Any]]
    _pages: MappedPages

    def __init__(
        self,
        csr: Csr,
        measures: dict[str, NDArray[Any]],
        names: PackedNames | None,
        facts: PackFacts,
        source: str,
        reopen: tuple[Callable[..., PackedGraph], tuple[Any, ...]],
        release: Callable[[], object] = lambda: None,
    ) -> None:
        vars(self).update(  # past the guard of `__setattr__`, and of copies
            indptr=csr.indptr,
            indices=csr.indices,
            weights=csr.weights,
            names=names,
            attributes=None,
            facts=facts,
            source=source,
            _measures=measures,
            _reopen=reopen,
            _pages=MappedPages(release),
        )

    # -- known beforehand -------------------------------------------------------------------------

    @property
    def degrees(self) -> Floats:
        """Weighted degree of every node, from the file."""
        return self._measures["degrees"]

    @property
    def heaviest(self) -> Floats:
        """The largest weight at every node, from the file."""
        return self._measures["heaviest"]

    @cached_property
    def components(self) -> Ints:
        """The component of every node, from the file."""
        found = self._measures.get("components")
        return np.zeros(self.num_nodes, dtype=np.int64) if found is None else found

    @property
    def num_components(self) -> int:
        """Number of components, from the header of the file."""
        return self.facts.components

    @property
    def is_signed(self) -> bool:
        """Whether some edge has a negative weight."""
        return self.facts.signed

    @property
    def weight_range(self) -> tuple[float, float]:
        """The smallest and the largest size of a weight."""
        return self.facts.least, self.facts.largest

    @property
    def total_degree(self) -> float:
        """The sum of the degrees, from the header of the file."""
        return self.facts.total

    @property
    def content_hash(self) -> str:
        """The identity of the file; a graph in memory has another."""
        return self.facts.identity

    # -- names ------------------------------------------------------------------------------------

    def index(self, name: Hashable) -> int:
        """Index of the node with this name, by binary search in the file."""
        if not isinstance(self.names, PackedNames):
            return super().index(name)
        node = self.names.find(name)
        if node < 0:
            raise NodeError(self.unknown_name(name))
        return node

    @cached_property
    def name_order(self) -> Ints:
        """The node indices in the order of their names."""
        order = self.names.order if isinstance(self.names, PackedNames) else None
        return np.arange(self.num_nodes) if order is None else order

    @cached_property
    def name_ranks(self) -> Ints:
        """The place of every node in `name_order`."""
        if not isinstance(self.names, PackedNames) or self.names.order is None:
            return self.name_order
        ranks = np.empty_like(self.names.order)
        ranks[self.names.order] = np.arange(self.num_nodes, dtype=ranks.dtype)
        return ranks

    @property
    def by_name(self) -> Graph:
        """The graph itself: what is computed on it goes by name already."""
        return self

    def weight(self, u: int, v: int) -> float:
        """Weight of the edge between two node indices, 0 where there is none."""
        row = self.neighbors(u)
        self._check_index(v)
        at = np.flatnonzero(row == v)
        return float(self.weights[self.indptr[u] + at[0]]) if len(at) else 0.0

    def touched(self) -> None:
        """Give back the pages of the file when many were touched; they stay in the system's cache."""
        if self.indices.nbytes >= COUNTS:
            self._pages.look()

    def read_through(self) -> AbstractContextManager[None]:
        """Give back pages while the block lasts, in a file so large that they count."""
        return nullcontext() if self.indices.nbytes < COUNTS else self._pages.looking()

    def give_back(self) -> None:
        """Give back the pages of the file that were touched, which count as this process's memory."""
        self._pages.give_back()

    # -- what a file does not do ------------------------------------------------------------------

    def in_memory(self) -> Graph:
        """The same graph in memory, nodes numbered as here, for whatever needs all of it at once.

        It takes 16 bytes per arc, two arcs an edge, and what Python needs for the names.
        """
        matrix = self.adjacency.copy()
        matrix.sort_indices()
        names = None if self.names is None else list(self.names)
        return Graph(matrix.indptr, matrix.indices, matrix.data, names)

    def with_attributes(self, attributes: Any, fixed_on: int | None = None) -> Graph:
        """The graph itself where there are none; attributes are refused, with what to do."""
        return self if attributes is None else self._refuse("takes no attributes")

    def extended(
        self,
        nodes: Any = (),
        edges: Any = (),
        weights: ArrayLike | None = None,
        attributes: Any = None,
    ) -> Graph:
        """Refused: a file is packed again."""
        self._refuse("cannot grow; pack it again with the new edges")

    def _refuse(self, what: str) -> NoReturn:
        raise GraphError(f"the packed graph '{self.source}' {what}, or take graph.in_memory().")

    def __reduce__(self) -> tuple[Callable[..., PackedGraph], tuple[Any, ...]]:
        return vars(self)["_reopen"]

    def __repr__(self) -> str:
        signed = ", signed" if self.is_signed else ""
        return f"PackedGraph('{self.source}', nodes={self.num_nodes}, edges={self.num_edges}{signed})"

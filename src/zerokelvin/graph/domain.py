"""What a graph and a table of feature vectors have in common: nodes with names, and a hash of the content.

A learner predicts labels of the nodes of a *domain*. There are two: `Graph`, whose nodes are joined by edges,
and `Features`, whose nodes are vectors with a kernel between them. Both are immutable, number their nodes
0 … n − 1, call them by names of any hashable kind, and split them into components that say nothing about
each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import NodeError
from zerokelvin.graph.name_order import name_order

__all__ = ["Domain", "frozen_floats", "frozen_ints", "spell_name"]


class Domain(ABC):
    """A fixed set of nodes whose labels are predicted.

    Attributes
    ----------
    names
        One hashable, distinct name per node, or None where a node's name is its index.
    """

    names: Sequence[Hashable] | None

    @property
    @abstractmethod
    def num_nodes(self) -> int:
        """Number of nodes."""

    @property
    @abstractmethod
    def components(self) -> Ints:
        """The component of every node; components are numbered from 0 and tell nothing about each other."""

    @property
    @abstractmethod
    def content_hash(self) -> str:
        """SHA-256 of everything that makes up the domain; equal domains have equal hashes."""

    @property
    def label_components(self) -> Ints:
        """The component of every node, as far as labels go: one for all where nodes have attributes."""
        return self.components

    @cached_property
    def num_components(self) -> int:
        """Number of components."""
        return int(self.components.max()) + 1

    def name(self, index: int) -> Hashable:
        """Name of the node with this index."""
        self._check_index(index)
        return int(index) if self.names is None else self.names[index]

    def index(self, name: Hashable) -> int:
        """Index of the node with this name; without names, the index itself, checked."""
        if self.names is not None:
            try:
                return self.positions[name]
            except (KeyError, TypeError):
                raise NodeError(self.unknown_name(name)) from None
        if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < self.num_nodes:
            return int(name)
        raise NodeError(self.unknown_name(name))

    @cached_property
    def positions(self) -> dict[Hashable, int]:
        """The index of every name; empty where the nodes have no names."""
        return {name: i for i, name in enumerate(self.names or ())}

    @cached_property
    def name_order(self) -> Ints:
        """The node indices in the order of their names (`zerokelvin.graph.name_order`); else as they are."""
        return frozen_ints(np.arange(self.num_nodes) if self.names is None else name_order(self.names))

    @cached_property
    def name_ranks(self) -> Ints:
        """The place of every node in `name_order`."""
        return frozen_ints(np.argsort(self.name_order))

    def unknown_name(self, name: Hashable) -> str:
        """The sentence that says that no node has this name."""
        if self.names is None:
            return f"no node {name!r}; nodes are the integers 0 to {self.num_nodes - 1}."
        alike = [other for other in self.names[:100_000] if str(other) == str(name)]
        if alike:
            return f"no node {name!r}; there is {alike[0]!r}, of another type."
        return f"no node {name!r} in this graph of {self.num_nodes} nodes (the first is {self.names[0]!r})."

    def touched(self) -> None:  # noqa: B027 - whatever is in memory has nothing to give back
        """Be told that a label was learnt or a node predicted: a graph in a file may then give back pages."""

    def read_through(self) -> AbstractContextManager[None]:
        """A block in which all rows may be read: a graph in a file gives back pages meanwhile."""
        return nullcontext()

    def _check_index(self, index: int) -> None:
        """Refuse a number that is no node's index."""
        if not 0 <= index < self.num_nodes:
            raise NodeError(f"node index {index} is outside the graph's {self.num_nodes} nodes.")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a graph cannot be changed, so {name} cannot be set; build a new graph.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)


def spell_name(name: Hashable) -> str:
    """A name as text that is the same in every process; of kinds without such a text, the kind alone."""
    kind = type(name).__qualname__
    if isinstance(name, (str, bytes, int, float, type(None))):
        return f"{kind}:{name!r}"
    if isinstance(name, (tuple, frozenset)):
        parts = [spell_name(part) for part in name]
        return f"{kind}:({','.join(parts if isinstance(name, tuple) else sorted(parts))})"
    return kind


def frozen_ints(array: ArrayLike) -> Ints:
    """A read-only copy of an array of integers."""
    copy = np.array(array, dtype=np.int64, order="C")
    copy.setflags(write=False)
    return copy


def frozen_floats(array: ArrayLike) -> Floats:
    """A read-only copy of an array of numbers."""
    copy = np.array(array, dtype=np.float64, order="C")
    copy.setflags(write=False)
    return copy

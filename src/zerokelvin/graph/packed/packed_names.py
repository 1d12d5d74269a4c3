"""Node names that are looked up where they lie, without a table of all of them in memory.

Names are whole numbers of 64 bits, or texts. What is kept of them is one array per node, for texts the places
at which they begin in one array of bytes; a name is found by binary search among the nodes in the order of
names, which touches as many places as the number of nodes has binary digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["PackedNames", "PackedNumbers", "PackedTexts"]


class PackedNames(Sequence[Hashable], ABC):
    """The names of nodes, in the order of the nodes.

    Parameters
    ----------
    order
        The node at every rank by name; None where nodes are numbered by their names.
    """

    def __init__(self, order: NDArray[Any] | None) -> None:
        self.order = order

    @abstractmethod
    def at(self, node: int) -> Hashable:
        """The name of the node with this index."""

    @abstractmethod
    def key(self, name: object) -> Any:
        """What a name is compared by; None for what cannot be a name here."""

    @abstractmethod
    def key_at(self, node: int) -> Any:
        """What the name of a node is compared by."""

    @abstractmethod
    def are_plain(self, longest: int) -> bool:
        """Whether certainly no name is longer than this many characters or holds NUL."""

    def find(self, name: object) -> int:
        """The node of this name, −1 where there is none."""
        key = self.key(name)
        if key is None:
            return -1
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.key_at(self._node(middle)) < key:
                low = middle + 1
            else:
                high = middle
        if low == len(self):
            return -1
        node = self._node(low)
        return node if self.key_at(node) == key else -1

    def _node(self, rank: int) -> int:
        return rank if self.order is None else int(self.order[rank])

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, place: int | slice) -> Hashable | tuple[Hashable, ...]:
        if isinstance(place, slice):
            return tuple(self.at(node) for node in range(*place.indices(len(self))))
        node = int(place)
        if not -len(self) <= node < len(self):
            raise IndexError(f"name {node} of {len(self)}")
        return self.at(node % len(self))

    def __iter__(self) -> Iterator[Hashable]:
        return (self.at(node) for node in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return self.find(name) >= 0


class PackedNumbers(PackedNames):
    """Names that are whole numbers.

    >>> names = PackedNumbers(np.array([30, -10, 20]), np.array([1, 2, 0]))
    >>> names[0], names.find(20), names.find("20"), tuple(names)
    (30, 2, -1, (30, -10, 20))
    """

    def __init__(self, values: NDArray[np.int64], order: NDArray[Any] | None = None) -> None:
        super().__init__(order)
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def at(self, node: int) -> int:
        """The number that is the name of the node with this index."""
        return int(self.values[node])

    key_at = at

    def are_plain(self, longest: int) -> bool:
        """Numbers of 64 bits always are."""
        return True

    def key(self, name: object) -> int | None:
        """A whole number as Python's; None for anything else, truth values too."""
        return int(name) if isinstance(name, (int, np.integer)) and not isinstance(name, bool) else None


class PackedTexts(PackedNames):
    """Names that are texts, one after the other in UTF-8, which sorts as the texts do.

    >>> names = PackedTexts(np.array([0, 3, 6]), np.frombuffer(b"annbob", np.uint8))
    >>> names[1], names.find("ann"), names.find("cem")
    ('bob', 0, -1)
    """

    def __init__(
        self, starts: NDArray[np.int64], content: NDArray[np.uint8], order: NDArray[Any] | None = None
    ) -> None:
        super().__init__(order)
        self.starts, self.content = starts, content

    def __len__(self) -> int:
        return len(self.starts) - 1

    def key_at(self, node: int) -> bytes:
        """The bytes of a node's name."""
        return self.content[self.starts[node] : self.starts[node + 1]].tobytes()

    def are_plain(self, longest: int) -> bool:
        """By their bytes, of which a character has at least one."""
        longest_here = int(np.diff(self.starts).max(initial=0))
        return longest_here <= longest and not (self.content == 0).any()

    def at(self, node: int) -> str:
        """The text that is the name of the node with this index."""
        return self.key_at(node).decode()

    def key(self, name: object) -> bytes | None:
        """A text in UTF-8; None for anything else."""
        try:
            return name.encode() if isinstance(name, str) else None
        except UnicodeEncodeError:  # half a pair of surrogates, which no file holds
            return None

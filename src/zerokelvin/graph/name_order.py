"""An order of nodes that depends on their names alone.

Rounding, pushes, drawn trees and ties follow the order in which nodes are gone through. Learners go through
them by name, so that how the nodes of a graph happen to be numbered decides nothing. Numbers come first, by
size, then text, bytes, pairs and other tuples part by part, sets, and at last everything else by the text of
its `repr`. Kinds without such a text of their own stay in the order given.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from zerokelvin.array_types import Ints

__all__ = ["name_order"]


def name_order(names: Sequence[Hashable]) -> Ints:
    """The positions of the names, in their order.

    >>> name_order(["bob", 10, ("a", 1), 2, "ann"]).tolist()
    [3, 1, 4, 0, 2]
    """
    kinds = {type(name) for name in names}
    keys: list[Any] = list(names) if kinds in ({str}, {int}, {bytes}) else [_key(name) for name in names]
    if all(keys[i] <= keys[i + 1] for i in range(len(keys) - 1)):
        return np.arange(len(keys))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _key(name: Any) -> tuple[Any, ...]:
    """What a name is sorted by: its kind, then its value."""
    if isinstance(name, Real) and name == name:  # not NaN, which has no place among numbers
        return (0, name)
    if isinstance(name, str):
        return (1, str(name))
    if isinstance(name, bytes):
        return (2, bytes(name))
    if isinstance(name, tuple):
        return (3, tuple(_key(part) for part in name))
    if isinstance(name, frozenset):
        return (4, tuple(sorted(_key(part) for part in name)))
    kind: Any = type(name)
    return (5, kind.__qualname__, "" if kind.__repr__ is object.__repr__ else repr(name))

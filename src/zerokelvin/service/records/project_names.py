"""The names of a project's nodes and classes, as its messages carry them.

A session takes any hashable name. Every name of a project came in a message, as a text or a whole number
(`client.messages.Named`), so whatever its session says is named so too. That is said here, once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import cast

from zerokelvin.client.messages import Named
from zerokelvin.graph import Graph

__all__ = ["all_named", "named", "node_names"]


def named(name: Hashable) -> Named:
    """The name of a node or a class."""
    return cast(Named, name)


def all_named(names: Iterable[Hashable]) -> list[Named]:
    """The names of several nodes or classes, typed as messages have them."""
    return [named(name) for name in names]


def node_names(graph: Graph) -> list[Named]:
    """The name of every node, in order."""
    return list(range(graph.num_nodes)) if graph.names is None else all_named(graph.names)

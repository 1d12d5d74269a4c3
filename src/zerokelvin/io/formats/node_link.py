"""Graphs as JSON in networkx's node-link form.

``{"nodes": [{"id": …}], "edges": [{"source": …, "target": …, "weight": …}]}``: written with ``nodes`` and
``edges``, as `networkx.node_link_data` does; read with ``links`` in place of ``edges`` too, as older versions
and d3 write it. Every node stays in its place (numbers 0 … n − 1 in their order), weights are the edges'
``weight``, all else is left out. A list as identifier is a tuple.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import by_number
from zerokelvin.io.files import write_bytes
from zerokelvin.io.limits import DEFAULT, Limits, read_limited, short
from zerokelvin.io.names import name_values

__all__ = ["read_node_link", "write_node_link"]


def read_node_link(path: Path, limits: Limits = DEFAULT) -> Graph:
    """Read a graph from a JSON file in node-link form."""
    data = read_limited(path, limits)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError, MemoryError) as problem:
        raise DataError(f"'{path}' cannot be read as JSON: {short(problem, 120).rstrip('.')}.") from None
    try:
        return _graph(content, path, limits)
    except RecursionError:
        raise DataError(f"'{path}' has a node with lists inside lists without end as id.") from None


def write_node_link(graph: Graph, path: Path) -> None:
    """Write a graph as JSON in node-link form."""
    values = name_values(graph, "JSON")
    names: list[Any] = values if isinstance(values, list) else values.tolist()
    edges = [{"source": names[u], "target": names[v]} for u, v in graph.edges.tolist()]
    if (graph.edge_weights != 1.0).any():
        edges = [edge | {"weight": w} for edge, w in zip(edges, graph.edge_weights.tolist(), strict=True)]
    content = {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in names],
        "edges": edges,
    }
    write_bytes(path, json.dumps(content).encode())


def _graph(content: Any, path: Path, limits: Limits) -> Graph:
    """The graph in the object of a JSON file."""
    nodes, edges = _lists(content, path)
    limits.check("nodes", len(nodes), path)
    names = [_identifier(node, path) for node in nodes]
    if not names:
        raise DataError(f"'{path}' holds no nodes.")
    position = {name: i for i, name in enumerate(names)}
    if len(position) != len(names):
        raise DataError(f"'{path}' has two nodes with one id; give every node its own.")
    pairs, weights = [], []
    for edge in edges:
        ends = [edge.get(end) for end in ("source", "target")] if isinstance(edge, dict) else []
        if len(ends) != 2 or None in ends:
            raise DataError(f"'{path}' has an edge without source and target: {short(edge)}.")
        pairs.append([_position(end, position, path) for end in ends])
        weights.append(_weight(edge, path))
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    ends_by_number, kept = by_number(array, names)
    return Graph.from_edges(ends_by_number, weights, num_nodes=len(names), names=kept)


def _lists(content: Any, path: Path) -> tuple[list[Any], list[Any]]:
    """The lists of nodes and edges in the object, refused where it is no undirected graph."""
    if not isinstance(content, dict):
        raise DataError(f"'{path}' holds no graph in node-link form: no object with nodes and edges.")
    edges = content.get("edges", content.get("links"))
    nodes = content.get("nodes")
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise DataError(
            f"'{path}' holds no graph in node-link form: it must have a list 'nodes' and a list "
            "'edges' or 'links'."
        )
    if content.get("directed"):
        raise GraphError(f"'{path}' holds a directed graph; write G.to_undirected() instead.")
    return nodes, edges


def _identifier(node: Any, path: Path) -> Hashable:
    """The name of a node, from its object."""
    if not isinstance(node, dict) or "id" not in node:
        raise DataError(f"'{path}' has a node without an id: {short(node)}.")
    return _name(node["id"], path)


def _name(value: Any, path: Path) -> Hashable:
    """A name as JSON holds it; lists become tuples."""
    if isinstance(value, list):
        return tuple(_name(part, path) for part in value)
    if isinstance(value, dict) or value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise DataError(
            f"'{path}' has a node with the id {short(value)}; ids are texts, numbers or lists of them."
        )
    return value


def _position(value: Any, position: dict[Hashable, int], path: Path) -> int:
    """The index of the node that an edge names."""
    name = _name(value, path)
    if name not in position:
        raise DataError(f"'{path}' has an edge of node {short(repr(name))}, which is not among its nodes.")
    return position[name]


def _weight(edge: dict[str, Any], path: Path) -> float:
    """The weight of an edge, 1 by default; anything but a finite number is refused."""
    weight = edge.get("weight", 1.0)
    number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if number and abs(weight) < 2**1023 * 2:  # also false for NaN and infinity
        return float(weight)
    raise GraphError(f"'{path}' has an edge of weight {short(repr(weight))}; weights must be finite numbers.")

"""GraphML and GML, read and written through networkx (an optional dependency).

Both keep every node, in order, and weights in an edge attribute ``weight``. Their node identifiers
are text, so integer names are recognised by the rule of `zerokelvin.io.names`.
"""

from __future__ import annotations

import math
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.errors import DataError, GraphError, MissingDependencyError
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import by_number
from zerokelvin.io.files import write_bytes
from zerokelvin.io.limits import DEFAULT, Limits, read_limited, short
from zerokelvin.io.names import name_values, parse_names

__all__ = ["read_gml", "read_graphml", "write_gml", "write_graphml"]

_DAMAGE = (  # what networkx and the XML parser raise on files that are not what they should be
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def read_graphml(path: Path, limits: Limits = DEFAULT) -> Graph:
    """Read a graph from a GraphML file."""
    networkx = _networkx("GraphML")
    data = read_limited(path, limits)
    try:
        graph = networkx.read_graphml(BytesIO(data))
    except IndexError:
        raise DataError(f"'{path}' cannot be read as GraphML: it holds no graph.") from None
    except (networkx.NetworkXException, *_DAMAGE) as problem:
        raise DataError(f"'{path}' cannot be read as GraphML: {_reason(problem)}.") from None
    return _convert(graph, path, limits)


def read_gml(path: Path, limits: Limits = DEFAULT) -> Graph:
    """Read a graph from a GML file; names are the labels, or the ids where nodes have no labels."""
    networkx = _networkx("GML")
    data = read_limited(path, limits)
    try:
        graph = _labelled(networkx, data)
    except (networkx.NetworkXException, *_DAMAGE) as problem:
        raise DataError(f"'{path}' cannot be read as GML: {_reason(problem)}.") from None
    return _convert(graph, path, limits)


def write_graphml(graph: Graph, path: Path) -> None:
    """Write a graph as GraphML."""
    networkx = _networkx("GraphML")
    buffer = BytesIO()
    networkx.write_graphml_xml(_export(graph, networkx, "GraphML"), buffer)
    write_bytes(path, buffer.getvalue())


def write_gml(graph: Graph, path: Path) -> None:
    """Write a graph as GML."""
    networkx = _networkx("GML")
    buffer = BytesIO()
    networkx.write_gml(_export(graph, networkx, "GML"), buffer)
    write_bytes(path, buffer.getvalue())


def _networkx(kind: str) -> Any:
    """The package networkx, or the error that says how to install it."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependencyError(
            f"{kind} files need networkx; install it with: pip install zerokelvin[graphs]."
        ) from None
    return nx


def _labelled(networkx: Any, data: bytes) -> Any:
    """The graph with labels as names; with ids where nodes, other than edges perhaps, have no labels."""
    if re.search(rb"(?:^|[\s\[])label[ \t]", data):
        try:
            return networkx.read_gml(BytesIO(data))
        except networkx.NetworkXError as problem:
            if "has no 'label' attribute" not in str(problem):
                raise
    return networkx.read_gml(BytesIO(data), label="id")


def _convert(graph: Any, path: Path, limits: Limits) -> Graph:
    """The graph that networkx has read, checked; names that all spell integers are integers."""
    if graph.is_directed():
        raise GraphError(
            f"'{path}' holds a directed graph; read it with networkx and pass G.to_undirected() to "
            "Graph.from_networkx."
        )
    for u, v, weight in graph.edges(data="weight", default=1.0):
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool) and abs(weight) < 2**1024
        if not number or not math.isfinite(weight):
            raise GraphError(
                f"edge ({short(repr(u))}, {short(repr(v))}) of '{path}' has weight "
                f"{short(repr(weight))}; weights must be finite numbers."
            )
    if graph.number_of_nodes() == 0:
        raise DataError(f"'{path}' holds no nodes.")
    limits.check("nodes", graph.number_of_nodes(), path)
    position = {name: i for i, name in enumerate(graph.nodes)}
    triples = [(position[u], position[v], w) for u, v, w in graph.edges(data="weight", default=1.0)]
    edges = np.array([triple[:2] for triple in triples], dtype=np.int64).reshape(-1, 2)
    pairs, names = by_number(edges, parse_names([str(name) for name in graph.nodes]))
    return Graph.from_edges(pairs, [w for _, _, w in triples], num_nodes=len(position), names=names)


def _export(graph: Graph, networkx: Any, kind: str) -> Any:
    """The graph as one of networkx, weights only where one is not 1."""
    names = [str(name) for name in name_values(graph, kind, clean=True)]
    result = networkx.Graph()
    result.add_nodes_from(names)
    edges = ((names[u], names[v]) for u, v in graph.edges.tolist())
    if (graph.edge_weights != 1.0).any():
        weights = graph.edge_weights.tolist()
        result.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, weights, strict=True))
    else:
        result.add_edges_from(edges)
    return result


def _reason(problem: Exception) -> str:
    """What networkx says went wrong, short enough for a sentence."""
    return short(str(problem) or type(problem).__name__, 120).rstrip(".")

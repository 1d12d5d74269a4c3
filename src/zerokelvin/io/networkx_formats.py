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

from zerokelvin.errors import DataError, GraphError, MissingDependencyError
from zerokelvin.graph import Graph
from zerokelvin.io.files import read_bytes, write_bytes
from zerokelvin.io.names import name_values, parse_names, unless_numbered

__all__ = ["read_gml", "read_graphml", "write_gml", "write_graphml"]


def read_graphml(path: Path) -> Graph:
    """Read a graph from a GraphML file."""
    networkx = _networkx("GraphML")
    data = read_bytes(path)
    try:
        graph = networkx.read_graphml(BytesIO(data))
    except IndexError:
        raise DataError(f"'{path}' cannot be read as GraphML: it holds no graph.") from None
    except (networkx.NetworkXException, SyntaxError, ValueError, LookupError, TypeError) as problem:
        raise DataError(f"'{path}' cannot be read as GraphML: {_reason(problem)}.") from None
    return _convert(graph, path)


def read_gml(path: Path) -> Graph:
    """Read a graph from a GML file; names are the labels, or the ids where nodes have no labels."""
    networkx = _networkx("GML")
    data = read_bytes(path)
    try:
        label = "label" if re.search(rb"(?m)^\s*label\s", data) else "id"
        graph = networkx.read_gml(BytesIO(data), label=label)
    except (networkx.NetworkXException, ValueError, LookupError, TypeError) as problem:
        raise DataError(f"'{path}' cannot be read as GML: {_reason(problem)}.") from None
    return _convert(graph, path)


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
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependencyError(
            f"{kind} files need networkx; install it with: pip install zerokelvin[graphs]."
        ) from None
    return nx


def _convert(graph: Any, path: Path) -> Graph:
    if graph.is_directed():
        raise GraphError(
            f"'{path}' holds a directed graph; read it with networkx and pass G.to_undirected() to "
            "Graph.from_networkx."
        )
    for u, v, weight in graph.edges(data="weight", default=1.0):
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not math.isfinite(weight):
            raise GraphError(
                f"edge ({u!r}, {v!r}) of '{path}' has weight {weight!r}; weights must be finite numbers."
            )
    if graph.number_of_nodes() == 0:
        raise DataError(f"'{path}' holds no nodes.")
    plain = Graph.from_networkx(graph)
    names = unless_numbered(parse_names([str(name) for name in graph.nodes]))
    return Graph(plain.indptr, plain.indices, plain.weights, names)


def _export(graph: Graph, networkx: Any, kind: str) -> Any:
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
    return (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")

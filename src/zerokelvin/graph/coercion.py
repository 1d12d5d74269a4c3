"""A graph out of whatever a caller calls one: of this package, of another, a matrix, a table or a list.

A package is told by the module of the value's type, so that none is imported that the caller does not use.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import scipy.sparse as sp

from zerokelvin.errors import ParameterError
from zerokelvin.graph.convert import is_anndata, is_frame
from zerokelvin.graph.domain import Domain
from zerokelvin.graph.graph import Graph

__all__ = ["as_graph", "with_attributes"]


def as_graph(value: Any, obsp: str | None = None) -> Any:
    """The `Graph` that a value is, or is plainly meant for; `Features` stay what they are.

    Parameters
    ----------
    value
        A `Graph` or `Features` (returned as they are), an undirected networkx or igraph graph, a scipy sparse
        matrix, a data frame or table with columns source and target (and weight), or edges as
        `Graph.from_edges` takes them; or an AnnData object, whose graph is ``obsp["connectivities"]``.
    obsp
        The name of that matrix, where it is another.

    Examples
    --------
    >>> as_graph([("ann", "bob"), ("bob", "cem")])
    Graph(nodes=3, edges=2)
    """
    if is_anndata(value):
        return Graph.from_anndata(value, "connectivities" if obsp is None else obsp)
    if obsp is not None:
        raise ParameterError(
            f"obsp={obsp!r} names a matrix of an AnnData object, not of {type(value).__name__}."
        )
    if isinstance(value, Domain):
        return value
    packages = {kind.__module__.partition(".")[0] for kind in type(value).__mro__}
    if "networkx" in packages and hasattr(value, "is_directed"):
        return Graph.from_networkx(value)
    if "igraph" in packages and hasattr(value, "is_directed"):
        return Graph.from_igraph(value)
    if sp.issparse(value):
        return Graph.from_scipy(value)
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        raise ParameterError(f"the text {value!r} is no graph; read a file with zk.read_graph first.")
    if isinstance(getattr(value, "graph", None), Graph):
        raise ParameterError(f"a {type(value).__name__} is no graph but holds one; pass its .graph.")
    if is_frame(value) or isinstance(value, Iterable):
        return Graph.from_edges(value)
    raise ParameterError(
        f"{type(value).__name__} is no graph; pass a Graph, a networkx or igraph graph, a scipy sparse "
        "matrix, a data frame of edges or a list of them."
    )


def with_attributes(value: Any, attributes: Any) -> Any:
    """The graph that a value is, with attributes of its nodes where some are given.

    >>> with_attributes([("ann", "bob")], {"age": [30, 40]})
    Graph(nodes=2, edges=1, attributes=1)
    """
    graph = as_graph(value)
    if attributes is None:
        return graph
    if not isinstance(graph, Graph):
        raise ParameterError("features have no edges, so they take no attributes; put them into the table.")
    return graph.with_attributes(attributes)

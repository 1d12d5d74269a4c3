"""Which signed graphs the resistive learners accept.

A signed Laplacian M (absolute degrees minus signed weights) is positive semi-definite, and positive
definite on exactly the components that are not balanced (see `zerokelvin.solve.balance`). The theory
allows either an ordinary Laplacian or a positive definite signed one (Herbster 2008, Lemma 1, Theorems 2
and 5); a balanced component with negative edges is neither.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.solve.balance import balance

__all__ = ["require_definite"]


def require_definite(graph: Graph, purpose: str, everywhere: bool = False) -> None:
    """Refuse a signed graph with a component that has negative edges and yet is balanced.

    Parameters
    ----------
    graph, purpose
        The graph, and what it is wanted for.
    everywhere
        Also refuse, in a signed graph, components without negative edges: the Laplacian is then positive
        definite as a whole.

    Examples
    --------
    >>> require_definite(Graph.from_edges([(0, 1), (1, 2), (0, 2)], weights=[1, 1, -1]), "pounce")
    >>> require_definite(Graph.from_edges([(0, 1)], weights=[-1]), "pounce")
    Traceback (most recent call last):
    zerokelvin.errors.GraphError: pounce needs a positive definite signed Laplacian, but the component of \
node 0 has negative edges and splits into two camps without a contradiction; make the weights there \
positive and exchange the labels of one camp, or drop the negative edges.
    """
    if not graph.is_signed:
        return
    balanced = balance(graph).balanced
    negative = np.zeros(graph.num_components, dtype=np.bool_)
    negative[graph.components[graph.edges[graph.edge_weights < 0, 0]]] = True
    wrong = np.flatnonzero(balanced if everywhere else balanced & negative)
    if len(wrong) == 0:
        return
    component = int(wrong[0])
    node = graph.name(int(np.argmax(graph.components == component)))
    head = f"{purpose} needs a positive definite signed Laplacian, but the component of node {node!r} has "
    largest = int(np.argmax(np.bincount(graph.components)))
    advice = "" if largest in wrong else "play the largest component alone (--component largest), or "
    if negative[component]:
        raise GraphError(
            f"{head}negative edges and splits into two camps without a contradiction; {advice}make the "
            "weights there positive and exchange the labels of one camp, or drop the negative edges."
        )
    raise GraphError(
        f"{head}no negative edge; {advice}take the components with negative edges by themselves."
    )

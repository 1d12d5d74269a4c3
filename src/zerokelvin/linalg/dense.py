"""The pseudo-inverse of a Laplacian as a dense matrix, by Cholesky.

For a connected graph G⁺ = (G + 11ᵀ/n)⁻¹ − 11ᵀ/n: adding the projector on the null space makes G
positive definite without touching its other eigenvalues. Each component is inverted by itself, so that
no rounding leaks between them; a node without edges has the 1×1 pseudo-inverse 0. The null vector of a
balanced signed component takes the place of 1, and a component that is not balanced is inverted as it
is (see `zerokelvin.linalg.balance`).

O(n³) time, n² numbers: for graphs of a few thousand nodes.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.errors import GraphError
from zerokelvin.graph.graph import Graph
from zerokelvin.linalg.operator import Operator

__all__ = ["DENSE_LIMIT", "dense_inverse", "inverse_spd", "laplacian_pseudoinverse"]

Floats = NDArray[np.float64]

DENSE_LIMIT = 3000
"""Above this many nodes nothing in the package forms an n × n array unless asked for by name."""


def laplacian_pseudoinverse(graph: Graph) -> Floats:
    """The matrix L⁺ of the graph's Laplacian (of the signed one, where weights are negative).

    Examples
    --------
    >>> laplacian_pseudoinverse(Graph.from_edges([(0, 1)])).round(2)
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    return dense_inverse(Operator(graph))


def dense_inverse(operator: Operator) -> Floats:
    """The inverse of an operator as a matrix, the pseudo-inverse where it is singular."""
    components = operator.graph.components
    result = np.zeros((len(components), len(components)))
    order = np.argsort(components, kind="stable")
    sizes = np.bincount(components)
    for component, (stop, size) in enumerate(zip(np.cumsum(sizes), sizes, strict=True)):
        nodes = order[stop - size : stop]
        block = operator.matrix[nodes][:, nodes].toarray()
        if operator.singular[component]:
            if size == 1:
                continue
            scale = float(block.diagonal().mean())
            null = operator.null[nodes]
            block += scale * np.outer(null, null)
            inverse = inverse_spd(block)
            inverse -= np.outer(null, null) / scale
            inverse -= np.outer(null, null @ inverse)
            inverse -= np.outer(inverse @ null, null)
        else:
            inverse = inverse_spd(block)
        result[np.ix_(nodes, nodes)] = inverse
    return result


def inverse_spd(matrix: Floats) -> Floats:
    """Inverse of a symmetric positive definite matrix, exactly symmetric; overwrites its argument."""
    factor, info = scipy.linalg.lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    if info == 0:
        factor, info = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    if info != 0:
        raise GraphError(
            "the Laplacian is numerically singular beyond its components; "
            "edge weights differ too much in size, so rescale or drop the smallest ones."
        )
    lower: Floats = np.tril(factor)
    lower += np.tril(lower, -1).T
    return lower

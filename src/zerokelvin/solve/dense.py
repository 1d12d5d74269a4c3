"""The pseudo-inverse of a Laplacian as a dense matrix, by Cholesky.

For a connected graph G⁺ = (G + 11ᵀ/n)⁻¹ − 11ᵀ/n: adding the projector on the null space makes G
positive definite without touching its other eigenvalues. Each component is inverted by itself, so that
no rounding leaks between them; a node without edges has the 1×1 pseudo-inverse 0. The null vector of a
balanced signed component takes the place of 1, and a component that is not balanced is inverted as it
is (see `zerokelvin.solve.balance`).

O(n³) time, n² numbers, and n² more where there are several components: for graphs of a few thousand nodes.
Everything is done in place, as on 20,000 nodes a single copy of the matrix takes 3 GB.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.errors import GraphError
from zerokelvin.solve.operator import Operator

__all__ = ["DENSE_LIMIT", "dense_inverse", "inverse_spd"]


DENSE_LIMIT = 3000
"""Above this many nodes nothing in the package forms an n × n array unless asked for by name."""

_STRIP = 256  # rows worked on at a time


def dense_inverse(operator: Operator) -> Floats:
    """The inverse of an operator as a matrix, the pseudo-inverse where it is singular.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> dense_inverse(Operator(Graph.from_edges([(0, 1)]))).round(2)
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    components = operator.graph.components
    sizes = np.bincount(components)
    if len(sizes) == 1:
        return _inverse_of_component(operator, 0, np.arange(len(components)))
    result = np.zeros((len(components), len(components)))
    order = np.argsort(components, kind="stable")
    for component, (stop, size) in enumerate(zip(np.cumsum(sizes), sizes, strict=True)):
        nodes = order[stop - size : stop]
        result[np.ix_(nodes, nodes)] = _inverse_of_component(operator, component, nodes)
    return result


def _inverse_of_component(operator: Operator, component: int, nodes: NDArray[np.int64]) -> Floats:
    block = operator.matrix[nodes][:, nodes].toarray()
    if not operator.singular[component]:
        return inverse_spd(block)
    if len(nodes) == 1:
        return np.zeros((1, 1))
    scale = float(block.diagonal().mean())
    null = operator.null[nodes]
    _add_outer(block, scale * null, null)
    inverse = inverse_spd(block)
    _add_outer(inverse, null / -scale, null)
    _add_outer(inverse, -null, null @ inverse)
    _add_outer(inverse, inverse @ -null, null)
    return inverse


def inverse_spd(matrix: Floats) -> Floats:
    """Inverse of a symmetric positive definite matrix, exactly symmetric; overwrites its argument."""
    # of a symmetric matrix the transpose is the matrix in the column order that LAPACK works in place on
    factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, overwrite_a=1, clean=0)
    if info == 0:
        factor, info = scipy.linalg.lapack.dpotri(factor, lower=0, overwrite_c=1)
    if info != 0:
        raise GraphError(
            "the Laplacian is numerically singular beyond its components; "
            "edge weights differ too much in size, so rescale or drop the smallest ones."
        )
    lower: Floats = factor.T
    for start in range(0, len(lower), _STRIP):
        stop = min(start + _STRIP, len(lower))
        lower[:start, start:stop] = lower[start:stop, :start].T
        corner = np.tril(lower[start:stop, start:stop])
        lower[start:stop, start:stop] = corner + np.tril(corner, -1).T
    return lower


def _add_outer(matrix: Floats, left: Floats, right: Floats) -> None:
    """Add left·rightᵀ, a strip of rows at a time."""
    for start in range(0, len(matrix), _STRIP):
        matrix[start : start + _STRIP] += np.outer(left[start : start + _STRIP], right)

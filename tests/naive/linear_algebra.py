"""By-definition versions of everything of the solving and kernel rooms, on dense matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.linalg


def dense_laplacian(graph):
    matrix = np.zeros((graph.num_nodes, graph.num_nodes))
    for (u, v), w in zip(graph.edges, graph.edge_weights, strict=True):
        matrix[u, v] -= w
        matrix[v, u] -= w
        matrix[u, u] += abs(w)
        matrix[v, v] += abs(w)
    return matrix


def operator(graph, shift=0.0, normalized=False):
    """L + shift·I, or D^(-1/2) L D^(-1/2) + shift·I with rows of isolated nodes zero."""
    matrix = dense_laplacian(graph)
    if normalized:
        degree = matrix.diagonal().copy()
        scale = np.array([1 / np.sqrt(d) if d > 0 else 1.0 for d in degree])
        matrix = scale[:, None] * matrix * scale[None, :]
    return matrix + shift * np.eye(graph.num_nodes)


def pseudoinverse(graph, shift=0.0, normalized=False):
    return np.linalg.pinv(operator(graph, shift, normalized), rcond=1e-11, hermitian=True)


def resistances(graph):
    inverse = pseudoinverse(graph)
    count = graph.num_nodes
    result = np.zeros((count, count))
    for p in range(count):
        for q in range(count):
            if graph.components[p] != graph.components[q]:
                result[p, q] = np.inf
            else:
                difference = np.zeros(count)
                difference[p] += 1
                difference[q] -= 1
                result[p, q] = difference @ inverse @ difference
    return result


def heat_kernel(graph, t, normalized=False):
    return scipy.linalg.expm(-t * operator(graph, 0.0, normalized))


def exact_inverse(graph, shift=0.0):
    """(L + shift·I)⁻¹, or L⁺ of a connected graph, in fractions: right whatever the weights span."""
    return np.array([[float(entry) for entry in row] for row in _exact_rows(graph, shift)])


def exact_resistances(graph):
    """The effective resistances of a connected graph, in fractions."""
    rows = _exact_rows(graph, 0.0)
    nodes = range(graph.num_nodes)
    return np.array([[float(rows[i][i] + rows[j][j] - 2 * rows[i][j]) for j in nodes] for i in nodes])


def _exact_rows(graph, shift):
    count = graph.num_nodes
    rows = [[Fraction(0)] * count for _ in range(count)]
    for (u, v), w in zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True):
        for i, j, sign in ((u, u, 1), (v, v, 1), (u, v, -1), (v, u, -1)):
            rows[i][j] += sign * Fraction(w)
    flat = Fraction(1, count) if shift == 0 else Fraction(0)  # L⁺ = (L + 11ᵀ/n)⁻¹ − 11ᵀ/n
    for i in range(count):
        rows[i] = [entry + flat for entry in rows[i]] + [Fraction(int(i == j)) for j in range(count)]
        rows[i][i] += Fraction(shift)
    for k in range(count):
        pivot = next(i for i in range(k, count) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(count):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [[entry - flat for entry in row[count:]] for row in rows]

"""Nearest labelled nodes by definition: all distances, sorted, at every prediction."""

from __future__ import annotations

import numpy as np

import naive.linear_algebra as linalg


def geodesics(graph):
    """Floyd and Warshall's algorithm with edge lengths 1/w."""
    count = graph.num_nodes
    matrix = np.full((count, count), np.inf)
    np.fill_diagonal(matrix, 0.0)
    for (u, v), w in zip(graph.edges, graph.edge_weights, strict=True):
        matrix[u, v] = matrix[v, u] = 1 / w
    for k in range(count):
        matrix = np.minimum(matrix, matrix[:, k : k + 1] + matrix[k : k + 1, :])
    return matrix


def play(graph, trials, k, distance):
    """Margins before each trial; earlier labelled nodes come first among equally near ones."""
    matrix = geodesics(graph) if distance == "geodesic" else linalg.resistances(graph)
    scale = matrix[np.isfinite(matrix)].max()
    labels, margins = {}, []
    for node, label in trials:
        near = [j for j in labels if np.isfinite(matrix[node, j])]
        near.sort(key=lambda j: round(matrix[node, j] / scale, 9) if scale else 0.0)
        votes = [labels[j] for j in near[:k]]
        margins.append(sum(votes) / len(votes) if votes else 0.0)
        labels[node] = label
    return np.array(margins)

"""Items as vectors, and vectors as a graph of nearest neighbours; the rules are the same on every machine.

- Texts: TF-IDF of words and of pairs of words (sublinear counts), reduced to at most 100 dimensions by a
  truncated SVD (fixed start), rows of length one: the nearest are those of largest cosine.
- Numbers: every column less its mean, over its deviation; a cell without a number counts as the mean;
  constant columns are left out.
- Images: 16 × 16 pixels of brightness and, where there is colour, of the two colour differences.
- A given embedding: rows of length one (cosine).

Every item is joined to its 10 nearest others with weight exp(−d²/2σ²), where σ is the median distance to the
nearest but four: near neighbours weigh much and far ones little, whatever the unit. Weights below 10⁻⁴ are
taken for 10⁻⁴, so that nobody is cut off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.graph.points.nearest_points import nearest_neighbors
from zerokelvin.threads import on_one_thread

__all__ = ["NEIGHBOURS", "neighbour_graph", "number_vectors", "reduced", "text_vectors", "unit_rows"]

NEIGHBOURS = 10
DIMENSIONS = 100
TERMS = 50_000
"""Words and pairs of words that count, the most frequent."""

SCALE = 4
"""The neighbour whose median distance is σ, counted from 0."""

LEAST = 1e-4
STEPS, SPARE, SMALL = 6, 10, 1e-9
"""Of the reduction: iterations, directions beyond those wanted, singular values taken for 0."""


def text_vectors(texts: list[str]) -> Floats:
    """Texts as rows of length one; a text without a known word is a row of zeros."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts = TfidfVectorizer(
        sublinear_tf=True, max_features=TERMS, ngram_range=(1, 2), min_df=1, strip_accents="unicode"
    )
    try:
        matrix = counts.fit_transform(texts)
    except ValueError:
        return np.zeros((len(texts), 1))
    rank = min(DIMENSIONS, matrix.shape[0] - 1, matrix.shape[1] - 1)
    if rank < 1:
        return unit_rows(np.asarray(matrix.todense(), dtype=np.float64))
    return unit_rows(reduced(matrix.astype(np.float64), rank))


@on_one_thread
def reduced(matrix: Any, rank: int) -> Floats:
    """The rows of a matrix in the directions of its largest singular values, each times its value.

    Subspace iteration from fixed directions (Halko, Martinsson and Tropp 2011, algorithm 4.4), so that equal
    input gives equal rows to the last bit; ARPACK draws new directions where the rank is smaller than asked.
    """
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((matrix.shape[1], min(rank + SPARE, *matrix.shape)))
    for _ in range(STEPS):
        left, _ = np.linalg.qr(matrix @ basis)
        basis, _ = np.linalg.qr(matrix.T @ left)
    projected = np.asarray(matrix @ basis)
    _, values, right = np.linalg.svd(projected, full_matrices=False)
    kept = values[:rank] > SMALL * values[0]
    return projected @ right[:rank][kept].T


def number_vectors(matrix: Floats) -> Floats:
    """Columns of numbers as standard scores; NaN counts as the mean."""
    known = np.isfinite(matrix)
    counts = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, matrix, 0.0)
    centred = np.where(known, matrix - filled.sum(axis=0) / counts, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / counts)
    kept = deviation > 0
    return centred[:, kept] / deviation[kept] if kept.any() else np.zeros((len(matrix), 1))


def unit_rows(matrix: Floats) -> Floats:
    """Rows of length one; a row of zeros stays one."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def neighbour_graph(vectors: Floats, names: list[str] | None = None) -> Graph:
    """The graph of nearest neighbours, weighted by nearness."""
    count = len(vectors)
    if not np.isfinite(vectors).all():
        raise DataError("the vectors of the items hold values that are no numbers; mend the embedding.")
    if count == 1:
        return Graph.from_edges(np.empty((0, 2), dtype=np.int64), num_nodes=1, names=names)
    k = min(NEIGHBOURS, count - 1)
    near = nearest_neighbors(vectors, k)
    ends = np.repeat(np.arange(count), k)
    others = near.ravel()
    distances = np.linalg.norm(vectors[ends] - vectors[others], axis=1)
    scale = float(np.median(distances.reshape(count, k)[:, min(SCALE, k - 1)]))
    scale = scale if scale > 0 else float(distances.max()) or 1.0
    weights = np.maximum(np.exp(-(distances**2) / (2 * scale**2)), LEAST)
    low, high = np.minimum(ends, others), np.maximum(ends, others)
    keys, first = np.unique(low * count + high, return_index=True)
    edges = np.column_stack([keys // count, keys % count])
    return Graph.from_edges(edges, weights[first], num_nodes=count, names=names)

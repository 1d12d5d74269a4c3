"""Small random graphs of every awkward shape, one per seed."""

from __future__ import annotations

import numpy as np

from zerokelvin.graph import Graph

FAMILIES = (
    "path",
    "star",
    "clique",
    "tree",
    "sparse",
    "dense",
    "whiskers",
    "barbell",
    "grid",
    "multi",
    "single",
    "cycle",
)


def _edges(family, rng):
    n = int(rng.integers(2, 14))
    if family == "path":
        return n, [(i, i + 1) for i in range(n - 1)]
    if family == "star":
        return n, [(0, i) for i in range(1, n)]
    if family == "clique":
        return n, [(i, j) for i in range(n) for j in range(i)]
    if family == "tree":
        return n, [(i, int(rng.integers(i))) for i in range(1, n)]
    if family == "cycle":
        return n, [(i, (i + 1) % n) for i in range(n)] if n > 2 else [(0, 1)]
    if family == "grid":
        a, b = int(rng.integers(2, 5)), int(rng.integers(2, 5))
        edges = [(i * b + j, i * b + j + 1) for i in range(a) for j in range(b - 1)]
        return a * b, edges + [(i * b + j, i * b + j + b) for i in range(a - 1) for j in range(b)]
    if family == "barbell":
        k = int(rng.integers(2, 6))
        left = [(i, j) for i in range(k) for j in range(i)]
        return 2 * k, left + [(i + k, j + k) for i, j in left] + [(0, k)]
    if family == "whiskers":
        core = int(rng.integers(3, 7))
        edges = [(i, j) for i in range(core) for j in range(i) if rng.random() < 0.8]
        n = core + int(rng.integers(1, 9))
        return n, edges + [(i, int(rng.integers(max(0, i - 4), i))) for i in range(core, n)]
    if family == "multi":
        count = int(rng.integers(1, 4 * n))
        return n, [tuple(int(v) for v in rng.integers(0, n, 2)) for _ in range(count)]
    if family == "single":
        return int(rng.integers(1, 4)), []
    density = 0.15 if family == "sparse" else 0.6
    return n, [(i, j) for i in range(n) for j in range(i) if rng.random() < density]


def random_graph(seed, signed=False, weights=None):
    """A graph of at most about 40 nodes; every third seed joins two graphs without an edge between."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    n, edges = _edges(family, rng)
    if rng.random() < 1 / 3:
        more, extra = _edges(FAMILIES[int(rng.integers(len(FAMILIES)))], rng)
        edges = edges + [(u + n, v + n) for u, v in extra]
        n += more
    kind = weights or ("unit", "uniform", "wide", "ties")[int(rng.integers(4))]
    size = len(edges)
    values = {
        "unit": lambda: np.ones(size),
        "uniform": lambda: rng.uniform(0.1, 2.0, size),
        "wide": lambda: 10 ** rng.uniform(-2, 2, size),
        "ties": lambda: rng.integers(1, 3, size).astype(float),
    }[kind]()
    if signed:
        values = values * rng.choice([-1.0, 1.0], size, p=[0.3, 0.7])
    permutation = rng.permutation(n)
    pairs = permutation[np.array(edges, dtype=np.int64).reshape(-1, 2)]
    return Graph.from_edges(pairs, values, num_nodes=n)

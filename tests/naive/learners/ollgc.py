"""Algorithms 1 and 2 of Gu, Aggarwal, Liu, Han 2013 by definition: A inverted afresh in every trial."""

import numpy as np


def embedding(graph, rank, b):
    """Columns v_k/√σ_k of the smallest positive eigenvalues and the constant √b, from a dense spectrum."""
    values, vectors = np.linalg.eigh(graph.laplacian().toarray())
    null = graph.num_components
    wanted = rank - 1 if b > 0 else rank
    chosen = slice(null, min(null + wanted, graph.num_nodes))
    columns = vectors[:, chosen] / np.sqrt(values[chosen])
    return np.hstack([columns, np.full((graph.num_nodes, 1 if b > 0 else 0), np.sqrt(b))])


def run(rows, trials, mu, kappa=None, every_round=False):
    """Margins, queries and updates of one binary problem; the first trial is always queried."""
    d = rows.shape[1]
    A, v = mu * np.eye(d), np.zeros(d)
    margins, asked, learnt = [], [], []
    for t, (node, label) in enumerate(trials, start=1):
        m = rows[node]
        margin = float(np.linalg.solve(A, v) @ m) if d else 0.0
        r = float(m @ np.linalg.solve(A + np.outer(m, m), m)) if d else 0.0
        ask = t == 1 or kappa is None or r > t**-kappa * (1 + 1e-9)
        wrong = (1 if margin >= 0 else -1) != label
        learn = ask and (wrong or every_round) and bool(np.any(m))
        if learn:
            A, v = A + np.outer(m, m), v + label * m
        margins.append(margin)
        asked.append(ask)
        learnt.append(learn)
    return np.array(margins), np.array(asked), np.array(learnt)

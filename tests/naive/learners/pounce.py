"""POUNCE by definition: vectors, norms and projections written out, in floats or in long decimals."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import numpy as np

TIE = 1e-9


def play(graph, trials, every_round=False):
    """Fig. 3 on every component; margins before each trial and the mistaken trials but the first ones.

    The coordinates are the columns of the pseudo-inverse of the (signed) Laplacian M, norms are taken in
    M. Returns margins, mistakes and the sum of 1/‖v_i − v_η‖² over the mistakes.
    """
    M = graph.laplacian().toarray()
    V = np.linalg.pinv(M, rcond=1e-11, hermitian=True)
    component = graph.components

    def squared_distance(i, j):
        return (V[:, i] - V[:, j]) @ M @ (V[:, i] - V[:, j])

    w = np.zeros(len(M))
    chosen, labels = [], {}
    margins, mistakes, inverse = [], [], 0.0
    for t, (i, y) in enumerate(trials):
        rivals = [j for j in chosen if component[j] == component[i]]
        if not rivals:
            margins.append(0.0)
            chosen.append(i)
            labels[i] = y
            continue
        away = [0.0 if j == i else squared_distance(i, j) for j in rivals]
        eta = rivals[next(k for k, d in enumerate(away) if d <= min(away) + TIE * np.abs(V).max())]
        if i in rivals:
            eta = i
        margin = labels[eta] + w[i] - w[eta]
        margins.append(0.0 if abs(margin) < 1e-9 else margin)
        wrong = (1 if margins[-1] >= 0 else -1) != y
        if wrong:
            mistakes.append(t)
            inverse += 1 / squared_distance(i, eta) if eta != i else 0.0
        if wrong or every_round:
            if eta != i:
                step = (y - labels[eta] - (w[i] - w[eta])) / squared_distance(i, eta)
                w = w + step * (V[:, i] - V[:, eta])
                chosen.append(i)
            labels[i] = y
    return np.array(margins), mistakes, inverse


def least_norm(graph, labels):
    """min uᵀMu over u that agrees with `labels`, a dict from node to ±1: by least squares, densely."""
    M = graph.laplacian().toarray()
    known = sorted(labels)
    free = [v for v in range(len(M)) if v not in labels]
    y = np.array([float(labels[v]) for v in known])
    u = np.zeros(len(M))
    u[known] = y
    u[free] = np.linalg.lstsq(M[np.ix_(free, free)], -M[np.ix_(free, known)] @ y, rcond=1e-12)[0]
    return float(u @ M @ u)


def enough_digits(distances, a):
    """Twice the range of the weights, so that a difference of the largest still shows the smallest."""
    return 40 + int(a * np.max(distances))


def decimal_resistances(distances, a):
    """Effective resistances with weights exp(−a·d), by Gauss–Jordan elimination in long decimals."""
    with localcontext() as context:
        context.prec = enough_digits(distances, a)
        count = len(distances)
        weight = [
            [
                (-Decimal(a) * Decimal(float(distances[i][j]))).exp() if i != j else Decimal(0)
                for j in range(count)
            ]
            for i in range(count)
        ]
        size = count - 1  # the last vertex is grounded
        rows = [
            [sum(weight[i]) if i == j else -weight[i][j] for j in range(size)]
            + [Decimal(int(i == j)) for j in range(size)]
            for i in range(size)
        ]
        for k in range(size):
            pivot = rows[k][k]
            rows[k] = [x / pivot for x in rows[k]]
            for i in range(size):
                if i != k:
                    factor = rows[i][k]
                    rows[i] = [x - factor * z for x, z in zip(rows[i], rows[k], strict=True)]
        inverse = [[*row[size:], Decimal(0)] for row in rows] + [[Decimal(0)] * count]
        return [
            [inverse[i][i] + inverse[j][j] - 2 * inverse[i][j] for j in range(count)] for i in range(count)
        ]


def decimal_potentials(distances, a):
    """Logarithms of the resistances, and the potentials of all p with i held at 1 and j at 0."""
    r = decimal_resistances(distances, a)
    every = range(len(r))
    with localcontext() as context:
        context.prec = enough_digits(distances, a)
        short = Context(prec=30)
        logs = [[float(short.plus(r[i][j]).ln(short)) if i != j else -np.inf for j in every] for i in every]
        potentials = [
            [
                [float((r[i][j] + r[p][j] - r[p][i]) / (2 * r[i][j])) for p in every] if i != j else None
                for j in every
            ]
            for i in every
        ]
    return logs, potentials


def decimal_play(distances, a, trials):
    """Fig. 3 on the exponential embedding in long decimals, from resistances alone; margins as floats.

    Only differences of w matter, so (v_i − v_η)(p) is taken as ½ [r(p, η) − r(p, i)].
    """
    r = decimal_resistances(distances, a)
    with localcontext() as context:
        context.prec = enough_digits(distances, a)
        w = [Decimal(0)] * len(r)
        labels, margins = {}, []
        for t, (i, y) in enumerate(trials):
            if t == 0:
                margins.append(0.0)
                labels[i] = y
                continue
            nearest = min(r[i][j] for j in labels)
            eta = next(j for j in labels if r[i][j] <= nearest * (1 + Decimal("1e-9")))
            margin = labels[eta] + w[i] - w[eta]
            margins.append(0.0 if abs(margin) < Decimal("1e-9") else float(margin))
            if (1 if margins[-1] >= 0 else -1) != y:
                if eta != i:
                    step = (y - labels[eta] - (w[i] - w[eta])) / r[i][eta]
                    w = [x + step * (r[p][eta] - r[p][i]) / 2 for p, x in enumerate(w)]
                labels[i] = y
    return np.array(margins)

"""Speed of the second-order learners against NumPy, as ratios in one run.

    python benchmarks/second_order.py [--data ../shared/data] [--quick]

All classes of Cora and PubMed at rank 100 (random points where the folder is absent), one game in one random
order, on one thread (set OMP_NUM_THREADS=1). Times are those of the processor, all versions in turn, the
best of several rounds each. The NumPy versions of Algorithms 1–2 are

    printed   A and b are updated, w and r_t come from numpy.linalg.solve
    inverse   A⁻¹ is kept by the Sherman–Morrison formula, class by class
    stacked   the same for all classes at once

and every one of them makes the same predictions and the same queries as ours. Then the cost per trial against
the rank, the number of trials and the number of classes, and the cost of an update with increasing a against
a fresh factorisation.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import Trials, make
from zerokelvin.learners.ridge.instances import Coordinates
from zerokelvin.least_squares.shifted import PrimalShifted
from zerokelvin.spectral.embedding_features import laplacian_coordinates

KAPPA = 0.4


def printed(rows, nodes, signs, mu, kappa):
    """Algorithms 1–2 as printed: one problem after another, a solve wherever A⁻¹ stands."""
    margins, asked = np.zeros(signs.shape), np.zeros(signs.shape, dtype=bool)
    for c in range(signs.shape[1]):
        A, b, w = mu * np.eye(rows.shape[1]), np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
        for t, node in enumerate(nodes):
            m, y = rows[node], signs[t, c]
            score = margins[t, c] = w @ m
            if kappa is not None and t > 0:
                r = m @ np.linalg.solve(A, m)
                if not r / (1 + r) > (t + 1) ** -kappa:
                    continue
            asked[t, c] = True
            if (1 if score >= 0 else -1) != y:
                A += np.outer(m, m)
                b += y * m
                w = np.linalg.solve(A, b)
    return margins, asked


def inverse(rows, nodes, signs, mu, kappa):
    """The same with A⁻¹ kept by the Sherman–Morrison formula."""
    margins, asked = np.zeros(signs.shape), np.zeros(signs.shape, dtype=bool)
    for c in range(signs.shape[1]):
        P, w = np.eye(rows.shape[1]) / mu, np.zeros(rows.shape[1])
        for t, node in enumerate(nodes):
            m, y = rows[node], signs[t, c]
            score = margins[t, c] = w @ m
            if kappa is not None and t > 0:
                r = m @ (P @ m)
                if not r / (1 + r) > (t + 1) ** -kappa:
                    continue
            asked[t, c] = True
            if (1 if score >= 0 else -1) != y:
                u = P @ m
                r = m @ u
                P -= np.outer(u, u / (1 + r))
                w += (y - score) / (1 + r) * u
    return margins, asked


def stacked(rows, nodes, signs, mu, kappa):
    """The same for all classes at once."""
    classes, d = signs.shape[1], rows.shape[1]
    margins, asked = np.zeros(signs.shape), np.zeros(signs.shape, dtype=bool)
    P, W = np.repeat(np.eye(d)[None] / mu, classes, axis=0), np.zeros((classes, d))
    for t, node in enumerate(nodes):
        m = rows[node]
        score = margins[t] = W @ m
        learn = np.where(score >= 0, 1, -1) != signs[t]
        if kappa is not None and t > 0:
            r = (P @ m) @ m
            asked[t] = r / (1 + r) > (t + 1) ** -kappa
            learn &= asked[t]
        else:
            asked[t] = True
        at = np.flatnonzero(learn)
        if len(at):
            u = P[at] @ m
            r = u @ m
            P[at] -= u[:, :, None] * (u / (1 + r)[:, None])[:, None, :]
            W[at] += ((signs[t, at] - score[at]) / (1 + r))[:, None] * u
    return margins, asked


def ours(rows, nodes, signs, mu, kappa, repeats=5):
    """One compiled game; the best of several, the first of which loads the machine code."""
    name = "ollgc" if kappa is None else "sslgc"
    learner = make(name, mu=mu, **({} if kappa is None else {"kappa": kappa}))
    graph = Features(rows)
    source = Coordinates(np.ascontiguousarray(rows), None, 0.0)
    trials = Trials(nodes, signs, np.full(len(nodes), np.inf), 0, 10**9)
    best = np.inf
    for _ in range(repeats):
        game = learner.start_game(graph, signs.shape[1], source, 0)
        began = time.process_time()
        trace = game.play(trials)
        best = min(best, time.process_time() - began)
    return best, trace


def load(folder, name):
    path = Path(folder) / f"{name}.npz"
    if not path.exists():
        rng = np.random.default_rng(0)
        rows = np.hstack([np.full((2500, 1), np.sqrt(2)), rng.normal(size=(2500, 99)) / 10])
        return rows, rng.integers(0, 7, 2500)
    arrays = np.load(path)
    graph, nodes = Graph.from_edges(arrays["edges"], num_nodes=int(arrays["n"])).largest_component()
    return laplacian_coordinates(graph, 100, 2.0), arrays["labels"][nodes].astype(np.int64)


def one_vs_rest(labels):
    return np.where(labels[:, None] == np.arange(labels.max() + 1), 1, -1).astype(np.int8)


def compare(name, rows, labels, mu, quick, rounds):
    """All versions in turn, several rounds; the best time of each."""
    order = np.random.default_rng(1).permutation(len(labels))
    signs = one_vs_rest(labels)[order]
    for learner, kappa in (("ollgc", None), ("sslgc", KAPPA)):
        versions = (inverse, stacked) if quick else (inverse, stacked, printed)
        best, took = np.inf, dict.fromkeys(versions, np.inf)
        for turn in range(rounds):
            one, trace = ours(rows, order, signs, mu, kappa)
            best = min(best, one)
            for version in versions if turn == 0 else (inverse, stacked):
                began = time.process_time()
                margins, asked = version(rows, order, signs, mu, kappa)
                took[version] = min(took[version], time.process_time() - began)
                assert (asked == trace.asked).all(), "other queries"
                assert ((margins >= 0) == (trace.margins >= 0)).mean() > 0.9999, "other predictions"
        line = f"{name:7} {learner:6} {1e6 * best / signs.size:8.3f} µs per class and trial"
        print(line + "".join(f"   {v.__name__} {took[v] / best:6.1f}×" for v in versions), flush=True)


def scaling():
    rng = np.random.default_rng(0)
    print("\ncost of sslgc per class and trial, µs")
    for d, n, classes in (
        (25, 4000, 4),
        (50, 4000, 4),
        (100, 4000, 4),
        (200, 4000, 4),
        (100, 16000, 4),
        (100, 4000, 16),
    ):
        rows = np.hstack([np.full((n, 1), np.sqrt(2)), rng.normal(size=(n, d - 1)) / np.sqrt(d)])
        labels = (rows[:, 1 : 1 + classes]).argmax(axis=1)
        best, _ = ours(rows, rng.permutation(n), one_vs_rest(labels), 1.0, KAPPA, repeats=3)
        print(
            f"  rank {d:4}  trials {n:6}  classes {classes:3}   {1e6 * best / (n * classes):8.3f}", flush=True
        )


def increasing():
    rng = np.random.default_rng(0)
    print("\nan update with a_k = c R² k against a fresh Cholesky factorisation")
    import scipy.linalg

    warm = PrimalShifted(4)
    warm.add(np.ones(4))
    warm.solve(1.0, np.ones(4))
    warm.add(np.ones(4))
    warm.solve(1.1, np.ones(4))
    for d in (100, 400, 1000):
        system, w, v = PrimalShifted(d), np.zeros(d), np.zeros(d)
        rows = rng.normal(size=(300, d))
        kept = fresh = 0.0
        for k, x in enumerate(rows, start=1):
            a = 0.1 * d * (k + 1)
            began = time.process_time()
            system.add(x)
            v += x
            w = system.solve(a, v, w)
            kept += time.process_time() - began
            began = time.process_time()
            factor = scipy.linalg.cho_factor(system.matrix + a * np.eye(d), lower=True)
            expected = scipy.linalg.cho_solve(factor, v)
            fresh += time.process_time() - began
        off = np.abs(w - expected).max() / np.abs(expected).max()
        text = f"{fresh / kept:5.1f}× cheaper, {system.factorisations} factorisations, off by {off:.0e}"
        print(f"  d {d:5}   {text}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--quick", action="store_true", help="leave out the slowest NumPy version")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the best times count")
    options = parser.parse_args()
    print("how many times longer NumPy takes than ours")
    for name, mu in (("cora", 1.0), ("pubmed", 0.001)):
        rows, labels = load(options.data, name)
        compare(name, rows, labels, mu, options.quick, options.rounds)
    scaling()
    increasing()


if __name__ == "__main__":
    main()

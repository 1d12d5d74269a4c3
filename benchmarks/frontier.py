"""Speed of `propagation`, `gaussian` and `auto` against local push per node, in one run on one thread.

    python benchmarks/frontier.py [--data pubmed] [--eps 1e-5] [--million]

The comparator is the published online algorithm with local push (Zhou, Sun and Babanezhad, "Fast online
node labeling for very large graphs", ICML 2023), written anew and wholly compiled: for every node its column
of (Lₙ + βI)⁻¹ as a personalised PageRank vector by first-in-first-out push until every residual is at most
eps·degree, predictions of the relaxation method ψ = −G k_t / √(a + k·t) by water-filling, and a hinge
gradient per trial. Its published programme has eps = 1e-5 by default. Its columns are kept sparse here, which
only helps it. With --million a k-NN graph of a million points is played end to end. Times are processor
seconds; every ratio is taken within this run.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import zerokelvin as zk
from zerokelvin.jit import kernel
from zerokelvin.linalg.push import PushKernel, _push


@kernel
def push_per_node(csr, degrees, scratch, order, codes, classes, eps, beta):
    """Predict and learn over all nodes; the number of mistakes."""
    n = len(degrees)
    excess = beta * degrees
    gradients = np.zeros((n, classes))
    mistakes, energy, rest = 0, 0.0, 2.0 * n * n
    for t in range(len(order)):
        i = order[t]
        nodes, values = _push(csr, degrees, excess, scratch, i, 1.0, eps / beta)
        scores, own = np.zeros(classes), 0.0
        for k in range(len(nodes)):
            v = nodes[k]
            entry = 2.0 * n * beta * values[k] * np.sqrt(degrees[v] * degrees[i])
            own = entry if v == i else own
            for c in range(classes):
                scores[c] += entry * gradients[v, c]
        psi = -scores / np.sqrt(energy + classes * rest)
        ranked = np.argsort(psi)
        total, kept = psi.sum(), classes
        while psi[ranked[classes - kept]] < (total - 1.0) / kept:
            total -= psi[ranked[classes - kept]]
            kept -= 1
        filled = ranked[classes - kept :]
        truth = codes[i]
        mistakes += ranked[classes - 1] != truth
        gradient = np.zeros(classes)
        if (filled == truth).any():
            gradient[filled] = 1.0 / kept
            gradient[truth] -= 1.0
        else:
            rival = ranked[classes - 1]
            gradient[rival] = 1.0 / (1.0 + 1.0 / kept)
            gradient[truth] = -gradient[rival]
        gradients[i] = gradient
        energy += 2.0 * (gradient @ scores) + own * (gradient @ gradient)
        rest -= own
    return mistakes


def comparator(graph, codes, order, eps, beta=0.1):
    push = PushKernel(graph, shift=beta, normalized=True)
    arguments = ((graph.indptr, graph.indices, graph.weights), graph.degrees, push._scratch)
    classes = int(codes.max()) + 1
    push_per_node(*arguments, order[:2], codes, classes, eps, beta)
    began = time.process_time()
    mistakes = push_per_node(*arguments, order, codes, classes, eps, beta)
    return time.process_time() - began, mistakes / len(order)


def played(graph, labels, name, **params):
    zk.play(graph, labels, name, order=[0, 1, 2], **params)
    began = time.process_time()
    run = zk.play(graph, labels, name, **params)
    return time.process_time() - began, run.error_multiclass


def million(points=1_000_000, classes=5):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, classes, points)
    spots = rng.normal(size=(classes, 2)) * 4
    began = time.process_time()
    graph = zk.knn_graph(spots[codes] + rng.normal(size=(points, 2)), k=10)
    built = time.process_time() - began
    print(f"{points} points, {graph.num_edges} edges: graph {built:.1f} s")
    for name, params in (("gaussian", {"kernel": "regularized:0.5", "tol": 0.05}), ("auto", {})):
        seconds, error = played(graph, codes, name, **params)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name}: {seconds:.1f} s, error {error:.4f}, peak memory so far {memory:.2f} GiB", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="pubmed")
    parser.add_argument("--eps", type=float, default=1e-5)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--points", type=int, default=1_000_000, help="with --million: how many points")
    options = parser.parse_args()
    if options.million:
        million(options.points)
        return
    data = zk.load_dataset(options.data)
    graph, nodes = data.graph.largest_component()
    codes = np.asarray(data.labels, dtype=np.int64)[nodes]
    order = np.random.default_rng(0).permutation(len(codes))
    base, error = comparator(graph, codes, order, options.eps)
    print(f"push per node, eps {options.eps:g}: {base:.2f} s, error {error:.4f}")
    rows = (
        ("propagation", {}),
        ("gaussian", {"kernel": "regularized:0.5"}),
        ("gaussian", {"tol": 0.05}),
        ("auto", {}),
    )
    for name, params in rows:
        seconds, error = played(graph, codes, name, **params)
        print(f"{name} {params}: {seconds:.2f} s, error {error:.4f}, {seconds / base:.3f} of push per node")


if __name__ == "__main__":
    main()

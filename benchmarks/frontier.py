"""Speed of `propagation`, `gaussian` and `auto` against local push per node, in one run on one thread.

    python benchmarks/frontier.py [--data pubmed] [--eps 1e-5]
    python benchmarks/frontier.py --million [--points 10000 100000 1000000]

The comparator is the published online algorithm with local push (Zhou, Sun and Babanezhad, "Fast online
node labeling for very large graphs", ICML 2023), written anew and wholly compiled: for every node its column
of (Lₙ + βI)⁻¹ as a personalised PageRank vector by first-in-first-out push until every residual is at most
eps·degree, predictions of the relaxation method ψ = −G k_t / √(a + k·t) by water-filling, and a hinge
gradient per trial. Its published programme has eps = 1e-5 by default. Its columns are kept sparse here, which
only helps it. A second one is scikit-network's Diffusion with its defaults, fitted again after every 100
trials. Every time but that of push per node is the best of three.

With --million k-NN graphs of up to a million points are played end to end, points of the same clouds at every
size; an exponent is that of the growth since the size before. Sessions that predict and learn one by one,
with nothing known of the order, come after the games. Times are processor seconds; every ratio is taken
within this run.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import zerokelvin as zk
from zerokelvin.experiments.peers import PEERS
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import join, leave, new_queue


@kernel
def push(csr, degrees, excess, scratch, node, threshold):
    """The column of (D − A + E)⁻¹ of a node, by push until every residual is at most threshold · excess.

    Andersen, Chung and Lang (2006): a push at u moves r_u into the estimate, x_u += r_u / (d_u + e_u), and
    passes A_uv times that on to the neighbours. Returns the nodes reached and the estimates there; leaves the
    scratch arrays (estimate, residual, known, queue) clean.
    """
    indptr, indices, weights = csr
    estimate, residual, known, queue = scratch
    seen = [node]
    known[node] = True
    residual[node] = 1.0
    head, length = 0, 0
    if residual[node] > threshold * excess[node]:
        length = join(queue, head, length, node)
    while length > 0:
        u, head, length = leave(queue, head, length)
        moved = residual[u] / (degrees[u] + excess[u])
        estimate[u] += moved
        residual[u] = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if not known[v]:
                known[v] = True
                seen.append(v)
            residual[v] += weights[p] * moved
            if residual[v] > threshold * excess[v]:
                length = join(queue, head, length, v)
    nodes = np.array(seen)
    values = estimate[nodes]
    estimate[nodes] = 0.0
    residual[nodes] = 0.0
    known[nodes] = False
    return nodes, values


@kernel
def push_per_node(csr, degrees, scratch, order, codes, classes, eps, beta):
    """Predict and learn over all nodes; the number of mistakes."""
    n = len(degrees)
    excess = beta * degrees
    gradients = np.zeros((n, classes))
    mistakes, energy, rest = 0, 0.0, 2.0 * n * n
    for t in range(len(order)):
        i = order[t]
        nodes, values = push(csr, degrees, excess, scratch, i, eps / beta)
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
    count = graph.num_nodes
    scratch = (np.zeros(count), np.zeros(count), np.zeros(count, np.bool_), new_queue(count))
    arguments = ((graph.indptr, graph.indices, graph.weights), graph.degrees, scratch)
    classes = int(codes.max()) + 1
    push_per_node(*arguments, order[:2], codes, classes, eps, beta)
    began = time.process_time()
    mistakes = push_per_node(*arguments, order, codes, classes, eps, beta)
    return time.process_time() - began, mistakes / len(order)


def diffusion(graph, codes, order, every=100):
    """scikit-network's Diffusion, fitted again after every `every` trials."""
    game = PEERS["sknetwork-diffusion"].start(graph, int(codes.max()) + 1, every)
    mistakes = 0
    began = time.process_time()
    for node, code in zip(order.tolist(), codes[order].tolist(), strict=True):
        mistakes += game.predict(node) != code
        game.learn(node, code)
    return time.process_time() - began, mistakes / len(order)


def played(graph, labels, name, params):
    """A whole game, with everything compiled before."""
    zk.play(graph, labels, name, order=[0, 1, 2], **params)
    began = time.process_time()
    run = zk.play(graph, labels, name, **params)
    return time.process_time() - began, run.error_multiclass


def best(action, *arguments):
    """The least time of three runs, and the error."""
    found = [action(*arguments) for _ in range(3)]
    return min(seconds for seconds, _ in found), found[0][1]


def clouds(points, classes=5):
    """A 10-nearest-neighbour graph of Gaussian clouds in the plane, the same clouds at every size."""
    spots = 4 * np.random.default_rng(1).normal(size=(classes, 2))
    rng = np.random.default_rng(0)
    codes = rng.integers(0, classes, points)
    return zk.knn_graph(spots[codes] + rng.normal(size=(points, 2)), k=10), codes


def memory():
    """Peak memory so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def steps(graph, codes, count=1000):
    """Median milliseconds of one prediction and one answer in a session, over `count` of each."""
    session = zk.start(graph, "auto", classes=list(range(int(codes.max()) + 1)))
    times = np.empty((count, 2))
    for t, node in enumerate(np.random.default_rng(0).permutation(len(codes))[:count].tolist()):
        began = time.process_time()
        session.predict(node)
        between = time.process_time()
        session.learn(node, int(codes[node]))
        times[t] = between - began, time.process_time() - between
    return 1e3 * np.median(times, axis=0)


def million(sizes):
    """Play k-NN graphs of ascending size."""
    zk.play(*clouds(200), "auto")
    previous = None
    for points in sizes:
        began = time.process_time()
        graph, codes = clouds(points)
        built = time.process_time() - began
        first, plain_error = played(graph, codes, "gaussian", {"kernel": "regularized:0.5", "tol": 0.05})
        light = memory()
        second, error = played(graph, codes, "auto", {})
        heavy = memory()
        now = np.array([points, first, second])
        grown = "" if previous is None else np.log(now[1:] / previous[1:]) / np.log(now[0] / previous[0])
        exponents = ["", ""] if previous is None else [f", exponent {power:.2f}" for power in grown]
        print(f"{points} points, {graph.num_edges} edges: graph {built:.1f} s")
        print(f"  gaussian: {first:.1f} s, error {plain_error:.4f}, peak {light:.2f} GiB{exponents[0]}")
        print(f"  auto: {second:.1f} s, error {error:.4f}, peak {heavy:.2f} GiB{exponents[1]}")
        shown, learnt = steps(graph, codes)
        print(f"  one by one: {shown:.2f} ms to predict, {learnt:.2f} ms to learn", flush=True)
        previous = now


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default="pubmed")
    parser.add_argument("--eps", type=float, default=1e-5)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--points", type=int, nargs="+", default=[1_000_000], help="with --million: how many")
    options = parser.parse_args()
    if options.million:
        million(sorted(options.points))
        return
    data = zk.load_dataset(options.data)
    graph, nodes = data.graph.largest_component()
    codes = np.asarray(data.labels, dtype=np.int64)[nodes]
    order = np.random.default_rng(0).permutation(len(codes))
    push, error = comparator(graph, codes, order, options.eps)
    print(f"push per node, eps {options.eps:g}: {push:.2f} s, error {error:.4f}")
    refits, error = best(diffusion, graph, codes, order)
    print(f"scikit-network Diffusion, fitted every 100 trials: {refits:.2f} s, error {error:.4f}", flush=True)
    rows = (
        ("propagation", {}),
        ("gaussian", {"kernel": "regularized:0.5"}),
        ("gaussian", {"tol": 0.05}),
        ("auto", {}),
    )
    for name, params in rows:
        seconds, error = best(played, graph, codes, name, params)
        print(
            f"{name} {params}: {seconds:.2f} s, error {error:.4f}, {seconds / push:.3f} of push per node, "
            f"{seconds / refits:.3f} of Diffusion",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Speed of all minimum cuts online: arcs touched, ratio against a max flow per trial, growth, bad orders.

    python benchmarks/zero_temperature.py [--nodes 20000] [--grid 1000] [--tree 1000000] [--data cora pubmed]

Arcs touched are counted in the code, so they do not depend on the machine; the goal is 20·E·(1+√φ) for every
node once in random order, E the edges and φ the final cut. The ratio is scipy's maximum flow, run afresh on
a sample of the trials and scaled to all of them, over the time of the whole game, in the same run and on one
thread. Growth exponents are those of the touches between two sizes, in E and in φ.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow

import zerokelvin as zk
from zerokelvin.flow import OnlineCut
from zerokelvin.graph import Graph


def grid_edges(rows, columns):
    at = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    down = np.column_stack([at[:-1].ravel(), at[1:].ravel()])
    return np.concatenate([across, down])


def families(n, rng):
    """Twelve labelled graphs of about n nodes, as edges and labels."""
    side = math.isqrt(n)
    half = np.where(np.arange(n) < n // 2, -1, 1)
    noisy = np.where(rng.random(n) < 0.1, -half, half)
    square = np.where(np.arange(side * side) % side < side // 2, -1, 1)
    flipped = np.where(rng.random(side * side) < 0.1, -square, square)
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    parents = (rng.random(n - 1) * np.arange(1, n)).astype(np.int64)
    attach = np.array([(int(rng.integers(i)), i) for i in range(1, n) for _ in range(3)])
    near = np.array([(i, (i + int(k)) % n) for i in range(n) for k in rng.integers(1, 12, 4)])
    m = math.isqrt(n)
    clique = np.array([(i, j) for i in range(m) for j in range(i)])
    pairs = rng.integers(n, size=(3 * n, 2))
    blocks = pairs[(half[pairs[:, 0]] == half[pairs[:, 1]]) | (rng.random(len(pairs)) < 0.1)]
    block = rng.integers(2, size=5 * n)
    across = rng.random(5 * n) < 0.05
    denser = rng.integers(n // 2, size=(5 * n, 2)) + n // 2 * np.column_stack([block, block ^ across])
    few = rng.permutation(5 * n)[: 2 * n]
    core = n // 4
    whiskers = np.concatenate(
        [rng.integers(core, size=(n, 2)), np.column_stack([np.arange(n - core), np.arange(core, n)])]
    )
    return {
        "path": (path, half),
        "path, noisy": (path, noisy),
        "random tree": (np.column_stack([parents, np.arange(1, n)]), noisy),
        "grid": (grid_edges(side, side), square),
        "grid, noisy": (grid_edges(side, side), flipped),
        "preferential": (attach, noisy),
        "small world": (near, half),
        "two cliques": (np.concatenate([clique, clique + m, [[0, m]]]), np.repeat([-1, 1], m)),
        "two blocks": (blocks, half),
        "two blocks, degree 4": (denser[few][denser[few, 0] != denser[few, 1]], half),
        "two blocks, degree 10": (denser[denser[:, 0] != denser[:, 1]], half),
        "whiskers": (whiskers, noisy),
    }


def game(graph, truth, order):
    cut = OnlineCut(graph)
    began = time.process_time()
    guesses = cut.play(order, truth)
    seconds = time.process_time() - began
    return cut, seconds, int((guesses != truth[order]).sum())


def bound(graph, cut):
    return 20 * graph.num_edges * (1 + math.sqrt(cut.value))


def show_families(n, seed):
    print(f"\n## Arcs touched, every node once in random order, {n} nodes\n")
    print("| family | edges | φ | mistakes | touches | of 20·E·(1+√φ) | ms |\n|---|---|---|---|---|---|---|")
    for name, (edges, truth) in families(n, np.random.default_rng(seed)).items():
        graph = Graph.from_edges(edges, num_nodes=len(truth))
        cut, seconds, mistakes = game(graph, truth, np.random.default_rng(seed).permutation(graph.num_nodes))
        share = cut.touches / bound(graph, cut)
        print(
            f"| {name} | {graph.num_edges} | {cut.value:g} | {mistakes} | {cut.touches} | {share:.3f} "
            f"| {seconds * 1e3:.1f} |",
            flush=True,
        )


def flow_seconds(graph, truth, order, sample):
    """Mean time of scipy's maximum flow with the labels known before a trial, over some trials."""
    n = graph.num_nodes
    base = graph.adjacency.tocoo()
    large = int(graph.num_edges) + 1
    spent = []
    for t in sample:
        known = order[:t]
        source, target = known[truth[known] < 0], known[truth[known] > 0]
        rows = np.concatenate([base.row, np.full(len(source), n), target])
        columns = np.concatenate([base.col, source, np.full(len(target), n + 1)])
        capacity = np.concatenate([np.ones(base.nnz), np.full(len(known), large)]).astype(np.int32)
        network = sp.csr_array((capacity, (rows, columns)), shape=(n + 2, n + 2))
        network.indices, network.indptr = network.indices.astype(np.int32), network.indptr.astype(np.int32)
        network = sp.csr_matrix(network)
        began = time.process_time()
        maximum_flow(network, n, n + 1)
        spent.append(time.process_time() - began)
    return float(np.mean(spent))


def show_ratio(names, seed, samples):
    print("\n## Against a max flow per trial (one class against the rest, mean over the classes)\n")
    print("| data | nodes | edges | game ms | scipy flow ms | ratio | touches / bound | binary error |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        data = zk.load_dataset(name)
        graph, nodes = data.graph.largest_component()
        classes = np.asarray(data.labels)[nodes]
        order = np.random.default_rng(seed).permutation(graph.num_nodes)
        sample = np.linspace(2, graph.num_nodes - 1, samples).astype(int)
        rows = []
        for label in np.unique(classes):
            truth = np.where(classes == label, 1, -1)
            cut, seconds, mistakes = min((game(graph, truth, order) for _ in range(3)), key=lambda g: g[1])
            flow = flow_seconds(graph, truth, order, sample)
            rows.append(
                (seconds, flow, flow * graph.num_nodes / seconds, cut.touches / bound(graph, cut), mistakes)
            )
        seconds, flow, ratio, share, mistakes = np.mean(rows, axis=0)
        print(
            f"| {name} | {graph.num_nodes} | {graph.num_edges} | {seconds * 1e3:.1f} | {flow * 1e3:.2f} "
            f"| {ratio:.0f} | {share:.3f} | {mistakes / graph.num_nodes:.4f} |",
            flush=True,
        )


def show_large(side, nodes, seed):
    print("\n## Large graphs, every node once in random order\n")
    print("| graph | edges | φ | touches / bound | seconds to prepare | to play |\n|---|---|---|---|---|---|")
    rng = np.random.default_rng(seed)
    shapes = {}
    if side:
        truth = np.where(np.arange(side * side) % side < side // 2, -1, 1)
        shapes[f"grid {side}×{side}"] = (grid_edges(side, side), truth)
    if nodes:
        parents = (rng.random(nodes - 1) * np.arange(1, nodes)).astype(np.int64)
        edges = np.column_stack([parents, np.arange(1, nodes)])
        turned = np.zeros(nodes, dtype=np.int64)
        turned[rng.choice(np.arange(1, nodes), 1000, replace=False)] = 1  # edges to a parent that are cut
        for node in range(1, nodes):
            turned[node] ^= turned[parents[node - 1]]
        shapes[f"tree of {nodes}"] = (edges, 2 * turned - 1)
        shapes[f"tree of {nodes}, labels by index"] = (edges, np.where(np.arange(nodes) < nodes // 2, -1, 1))
        noise = np.where(rng.random(nodes) < 0.1, -1, 1)
        shapes[f"tree of {nodes}, noisy"] = (edges, noise * (2 * turned - 1))
    for name, (edges, truth) in shapes.items():
        graph = Graph.from_edges(edges, num_nodes=len(truth))
        began = time.process_time()
        OnlineCut(graph)
        ready = time.process_time() - began
        cut, seconds, _ = game(graph, truth, rng.permutation(graph.num_nodes))
        share = cut.touches / bound(graph, cut)
        print(
            f"| {name} | {graph.num_edges} | {cut.value:g} | {share:.3f} | {ready:.2f} | {seconds:.2f} |",
            flush=True,
        )


def show_growth(n, seed):
    print("\n## Growth of the touches: in E on grids of growing size, in φ with growing noise\n")
    print("| what | exponent |\n|---|---|")
    touched = {}
    for size in (n // 4, n):
        side = math.isqrt(size)
        graph = Graph.from_edges(grid_edges(side, side))
        truth = np.where(np.arange(side * side) % side < side // 2, -1, 1)
        order = np.random.default_rng(seed).permutation(side * side)
        touched[size] = (game(graph, truth, order)[0].touches, graph.num_edges)
    (a, small), (b, large) = touched[n // 4], touched[n]
    print(f"| E, on grids cut in half | {math.log(b / a) / math.log(large / small):.2f} |")
    found = []
    for noise in (0.01, 0.2):
        rng = np.random.default_rng(seed)
        noisy = np.where(rng.random(len(truth)) < noise, -truth, truth)
        cut, _, _ = game(graph, noisy, order)
        found.append((cut.touches, cut.value))
    (a, low), (b, high) = found
    print(f"| φ, on one grid from {low:g} to {high:g} | {math.log(b / a) / math.log(high / low):.2f} |")


def show_adversarial(n):
    print("\n## Bad orders, against the paper's O(max(φ, n)·E)\n")
    print("| order | nodes | φ | touches | of max(φ, n)·E | per edge |\n|---|---|---|---|---|---|")
    path = Graph.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]))
    half = np.where(np.arange(n) < n // 2, -1, 1)
    side = math.isqrt(n)
    board = Graph.from_edges(grid_edges(side, side))
    at = np.arange(side * side)
    checker = np.where((at // side + at % side) % 2, 1, -1)
    cases = {
        "path, both ends inwards": (path, half, np.argsort(np.minimum(np.arange(n), n - 1 - np.arange(n)))),
        "path, ends first, then a scan": (path, half, np.concatenate([[0, n - 1], np.arange(1, n - 1)])),
        "checkerboard, scanned": (board, checker, at),
    }
    for name, (graph, truth, order) in cases.items():
        cut, _, _ = game(graph, truth, order)
        share = cut.touches / (max(cut.value, graph.num_nodes) * graph.num_edges)
        print(
            f"| {name} | {graph.num_nodes} | {cut.value:g} | {cut.touches} | {share:.4f} "
            f"| {cut.touches / graph.num_edges:.1f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--grid", type=int, default=1000, help="side of the large grid, 0 for none")
    parser.add_argument("--tree", type=int, default=1_000_000, help="nodes of the large tree, 0 for none")
    parser.add_argument("--data", nargs="*", default=["cora", "pubmed"])
    parser.add_argument("--samples", type=int, default=12, help="max flows measured per class")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tiny = Graph.from_edges(grid_edges(4, 4))
    game(tiny, np.where(np.arange(16) < 7, -1, 1), np.arange(16))  # compile before any clock runs
    show_families(options.nodes, options.seed)
    if options.data:
        show_ratio(options.data, options.seed, options.samples)
    show_large(options.grid, options.tree, options.seed)
    show_growth(options.nodes, options.seed)
    show_adversarial(min(options.nodes, 4000))


if __name__ == "__main__":
    main()

"""Tree learners from 10⁴ to 10⁶ nodes: seconds for every node once, and how they grow with n.

Run with ``python benchmarks/trees.py [largest]``. Times are best of two games after a warm-up that compiles.
The growth exponent is the slope of log seconds over log n between the smallest and the largest size.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

import zerokelvin as zk
from zerokelvin.learners import make
from zerokelvin.session.labels import to_signs
from zerokelvin.trees import KINDS, linearise, spanning_tree


def path(n, _rng):
    return zk.Graph.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]))


def random_tree(n, rng):
    return zk.Graph.from_edges(
        np.column_stack([(rng.random(n - 1) * np.arange(1, n)).astype(int), np.arange(1, n)])
    )


def caterpillar(n, _rng):
    spine = n // 2
    edges = np.vstack(
        [
            np.column_stack([np.arange(spine - 1), np.arange(1, spine)]),
            np.column_stack([np.arange(spine), np.arange(spine, 2 * spine)]),
        ]
    )
    return zk.Graph.from_edges(edges, num_nodes=n if n % 2 == 0 else n - 1)


def star(n, _rng):
    return zk.Graph.from_edges(np.column_stack([np.zeros(n - 1, dtype=int), np.arange(1, n)]))


def uniform_tree_of_a_grid(n, rng):
    side = math.isqrt(n)
    return spanning_tree(zk.generators.grid(side, side).graph, "random", rng)


SHAPES = (path, random_tree, caterpillar, star, uniform_tree_of_a_grid)


def scattered(graph, rng):
    """Labels that change over about n/50 edges of a breadth-first order."""
    changes = rng.random(graph.num_nodes) < 0.02
    return np.where(np.cumsum(changes) % 2 == 0, -1, 1)


def orders(graph, labels, rng):
    yield "random order", rng.permutation(graph.num_nodes), labels
    yield "by index", np.arange(graph.num_nodes), labels
    leaves = np.argsort(np.diff(graph.indptr) != 1, kind="stable")
    yield "leaves first, coin labels", leaves, rng.choice([-1, 1], graph.num_nodes)


def game_seconds(graph, nodes, labels, inner):
    learner = make("spanning-tree", trees=1, inner=inner)
    signs = to_signs((labels[nodes] > 0).astype(np.int64), 2)
    trials = zk.learners.Trials(nodes, signs, np.full(len(nodes), np.inf), 0, sys.maxsize)
    best = math.inf
    for _ in range(2):
        problems = learner.start_problems(graph, 1, None, 0)
        began = time.perf_counter()
        problems.play(trials)
        best = min(best, time.perf_counter() - began)
    return best


def worst_case():
    """Balanced all along: the leaves of a caterpillar first, with alternating labels; quadratic."""
    for n in (4_000, 8_000, 16_000):
        graph = caterpillar(n, None)
        leaves = np.argsort(np.diff(graph.indptr) != 1, kind="stable")
        labels = np.where(np.arange(n) % 2 == 0, -1, 1)
        seconds = [game_seconds(graph, leaves, labels, inner) for inner in ("tree-opt", "longest-path")]
        shown = f"tree-opt {seconds[0]:.3f} s, longest-path {seconds[1]:.3f} s"
        print(f"alternating caterpillar, {n:,} nodes: {shown}", flush=True)


def main(largest):
    rng = np.random.default_rng(0)
    sizes = [n for n in (10_000, 100_000, 1_000_000) if n <= largest]
    for inner in ("longest-path", "nearest"):
        warm = path(100, rng)
        game_seconds(warm, np.arange(100), np.where(np.arange(100) < 50, -1, 1), inner)
    print(
        f"{'tree':<24}{'order':<28}{'inner':<14}" + "".join(f"{n:>12,}" for n in sizes) + f"{'exponent':>10}"
    )
    for shape in SHAPES:
        graphs = [shape(n, np.random.default_rng(1)) for n in sizes]
        played = [
            list(orders(g, scattered(g, np.random.default_rng(2)), np.random.default_rng(3))) for g in graphs
        ]
        for k in range(len(played[0])):
            for inner in ("longest-path", "nearest"):
                seconds = [game_seconds(g, *p[k][1:], inner) for g, p in zip(graphs, played, strict=True)]
                ratio = (
                    math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
                    if len(sizes) > 1
                    else 0
                )
                shown = "".join(f"{s:>12.3f}" for s in seconds)
                print(
                    f"{shape.__name__:<24}{played[0][k][0]:<28}{inner:<14}{shown}{ratio:>10.2f}", flush=True
                )
    worst_case()
    side = math.isqrt(sizes[-1])
    grid = zk.generators.grid(side, side).graph
    for kind in KINDS:
        spanning_tree(zk.generators.grid(5, 5).graph, kind, rng)
        began = time.perf_counter()
        tree = spanning_tree(grid, kind, rng)
        print(
            f"{kind} spanning tree of a {side} × {side} grid: {time.perf_counter() - began:.2f} s", flush=True
        )
    began = time.perf_counter()
    linearise(tree)
    print(f"spine of it: {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)

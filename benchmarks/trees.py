"""Tree learners from 10⁴ to 10⁶ nodes: seconds for every node once, and how they grow with n.

Run with ``python benchmarks/trees.py [largest] [--worst]``. Times are CPU seconds, best of two games after a
warm-up that compiles. The growth exponent is the slope of log seconds over log n between the smallest and the
largest size. The last table is for orders made to be bad, in µs a trial; ``--worst`` shows it alone.
"""

from __future__ import annotations

import argparse
import math
import sys
import time

import numpy as np

import zerokelvin as zk
from zerokelvin.games.labels import to_signs
from zerokelvin.learners import make
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
        game = learner.start_game(graph, 2, None, 0)
        began = time.process_time()
        game.play(trials)
        best = min(best, time.process_time() - began)
    return best


def comb(n, _rng):
    leg = math.isqrt(n)
    above = np.arange(n - 1)
    above[leg - 1 :: leg] = np.arange(0, n, leg)[: len(above[leg - 1 :: leg])]
    return zk.Graph.from_edges(np.column_stack([above, np.arange(1, n)]))


def binary(n, _rng):
    return zk.Graph.from_edges(np.column_stack([(np.arange(1, n) - 1) // 2, np.arange(1, n)]))


def bad_orders(n):
    """Leaves first, with labels in turn, so that forks are balanced and labels tell on all of them."""
    turn = np.where(np.arange(n) % 2 == 0, -1, 1)
    yield "caterpillar", caterpillar(n, None), np.concatenate([np.arange(n // 2, n), np.arange(n // 2)]), turn
    yield "star", star(n, None), np.arange(n)[::-1], turn
    yield "binary tree", binary(n, None), np.arange(n)[::-1], turn
    leg = math.isqrt(n)
    legs = np.where(np.arange(n) // leg % 2 == 0, -1, 1)
    yield "comb of √n legs", comb(n, None), np.argsort(-(np.arange(n) % leg), kind="stable"), legs
    inwards = np.argsort(np.minimum(np.arange(n), n - 1 - np.arange(n)), kind="stable")
    yield "path, both ends inwards", path(n, None), inwards, turn


def path_learner_seconds(graph, nodes, labels):
    """The learner `longest-path`, which begins with flows."""
    best = math.inf
    for _ in range(2):
        state = make("longest-path").start(graph)
        began = time.process_time()
        state.play(nodes, labels[nodes].astype(np.int64))
        best = min(best, time.process_time() - began)
    return best


def worst_case(largest):
    """µs for a prediction and a label in bad orders."""
    sizes = [n for n in (1_000, 10_000, 100_000, 1_000_000) if n <= largest]
    print(f"\n{'bad order':<26}{'learner':<28}" + "".join(f"{n:>12,}" for n in sizes) + "   µs a trial")
    graphs = [list(bad_orders(n)) for n in sizes]
    for k in range(len(graphs[0])):
        for inner in ("tree-opt", "shazoo", "longest-path", "nearest", ""):
            spent = [
                game_seconds(*case[k][1:], inner) if inner else path_learner_seconds(*case[k][1:])
                for case in graphs
            ]
            shown = "".join(f"{1e6 * s / n:>12.2f}" for s, n in zip(spent, sizes, strict=True))
            print(f"{graphs[0][k][0]:<26}{inner or 'longest-path, from flows':<28}{shown}", flush=True)


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
    worst_case(largest)
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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("largest", type=float, nargs="?", default=1e6, help="nodes of the largest trees")
    parser.add_argument("--worst", action="store_true", help="bad orders alone")
    options = parser.parse_args()
    if options.largest < 10_000:
        parser.error(f"largest={options.largest:g} is below the smallest size; give at least 10000.")
    (worst_case if options.worst else main)(int(options.largest))

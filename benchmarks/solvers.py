"""Speed of every Laplacian engine, in sparse mat-vecs of the same graph.

    python benchmarks/solvers.py [--sizes 10000 100000] [--families tree grid ...] [--engines ...]

One mat-vec (mv) is scipy's product of the graph's Laplacian, in the node order the graph comes in, with
a vector, measured in the same run. Times are those of the processor on one thread, so that a busy
machine disturbs them little (set OMP_NUM_THREADS=1). Each engine gets its set-up, then the columns G⁺e_i of
24 random nodes at a relative residual of 1e-6, one by one and in a block (of 8 where a column takes seconds:
blocks are solved in parts of 8), each the best of several rounds, taken in turns. The last part gives how
much cheaper a column is in a block than alone, growth exponents of the time per column between sizes, and how
far the automatic choice is from the best engine.

Beside the engines stand two sparse factorisations that others wrote, of the Laplacian without the row and
the column of its first node: scipy's splu (SuperLU, minimum degree on Aᵀ + A) and qdldl (pip install qdldl),
which is left out where it is not installed. Their columns come from one solve each, centred, without a check
of the residual; neither solves blocks faster than columns.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from zerokelvin.graph import Graph
from zerokelvin.solve.engines import ENGINES
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.layout import lay_out
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solution import SolverWarning
from zerokelvin.solve.solver import analyse

BLOCK = 24
SLOW = 4.0  # seconds


def tree(n, rng):
    parents = (rng.random(n - 1) * np.arange(1, n)).astype(np.int64)
    names = rng.permutation(n)
    return Graph.from_edges(names[np.column_stack([np.arange(1, n), parents])], num_nodes=n)


def path(n, rng):
    names = rng.permutation(n)
    return Graph.from_edges(names[np.column_stack([np.arange(n - 1), np.arange(1, n)])], num_nodes=n)


def grid(n, rng):
    side = math.isqrt(n)
    place = rng.permutation(side * side).reshape(side, side)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return Graph.from_edges(np.vstack([across, down]))


def neighbours(n, rng, dimension):
    points = rng.random((n, dimension)) if dimension <= 3 else rng.standard_normal((n, dimension))
    if dimension <= 3:
        from scipy.spatial import cKDTree

        _, near = cKDTree(points).query(points, 11, workers=-1)
    else:
        from pynndescent import NNDescent

        near, _ = NNDescent(points.astype(np.float32), n_neighbors=11, random_state=0).neighbor_graph
    pairs = np.column_stack([np.repeat(np.arange(n), 10), near[:, 1:].ravel()])
    pairs = np.unique(np.sort(pairs[(pairs >= 0).all(axis=1)], axis=1), axis=0)
    return Graph.from_edges(pairs, num_nodes=n)


def attachment(n, rng, links=5):
    """Preferential attachment: a new node joins `links` ends of edges drawn at random."""
    ends = np.empty(2 * links * n, dtype=np.int64)
    filled = 0
    draws = rng.random((n, links))
    for node in range(1, n):
        for k in range(min(links, node)):
            other = node - 1 if filled == 0 else ends[int(draws[node, k] * filled)]
            ends[filled + 2 * k], ends[filled + 2 * k + 1] = node, other if other != node else node - 1
        filled += 2 * min(links, node)
    return Graph.from_edges(ends[:filled].reshape(-1, 2), num_nodes=n)


def whiskers(n, rng):
    """A core of preferential attachment with paths of 100 nodes hanging off it and looping back."""
    core = attachment(n // 4, rng, 4)
    edges = [core.edges]
    first = n // 4
    while first < n:
        chain = np.arange(first, min(first + 100, n))
        edges.append(np.column_stack([np.append(rng.integers(n // 4), chain[:-1]), chain]))
        if rng.random() < 0.5:
            edges.append(np.array([[chain[-1], rng.integers(n // 4)]]))
        first += 100
    return Graph.from_edges(np.vstack(edges), num_nodes=n)


FAMILIES = {
    "tree": tree,
    "path": path,
    "grid": grid,
    "knn2": lambda n, rng: neighbours(n, rng, 2),
    "attachment": attachment,
    "knn16": lambda n, rng: neighbours(n, rng, 16),
    "whiskers": whiskers,
}


class Splu:
    """Columns of the pseudo-inverse from scipy's SuperLU."""

    def __init__(self, matrix):
        options = {"SymmetricMode": True}
        factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        self.solve = factor.solve


class Qdldl:
    """Columns of the pseudo-inverse from qdldl."""

    def __init__(self, matrix):
        import qdldl

        self.solve = qdldl.Solver(matrix).solve


PEERS = {"splu": Splu, "qdldl": Qdldl}


def installed(peer):
    """Whether a peer can be measured; a line says so where it cannot."""
    if peer == "qdldl" and importlib.util.find_spec("qdldl") is None:
        print("qdldl is left out: pip install qdldl to measure it.\n")
        return False
    return True


def measure_peer(graph, peer):
    """What `measure` gives, of a factorisation that others wrote; None where `direct` is refused too."""
    laplacian = graph.laplacian()
    count = graph.num_nodes
    vector = np.random.default_rng(0).standard_normal(count)
    product, _ = clock(lambda: laplacian @ vector, 15)
    core = lay_out(Operator(graph)).core
    if graph.num_components > 1 or (core.size and not Direct(max_fill=400).order(core).complete):
        return None
    setup, factor = clock(lambda: PEERS[peer](sp.csc_matrix(laplacian)[1:, 1:]))

    def column(node):
        right = np.full(count, -1 / count)
        right[node] += 1.0
        value = np.zeros(count)
        value[1:] = factor.solve(right[1:])
        return value - value.mean()

    nodes = np.random.default_rng(1).choice(count, BLOCK, replace=False)
    first, _ = clock(lambda: column(nodes[0]))
    best = math.inf
    for _ in range(min(15, max(3, int(0.1 / first)))):
        best = min(best, clock(lambda: [column(node) for node in nodes])[0] / BLOCK)
    again, _ = clock(lambda: laplacian @ vector, 15)
    product = min(product, again)
    gap = laplacian @ column(nodes[0])
    gap[nodes[0]] -= 1.0
    return {
        "engine": peer,
        "mv": product,
        "setup": setup / product,
        "column": best / product,
        "block": best / product,
        "iterations": 0,
        "status": f"residual {np.linalg.norm(gap + 1 / count):.0e}",
        "reason": "",
    }


def clock(function, repeats=1, patience=8.0):
    """The shortest of some runs, fewer where they take long, and the last result."""
    best, spent = math.inf, 0.0
    for _ in range(repeats):
        began = time.process_time()
        result = function()
        took = time.process_time() - began
        best, spent = min(best, took), spent + took
        if spent > patience:
            break
    return best, result


def measure(graph, engine, tol):
    """Set-up, column and block column in mat-vecs, iterations and status; None where refused."""
    laplacian = graph.laplacian()
    vector = np.random.default_rng(0).standard_normal(graph.num_nodes)
    product, _ = clock(lambda: laplacian @ vector, 15)
    config = Direct(max_fill=400) if engine == "direct" else engine
    try:
        setup, solver = clock(lambda: analyse(graph, config, tol=tol))
    except ValueError:
        return None
    first, _ = clock(lambda: solver.column(graph.num_nodes // 3))
    many = BLOCK if first < SLOW else 8
    nodes = np.random.default_rng(1).choice(graph.num_nodes, many, replace=False)
    singly = nodes[: max(3, int(8.0 / first))]  # fewer of them where they take long
    column = block = math.inf
    for _ in range(min(15, max(3, int(0.1 / first))) if first < 1.0 else 1):
        column = min(column, clock(lambda: [solver.column(node) for node in singly])[0] / len(singly))
        block = min(block, clock(lambda: solver.columns(nodes))[0] / many)
    iterations, statuses = [], []
    for node in singly[:3]:
        unit = np.zeros(graph.num_nodes)
        unit[node] = 1.0
        solution = solver.solve(unit)
        iterations.append(solution.iterations)
        statuses.append(solution.status)
    again, _ = clock(lambda: laplacian @ vector, 15)
    product = min(product, again)
    return {
        "engine": solver.engine,
        "mv": product,
        "setup": setup / product,
        "column": column / product,
        "block": block / product,
        "iterations": round(float(np.mean(iterations))),
        "status": ", ".join(sorted(set(statuses))),
        "reason": solver.reason,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    known = [*(name for name in ENGINES if name != "dense"), *PEERS]
    parser.add_argument("--engines", nargs="+", default=known)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--patience", type=float, default=60.0, help="most seconds to expect of a column")
    options = parser.parse_args()
    options.engines = [engine for engine in options.engines if installed(engine)]
    warnings.simplefilter("ignore", SolverWarning)
    for engine in options.engines:  # compile everything before any clock runs
        for family in () if engine in PEERS else (path, grid):
            measure(family(5000, np.random.default_rng(0)), engine, options.tol)
    results = {}
    slow = {}  # seconds to expect of a column per node^1.5, from the size before
    print("| family | nodes | edges | mv ms | engine | set-up mv | column mv | in a block | iterations | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for family in options.families:
        for size in options.sizes:
            graph = FAMILIES[family](size, np.random.default_rng(0))
            for engine in options.engines:
                head = f"| {family} | {graph.num_nodes} | {graph.num_edges} "
                expected = slow.get((family, engine), 0.0) * size**1.5
                if expected > options.patience:
                    print(f"{head}| | {engine} | left out: about {expected:.0f} s a column | | | | |")
                    continue
                found = (
                    measure_peer(graph, engine) if engine in PEERS else measure(graph, engine, options.tol)
                )
                if found is None:
                    print(f"{head}| | {engine} | refused | | | | |", flush=True)
                    continue
                results[family, size, engine] = found
                slow[family, engine] = found["column"] * found["mv"] / size**1.5
                note = f"{found['engine']}: {found['reason']}" if engine == "auto" else found["status"]
                print(
                    f"{head}| {found['mv'] * 1e3:.2f} | {engine} | {found['setup']:.0f} "
                    f"| {found['column']:.1f} | {found['block']:.1f} | {found['iterations']} | {note} |",
                    flush=True,
                )
    report(results, options)


def report(results, options):
    print("\n| family | nodes | engine | times cheaper per column in a block |\n|---|---|---|---|")
    for (family, size, engine), found in results.items():
        if engine in PEERS:
            continue
        print(f"| {family} | {size} | {engine} | {found['column'] / found['block']:.1f} |")
    print("\n| family | engine | growth exponent of the time per column |\n|---|---|---|")
    small, large = min(options.sizes), max(options.sizes)
    for family in options.families:
        for engine in options.engines:
            first, last = results.get((family, small, engine)), results.get((family, large, engine))
            if first and last and small < large:
                ratio = (last["column"] * last["mv"]) / (first["column"] * first["mv"])
                print(f"| {family} | {engine} | {math.log(ratio) / math.log(large / small):.2f} |")
    print("\n| family | nodes | auto / best engine, per column |\n|---|---|---|")
    for family in options.families:
        for size in options.sizes:
            own = results.get((family, size, "auto"))
            others = [
                r["column"]
                for (f, s, e), r in results.items()
                if (f, s) == (family, size) and e not in ("auto", *PEERS)
            ]
            if own and others:
                print(f"| {family} | {size} | {own['column'] / min(others):.2f} |")


if __name__ == "__main__":
    main()

"""What an embedding's steps take: nanoseconds of the processor per arc and column, bytes of a worker.

    python benchmarks/parts/embedding_steps.py [--nodes 100000 400000] [--edges-per-node 10]

Neighbours are near each other by number (`near`) or anywhere (`far`). `filter` is a product in 32 bits,
`meet` the products of a panel with itself and three others in 64, both per arc and column; processor time.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import zerokelvin as zk
from zerokelvin.spectral.chebyshev import WIDTH, filtered, spectral_limit
from zerokelvin.sweeps.columns.column_stage import ColumnStage, panel_path

DEGREE = 10


def graph_of(nodes, edges_per_node, near, rng):
    """Random edges of which the ends are at most 100 apart by number, or anywhere."""
    first = np.tile(np.arange(nodes), edges_per_node)
    far = rng.integers(nodes, size=len(first))
    second = np.minimum(first + rng.integers(1, 100, size=len(first)), nodes - 1) if near else far
    return zk.Graph.from_edges(np.stack([first, second], axis=1), num_nodes=nodes)


def best(call, repeats=3):
    """The least processor seconds of several calls, after one that compiles."""
    call()
    seconds = []
    for _ in range(repeats):
        began = time.thread_time()
        call()
        seconds.append(time.thread_time() - began)
    return min(seconds)


def measure(nodes, edges_per_node, near):
    """Print the row of one graph."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.zkg"
        zk.write_graph(graph_of(nodes, edges_per_node, near, rng), path)
        stage = ColumnStage(str(path), folder, 4, 0)
        arcs, limit = len(stage.graph.indices), spectral_limit(stage.graph)
        block = rng.standard_normal((nodes, WIDTH), dtype=np.float32)
        for panel in range(4):
            np.save(panel_path(Path(folder), "filtered", 0, panel), block)
        one = best(lambda: filtered(stage.graph, block, 0.5, limit, DEGREE)) / DEGREE
        met = best(lambda: stage.meet(0, 3), 1)
    unit = 1e9 / (arcs * WIDTH)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    kind = "near" if near else "far"
    print(f"| {kind} | {nodes:,} | {arcs:,} | {one * unit:.2f} | {met * unit:.2f} | {most:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", nargs="+", type=int, default=[100_000, 400_000])
    parser.add_argument("--edges-per-node", type=int, default=10)
    options = parser.parse_args()
    print("| neighbours | nodes | arcs | filter, ns | meet, ns | memory, GB |\n|---|---|---|---|---|---|")
    for nodes in options.nodes:
        for near in (True, False):
            measure(nodes, options.edges_per_node, near)


if __name__ == "__main__":
    main()

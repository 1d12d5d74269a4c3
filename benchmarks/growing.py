"""Growing graphs: one more node with its edges, against starting anew on the final graph, in one run.

    python benchmarks/growing.py [--data pubmed] [--known 1.0] [--learners propagation gaussian ...]

The last node of a random order arrives when a share `known` of the others has been answered. "Growing" is
`Session.add_nodes` with its edges; "anew" is a start on the final graph and the same answers learnt by the
learner's own compiled game, the fastest way there is. Both then predict alike (the largest difference of a
margin is printed). Times are processor seconds, the best of several; every ratio is taken within this run.
"""

from __future__ import annotations

import argparse
import copy
import time

import numpy as np

import zerokelvin as zk

LEARNERS = (
    "propagation",
    "gaussian",
    "longest-path",
    "shortest-path",
    "nearest",
    "spanning-tree",
    "perceptron",
)


def best(action, repeats):
    """The least processor time of several runs, and the last result."""
    least = np.inf
    for _ in range(repeats):
        began = time.process_time()
        result = action()
        least = min(least, time.process_time() - began)
    return least, result


def grown(session, edges):
    """A copy of a session, grown by one node."""
    other = copy.copy(session)
    other.add_nodes(1, edges)
    return other


def main() -> None:
    """Measure and print one row per learner."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", default="pubmed")
    options.add_argument("--known", type=float, default=1.0)
    options.add_argument("--learners", nargs="+", default=list(LEARNERS))
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    data = zk.load_dataset(given.data)
    whole, nodes = data.graph.largest_component()
    order = np.random.default_rng(given.seed).permutation(whole.num_nodes)
    part = whole.subgraph(order)
    final = zk.Graph(part.indptr, part.indices, part.weights)
    labels = np.asarray(data.labels)[nodes][order]
    last = final.num_nodes - 1
    edges = [(last, int(other)) for other in final.neighbors(last)]
    small = final.subgraph(np.arange(last))
    shown = np.arange(int(given.known * last))
    classes = sorted(set(labels.tolist()))
    print(f"{given.data}: {final.num_nodes} nodes, {final.num_edges} edges, {len(shown)} answers, ", end="")
    print(f"{len(classes)} classes; the new node has {len(edges)} edges")
    print(f"{'learner':15s} {'growth':8s} {'growing':>10s} {'anew':>10s} {'ratio':>7s}  largest difference")
    for name in given.learners:
        session = zk.start(small, name, classes=classes)
        for node in shown.tolist():
            session.learn(node, labels[node])
        growing, result = best(lambda session=session: grown(session, edges), 5)
        anew, run = best(lambda name=name: zk.play(final, labels, name, order=shown, classes=classes), 2)
        fresh = zk.start(final, name, classes=classes)
        for node in shown.tolist():
            fresh.learn(node, labels[node])
        apart = np.abs(result._all_margins() - fresh._all_margins()).max()
        print(
            f"{name:15s} {run.learner.growth:8s} {1e3 * growing:8.1f}ms {1e3 * anew:8.1f}ms "
            f"{anew / growing:6.1f}×  {apart:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()

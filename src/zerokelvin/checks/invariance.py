"""What must not matter: how nodes are numbered, and on how many threads linear algebra runs.

The same names and edges give the same game, to the last bit, in whatever order they are handed over; and the
number of threads of the BLAS libraries changes no margin. Both are tried on graphs full of ties, where a
difference of one rounding turns predictions round.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from zerokelvin.checks.contract import CHECKS, ContractError
from zerokelvin.checks.examples import examples
from zerokelvin.errors import ParameterError
from zerokelvin.games import Run, play
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner

__all__: list[str] = []

SYMMETRIC = 60
"""Nodes of the circulant graph: enough for libraries to share the work out among threads."""


@CHECKS.add("the numbering of nodes does not matter")
def _numbering(learner: Learner) -> None:
    if not learner.goes_by_name():
        return  # a matrix of the caller's is in the order of the nodes
    rng = np.random.default_rng(11)
    for example in examples(learner):
        names = [f"node {example.graph.name(i)}" for i in range(example.graph.num_nodes)]
        graph = Graph(example.graph.indptr, example.graph.indices, example.graph.weights, names)
        first = play(graph, example.labels, learner, seed=5, label_noise=0.1)
        for _ in range(2):
            order = rng.permutation(graph.num_nodes)
            labels = [example.labels[i] for i in order]
            other = play(graph.subgraph(order), labels, learner, seed=5, label_noise=0.1)
            same = first.order.tolist() == other.order.tolist() and _same(first, other)
            if not same:
                raise ContractError(
                    f"learner '{learner.name}': another numbering of the same nodes plays another game on "
                    f"{example.name}."
                )


@CHECKS.add("the number of threads does not matter")
def _threads(learner: Learner) -> None:
    steps = [(i, (i + step) % SYMMETRIC) for i in range(SYMMETRIC) for step in (1, 2, 5)]
    graphs = [Graph.from_edges(steps), *(example.graph for example in examples(learner))]
    for graph in graphs:
        labels = [i % 2 for i in range(graph.num_nodes)]
        runs = []
        try:
            for count in (1, 2, 4):
                with threadpool_limits(count, user_api="blas"):
                    runs.append(play(graph, labels, learner, seed=1))
        except ParameterError:
            continue  # a learner may refuse a graph of this size
        if not all(_same(runs[0], run) for run in runs[1:]):
            raise ContractError(
                f"learner '{learner.name}': a game on {graph!r} depends on the number of threads."
            )


def _same(one: Run, two: Run) -> bool:
    """Whether two games have the same margins, questions and predictions, to the last bit."""
    return (
        np.array_equal(one.margins, two.margins)
        and np.array_equal(one.asked, two.asked)
        and one.predictions.tolist() == two.predictions.tolist()
    )

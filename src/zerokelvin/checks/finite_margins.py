"""Checks on numbers: margins are finite whatever the weights, and do not depend on their unit.

Weights of 10^±300, over 12, 24 and 300 orders of magnitude or with degrees that overflow may be refused, in
one sentence; they never lead to NaN, to an infinite margin or to a numerical warning. All weights times a
constant give the same predictions, unless the learner says why not (`Learner.unit_matters`).
"""

from __future__ import annotations

import warnings

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.checks.contract import CHECKS, ContractError
from zerokelvin.errors import ZerokelvinError
from zerokelvin.games import play
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import in_unit
from zerokelvin.learners import Learner
from zerokelvin.session import start
from zerokelvin.solve.solution import SolverWarning

__all__ = ["extreme_graphs", "untied_graphs"]

SIZES = (1e-300, 1e-150, 1e-12, 1.0, 1e12, 1e150, 1e300, 1.7e308)
SPANS = (12, 24, 100, 300)
POWERS_OF_TWO = (2.0**20, 2.0**-20, 2.0**60)
FACTORS = (3.0, 10.0, 1e-3, 1e12)


def extreme_graphs() -> dict[str, Graph]:
    """Small graphs, with cycles and without, with weights of all sizes."""
    rng = np.random.default_rng(5)
    ring = [(i, (i + 1) % 9) for i in range(9)] + [(0, 4), (2, 7)]
    clique = [(i, j) for i in range(9) for j in range(i)]
    found = {}
    for size in SIZES:
        for name, edges in (("a ring with chords", ring), ("a clique", clique), ("a line", ring[:8])):
            found[f"{name} of weights {size:g}"] = Graph.from_edges(edges, np.full(len(edges), size))
    for span in SPANS:
        for name, edges in (("a ring with chords", ring), ("a clique", clique), ("a line", ring[:8])):
            weights = 10.0 ** rng.permutation(np.linspace(-span / 2, span / 2, len(edges)))
            found[f"{name} over {span} orders of magnitude"] = Graph.from_edges(edges, weights)
    lonely = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)], [1e12, 1.0, 1e-12, 1e-6], num_nodes=9)
    return found | {"islands over 24 orders of magnitude": lonely}


def untied_graphs() -> dict[str, Graph]:
    """Small graphs in whose weights, cuts and distances nothing is tied."""
    rng = np.random.default_rng(8)
    ring = [(i, (i + 1) % 16) for i in range(16)] + [(0, 5), (2, 11), (7, 14), (3, 9)]
    found = {"a ring with chords": ring, "a line": ring[:15], "islands": [e for e in ring if 7 not in e]}
    return {
        name: Graph.from_edges(edges, np.exp(rng.normal(size=len(edges))), num_nodes=16)
        for name, edges in found.items()
    }


@CHECKS.add("weights of any size give finite margins or are refused")
def _finite(learner: Learner) -> None:
    for name, graph in extreme_graphs().items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", SolverWarning)
            try:
                found = _numbers(learner, graph)
            except ZerokelvinError:
                continue
            except (ArithmeticError, RuntimeWarning, ValueError) as problem:
                raise ContractError(f"learner '{learner.name}': {problem} on {name}.") from problem
        if not np.isfinite(found).all():
            raise ContractError(f"learner '{learner.name}': a number is not finite on {name}.")


def _numbers(learner: Learner, graph: Graph) -> Floats:
    """Margins of a game with noise and repeats and of a session, and variances where there are some."""
    labels = (np.arange(graph.num_nodes) % 4 < 2).astype(int)
    run = play(graph, labels, learner, seed=1, repeats=2, label_noise=0.2)
    session = start(graph, learner, classes=[0, 1])
    for node in (0, 3, 2, 5):
        session.learn(node, int(labels[node]))
    margins = [session.predict(node).margin for node in range(graph.num_nodes)]
    spreads = []
    if learner.has_variance:
        state = learner.start(graph)
        state.update(0, 1)
        state.update(3, -1)
        spreads = [state.variance(node) for node in range(graph.num_nodes)]
    return np.concatenate([run.margins.ravel(), margins, spreads])


@CHECKS.add("the unit of the weights changes no prediction")
def _unit(learner: Learner) -> None:
    if learner.unit_matters():
        return
    for name, graph in untied_graphs().items():
        labels = (np.arange(16) // 4 % 2).astype(int)
        for seed in range(2):
            usual = play(graph, labels, learner, seed=seed, label_noise=0.1)
            for factor in (*POWERS_OF_TWO, *FACTORS):
                scaled = play(in_unit(graph, factor), labels, learner, seed=seed, label_noise=0.1)
                if not np.array_equal(usual.predictions, scaled.predictions):
                    raise ContractError(
                        f"learner '{learner.name}': weights times {factor:g} change predictions on {name}."
                    )

"""Table 2 as people and programs read it: paper and ours side by side, with paired t-tests.

The test is the paper's: errors of a learner and of the perceptron on the same random orders, at 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.experiments.reproduction.embedded_games import EmbeddedGame
from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.experiments.reproduction.selective_sampling.table2_measures import (
    LEARNERS,
    MeasuredGraph,
    RankSweep,
    RateSweep,
    column,
)
from zerokelvin.experiments.reproduction.selective_sampling.table2_paper import PAPER, SAME_GRAPH, Printed

__all__ = ["PairedTest", "as_values", "paired_test", "rank_values", "rate_values", "tabulate"]


@dataclass(frozen=True)
class PairedTest:
    """Paired t-test of the errors of a learner and the perceptron over the same orders."""

    difference: float
    low: float
    high: float
    t: float | None
    p: float | None

    @property
    def significant(self) -> bool:
        """Whether the 95 % confidence interval of the difference leaves out 0."""
        return not self.low <= 0 <= self.high


def paired_test(errors: Floats, baseline: Floats) -> PairedTest:
    """The paired t-test; without any spread between the orders there is no t and no p."""
    from scipy import stats

    gaps = errors - baseline
    difference = float(gaps.mean())
    if np.ptp(gaps) < 1e-12:  # shares of a few thousand trials differ by more, or by rounding only
        return PairedTest(difference, difference, difference, None, None)
    result = stats.ttest_rel(errors, baseline)
    interval = result.confidence_interval(0.95)
    return PairedTest(
        difference, float(interval.low), float(interval.high), float(result.statistic), float(result.pvalue)
    )


def tabulate(measured: MeasuredGraph) -> list[Table]:
    """Two tables of one data set: errors with their tests, then labels and times."""
    graph, name = measured.arena.problem.graph, measured.arena.problem.name
    paper = PAPER.get(name, {})
    own = name in SAME_GRAPH
    classes = len(measured.arena.labelling.classes)
    head = f"{name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges, {classes} classes"
    if paper and not own:
        head += " (stands in for the paper's IMDB, another graph)"
    errors, asked = [], []
    base = column(measured.games["perceptron"], "error_binary")
    for learner in LEARNERS:
        games, printed = measured.games[learner], paper.get(learner)
        error = column(games, "error_binary")
        off = f"{error.mean() - printed.error:+.4f}" if printed and own else "–"
        test = "–"
        if learner != "perceptron":
            found = paired_test(error, base)
            p = "no spread" if found.p is None else "p < 1e-6" if found.p < 1e-6 else f"p = {found.p:.2g}"
            test = f"{found.difference:+.4f}, {p}{' *' if found.significant else ''}"
        errors.append(
            (
                learner,
                _printed_error(printed),
                _spread(error),
                off,
                _spread(column(games, "error_multiclass")),
                test,
            )
        )
        asked.append(
            (
                learner,
                _printed_queries(printed),
                _spread(column(games, "queries"), 0),
                _spread(column(games, "queried_nodes"), 0),
                "–" if printed is None else f"{printed.seconds:.3f}",
                _spread(measured.times[learner][:, -1], 3),
            )
        )
    chosen = ", ".join(f"μ = {value:g} ({learner})" for learner, value in measured.mu.items())
    width = measured.arena.features.dimension
    count, timed = len(measured.games["perceptron"]), len(measured.times["perceptron"])
    once = f"the embedding took {measured.arena.seconds:.1f} s, once, at rank {width}"
    return [
        Table(
            head,
            ("learner", "error, paper", "error, ours", "ours − paper", "multi-class", "paired t-test"),
            tuple(errors),
            numbers=(1, 2, 3, 4, 5),
            notes=(
                f"One-vs-rest error, mean ± deviation of {count} orders; {chosen}, held out.",
                "The test compares with the perceptron on the same orders; * is significant at 95 %.",
            ),
        ),
        Table(
            f"{name}: labels and seconds",
            ("learner", "per class, paper", "per class, ours", "nodes asked", "s, paper", "s, ours"),
            tuple(asked),
            numbers=(1, 2, 3, 4, 5),
            notes=(f"Processor seconds of {timed} games played alone, all classes; {once}.",),
        ),
    ]


def as_values(measured: MeasuredGraph) -> dict[str, Any]:
    """The figures of one data set as plain values, curves included."""
    graph = measured.arena.problem.graph
    base = column(measured.games["perceptron"], "error_binary")
    rows: dict[str, Any] = {}
    for learner in LEARNERS:
        games = measured.games[learner]
        row: dict[str, Any] = dict(_figures(games))
        row["seconds"], row["seconds_std"] = _mean_std(measured.times[learner][:, -1])
        printed = PAPER.get(measured.arena.problem.name, {}).get(learner)
        row["paper"] = None if printed is None else vars(printed)
        if learner != "perceptron":
            test = paired_test(column(games, "error_binary"), base)
            row["test"] = {**vars(test), "significant": test.significant}
            row["mu"] = measured.mu[learner]
            row["held_out"] = [vars(tried) for tried in measured.held_out[learner]]
        row["curves"] = {
            "rounds": games[0].rounds.tolist(),
            "error": np.mean([game.errors_so_far for game in games], axis=0).tolist(),
            "queries": np.mean([game.queries_so_far for game in games], axis=0).tolist(),
            "seconds": measured.times[learner].mean(axis=0).tolist(),
        }
        rows[learner] = row
    return {
        "name": measured.arena.problem.name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "classes": len(measured.arena.labelling.classes),
        "same_graph_as_paper": measured.arena.problem.name in SAME_GRAPH,
        "embedding_seconds": measured.arena.seconds,
        "embedding_rank": measured.arena.features.dimension,
        "learners": rows,
    }


def rank_values(sweep: RankSweep) -> dict[str, Any]:
    """What Figure 1 draws, for JSON: errors and times of every learner by rank."""
    return {
        "ranks": list(sweep.ranks),
        **{
            name: [
                _figures(games) | {"seconds": seconds}
                for games, seconds in zip(sweep.games[name], sweep.times[name], strict=True)
            ]
            for name in LEARNERS
        },
    }


def rate_values(sweep: RateSweep) -> dict[str, Any]:
    """What Figure 3 draws, for JSON: errors of selective and of random asking by the share asked."""
    return {
        "kappas": list(sweep.kappas),
        "rates": list(sweep.rates),
        "sslgc": [_figures(games) for games in sweep.selective],
        **{f"random+{name}": [_figures(games) for games in many] for name, many in sweep.random.items()},
    }


def _figures(games: Sequence[EmbeddedGame]) -> dict[str, float]:
    row: dict[str, float] = {}
    for figure in ("error_binary", "error_multiclass", "queries", "queried_nodes"):
        row[figure], row[f"{figure}_std"] = _mean_std(column(games, figure))
    return row


def _mean_std(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _spread(values: Floats, digits: int = 4) -> str:
    mean, deviation = _mean_std(values)
    if digits == 0 and deviation == 0:
        return f"{mean:,.0f}"
    return f"{mean:,.{digits}f} ± {deviation:.{digits}f}"


def _printed_error(printed: Printed | None) -> str:
    return "–" if printed is None else f"{printed.error:.4f} ± {printed.error_std:.4f}"


def _printed_queries(printed: Printed | None) -> str:
    if printed is None:
        return "–"
    return "all" if printed.queries is None else f"{printed.queries:,.0f} ± {printed.queries_std:.0f}"

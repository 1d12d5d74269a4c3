"""The figures of several games on one problem, as the command line prints them.

Errors, queries and asked nodes are means over the games, the ``_std`` figures their standard
deviations. ``seconds`` is the time of one game: preparing the graph once, plus the mean game, without
compilation. The bound is that of the first game. `check_unasked` tells what random checks of the labels that
go out unasked prove (`zerokelvin.games.run_result.Run.guarantee`), each game being checked by itself.
Figures class by class are in `zerokelvin.games.class_figures`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.bound import Bound
from zerokelvin.games import Runs

__all__ = ["CheckedRuns", "Summary", "check_unasked", "summarize"]


@dataclass(frozen=True)
class Summary:
    """Figures of one learner on one labelled graph; see the module for their meaning."""

    learner: str
    params: dict[str, Any]
    nodes: int
    edges: int
    classes: int
    trials: int
    error_binary: float
    error_binary_std: float
    error_multiclass: float
    error_multiclass_std: float
    queries: float
    queried_nodes: float
    seconds: float
    bound: Bound
    majority_error: float
    macro_f1: float
    sought: Hashable | None
    auc: float | None
    average_precision: float | None
    per_class: tuple[dict[str, Any], ...]
    cost: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, keys in the order above; the cost where the game was played with costs."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values["params"] = {name: plain(value) for name, value in self.params.items()}
        bound = self.bound.as_dict() | {"says_something": self.bound.says_something(self.trials)}
        classes = [row | {"label": plain(row["label"])} for row in self.per_class]
        if self.cost is None:
            del values["cost"]
        return values | {"bound": bound, "sought": plain(self.sought), "per_class": classes}


def summarize(runs: Runs) -> Summary:
    """Sum up games on one problem.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> summary = summarize(zk.play_shuffles(line, ["a", "a", "b", "b"], "perceptron", shuffles=3))
    >>> summary.learner, summary.trials, round(summary.error_multiclass, 3)
    ('perceptron', 4, 0.417)
    """
    first = runs.runs[0]
    return Summary(
        learner=first.learner.name,
        params=first.learner.params(),
        nodes=first.graph.num_nodes,
        edges=first.graph.num_edges,
        classes=len(first.classes),
        trials=first.trials,
        error_binary=runs.mean("error_binary"),
        error_binary_std=runs.std("error_binary"),
        error_multiclass=runs.mean("error_multiclass"),
        error_multiclass_std=runs.std("error_multiclass"),
        queries=runs.mean("queries"),
        queried_nodes=runs.mean("queried_nodes"),
        seconds=runs.prepare_seconds + runs.mean("seconds"),
        bound=first.bound,
        cost=None if first.cost is None else runs.mean("cost"),
        **_by_class(runs),
    )


@dataclass(frozen=True)
class CheckedRuns:
    """Means over games, for the labels that nobody asked for and no check looked at.

    `unasked` is how many there are, `error_at_most` the limit on the share of wrong ones, `error` that share.
    """

    confidence: float
    checks: float
    unasked: float
    error_at_most: float
    error: float

    def as_dict(self) -> dict[str, Any]:
        """The same as a dict of numbers, which JSON can hold."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        if not self.unasked:
            return "every label was asked for or checked"
        return (
            f"{self.checks:,.0f} prove with {self.confidence:.4g} confidence that at most "
            f"{self.error_at_most:.1%} of the {self.unasked:,.0f} labels that go out unasked are wrong "
            f"({self.error:.1%} are)"
        )


def check_unasked(runs: Runs, checks: int, confidence: float = 0.95) -> CheckedRuns:
    """Check every game with its own draws.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> print(check_unasked(zk.play_shuffles(line, ["a", "a", "b", "b"], "nearest", shuffles=2), 10))
    every label was asked for or checked
    """
    rows = []
    for run in runs.runs:
        found = run.guarantee(confidence, checks)
        wrong = int(run.mistaken[run.unasked].sum()) - found.wrong_seen
        rows.append(
            (
                found.checks,
                found.unasked,
                found.error_at_most,
                wrong / found.unasked if found.unasked else 0.0,
            )
        )
    return CheckedRuns(confidence, *np.mean(rows, axis=0).tolist())


def _by_class(runs: Runs) -> dict[str, Any]:
    """The means over the games of the figures class by class; None where a game has none."""
    every = [run.figures.as_dict() for run in runs.runs]
    first = every[0]
    found: dict[str, Any] = {"sought": first["sought"]}
    for name in ("majority_error", "macro_f1", "auc", "average_precision"):
        values = [one[name] for one in every]
        found[name] = None if None in values else float(np.mean(values))
    rows = zip(*(one["per_class"] for one in every), strict=True)
    names = ("count", "precision", "recall", "f1")
    found["per_class"] = tuple(
        {"label": same[0]["label"], **{name: float(np.mean([row[name] for row in same])) for name in names}}
        for same in rows
    )
    return found


def plain(value: Any) -> Any:
    """A parameter as JSON can hold it: numbers, texts, None; anything else as its text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)

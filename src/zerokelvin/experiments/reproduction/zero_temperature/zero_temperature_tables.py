"""The tables of the zero-temperature reproduction: bounds, mistakes, clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.flow.static.cluster_report import ClusterReport

__all__ = ["bound_table", "cluster_table", "expression_table", "mistake_table"]

SHOWN = 4  # clusters per graph


def expression_table(values: Mapping[str, Any]) -> Table:
    """The expressions of Section 3.3 that depend on the graph and the labelling alone."""
    rows = [
        (
            name,
            str(row["nodes"]),
            str(row["edges"]),
            _number(row["cut"]),
            *(_number(row["methods"][numeral]["paper"]) for numeral in ("III", "IV", "V")),
        )
        for name, row in values.items()
    ]
    return Table(
        "The expressions of Section 3.3",
        (
            "graph",
            "nodes",
            "edges",
            "Φ",
            "III: (Φ/κ)² log D + c",
            "IV: (Φ/κ) D + c",
            "V: Σ ∂(1+∂−κ) log N + c",
        ),
        tuple(rows),
        numbers=(1, 2, 3, 4, 5, 6),
        notes=("With constant 1; D is the wide diameter at level κ. They show growth, no promise.",),
    )


def bound_table(values: Mapping[str, Any]) -> Table:
    """A table of the bounds proven for the games that were played, one row per graph."""
    rows = [
        (name, *(_number(found["certificate"]) for found in row["methods"].values()))
        for name, row in values.items()
    ]
    return Table(
        "Proven for the games played: the learner's own bound, constants included, mean over the orders",
        ("graph", *_heads(values)),
        tuple(rows),
        numbers=(1, 2, 3, 4, 5),
        notes=("I is given for trees only; II is that of the tree drawn.",),
    )


def mistake_table(values: Mapping[str, Any], shuffles: int) -> Table:
    """A table of mistakes in random orders and against an adversary, one row per graph."""
    rows = []
    for name, row in values.items():
        found = row["methods"].values()
        rows.append((name, *(f"{_number(f['mistakes'])} ({_number(f['hunted'])})" for f in found)))
    return Table(
        f"Mistakes: mean of {shuffles} random orders (against an adversary)",
        ("graph", *_heads(values)),
        tuple(rows),
        numbers=(1, 2, 3, 4, 5),
        notes=(
            "adversary: always shows a node that is predicted wrong; it and III play up to 300 nodes.",
            "I runs on a breadth-first tree where the graph is no tree.",
        ),
    )


def cluster_table(covers: Mapping[str, ClusterReport]) -> Table:
    """Which case of Theorem 10 applies to the largest clusters of every graph."""
    rows = [
        (
            name,
            f"{cluster.label:+d}",
            str(cluster.size),
            _number(cluster.boundary),
            "∞" if math.isinf(cluster.connectivity) else _number(cluster.connectivity),
            str(cluster.atomic_number),
            str(cluster.diameter),
            cluster.case,
            _number(cluster.cost),
        )
        for name, cover in covers.items()
        for cluster in cover.clusters[:SHOWN]
    ]
    return Table(
        f"Theorem 10 per cluster (the {SHOWN} largest of every graph)",
        ("graph", "label", "nodes", "∂", "κ", "N", "D", "case", "cost"),
        tuple(rows),
        numbers=(2, 3, 4, 5, 6, 8),
    )


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _heads(values: Mapping[str, Any]) -> tuple[str, ...]:
    methods = next(iter(values.values()))["methods"]
    return tuple(f"{numeral}: {found['learner']}" for numeral, found in methods.items())

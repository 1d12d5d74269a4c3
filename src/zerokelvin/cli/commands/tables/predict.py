"""``zerokelvin predict``: a label for every node that has none, into a table."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.learner_options import learner_options, policy_option
from zerokelvin.cli.output import percent, print_json, print_table, print_text
from zerokelvin.cli.problem_options import (
    Reading,
    gather_options,
    problem_arguments,
    problem_options,
    read_problem,
    table_options,
)
from zerokelvin.cli.progress import reporting

if TYPE_CHECKING:
    from zerokelvin.experiments.predictions.unlabelled import Part

__all__ = ["predict"]

SHOWN = 10
"""Rows on the screen where no file is named."""


@click.command()
@problem_arguments
@click.option("--out", metavar="FILE", help="Write the table there: csv, tsv, parquet or jsonl, by suffix.")
@learner_options
@policy_option("value")
@problem_options(shuffles=None)
@table_options
@common_options
@gather_options
def predict(
    graph: str,
    labels: str | None,
    out: str | None,
    learner: str,
    assignments: tuple[str, ...],
    policy: str,
    seed: int,
    component: str,
    neighbors: int,
    as_json: bool,
    reading: Reading,
) -> None:
    """Label every node of GRAPH that has no label in LABELS.

    The learner is taught all labels of LABELS, which need name some nodes only, and predicts the rest. A row
    has the node, its label, how probable that is, whether it is worth asking a person (ask), and why
    (reason). Without --out the first rows are shown.

    \b
    Examples:
      zerokelvin predict edges.csv known.csv --out labels.csv
      zerokelvin predict paid.csv who.csv --source payer --target payee --label kind --out labels.parquet
      zerokelvin predict edges.csv known.csv --learner longest-path --policy margin:0.1 --out labels.jsonl

    In csv and tsv a text that a spreadsheet would take for a formula has an apostrophe before it.

    With --json: nodes, edges, known, predicted, asked, classes, learner, policy, seed, out, and without
    --out also predictions.

    Next: 'zerokelvin queue' lists what to ask a person first, 'zerokelvin evaluate' how good this is.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    import numpy as np

    from zerokelvin.experiments import parse_parameters
    from zerokelvin.experiments.predictions.unlabelled import prediction_parts, start_from_labels
    from zerokelvin.io.formats.result_tables import check_table, write_table

    params = parse_parameters(learner, assignments)
    if out is not None:
        check_table(out)
    counts: Counter[Any] = Counter()
    asked, kept = 0, []

    def counted(parts: Iterator[Part]) -> Iterator[Part]:
        nonlocal asked
        for part in parts:
            counts.update(np.asarray(part["label"]).tolist())
            asked += int(np.count_nonzero(part["ask"]))
            yield part

    with reporting() as report, reading.saying_it_once():
        problem = read_problem(report, graph, labels, component, neighbors, reading)
        report("Learning", 0, None)
        session = start_from_labels(
            problem.graph, problem.labels, learner, params=params, policy=policy, seed=seed
        )
        reading.announce()
        parts = counted(prediction_parts(session, lambda *at: report("Predicting", *at)))
        if out is not None:
            write_table(out, parts)
        else:
            kept = [row for part in parts for row in _rows(part, None if as_json else SHOWN)]
    known = len(session.events)
    if as_json:
        found: dict[str, Any] = {
            "nodes": problem.graph.num_nodes,
            "edges": problem.graph.num_edges,
            "known": known,
            "predicted": counts.total(),
            "asked": asked,
            "classes": [{"label": label, "predicted": counts[label]} for label in session.classes],
            "learner": learner,
            "policy": policy,
            "seed": seed,
            "out": out,
        }
        print_json(found if out is not None else found | {"predictions": kept})
        return
    names = ", ".join(f"{label}: {counts[label]:,}" for label in session.classes)
    tell_of_one_class(session.classes)
    worth = "" if policy == "always" else f", {percent(asked / counts.total())} of them worth asking about"
    print_text(
        f"{problem.name}: {known:,} labels known, {counts.total():,} nodes predicted ({names}){worth}."
    )
    if out is not None:
        print_text(f"Saved {out}")
        return
    show_rows(kept[:SHOWN])
    if counts.total() > SHOWN:
        print_text(f"{counts.total() - SHOWN:,} more; write all of them with --out labels.csv")


def tell_of_one_class(classes: Sequence[Any]) -> None:
    """Say on standard error that nothing can be told apart yet."""
    if len(classes) == 1:
        from zerokelvin.io.limits import short

        only = short(repr(classes[0]))
        said = f"Only the class {only} is among the labels, so all are predicted as it; add another."
        click.echo(said, err=True)


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Print predictions as a table."""
    cells = [
        [str(r["node"]), str(r["label"]), percent(r["probability"]), "yes" if r["ask"] else "", r["reason"]]
        for r in rows
    ]
    print_table(["node", "label", "probability", "ask", "reason"], cells, numbers=(2,))


def _rows(part: Part, most: int | None) -> list[dict[str, Any]]:
    """The rows of a part, the first `most` of them, as JSON can hold them."""
    columns = [itertools.islice(getattr(c, "tolist", lambda c=c: c)(), most) for c in part.values()]
    return [dict(zip(part, row, strict=True)) for row in zip(*columns, strict=True)]

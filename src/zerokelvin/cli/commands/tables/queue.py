"""``zerokelvin queue``: what a person should look at next, with the guess and the reason."""

from __future__ import annotations

import click

from zerokelvin.cli.commands.tables.predict import show_rows, tell_of_one_class
from zerokelvin.cli.group import common_options
from zerokelvin.cli.learner_options import learner_options, policy_option
from zerokelvin.cli.number_options import POSITIVE
from zerokelvin.cli.output import print_json, print_text
from zerokelvin.cli.problem_options import (
    Reading,
    gather_options,
    problem_arguments,
    problem_options,
    read_problem,
    table_options_beside_limit,
)
from zerokelvin.cli.progress import reporting

__all__ = ["queue"]


@click.command()
@problem_arguments
@click.option("--limit", type=POSITIVE, default=50, show_default=True, help="How many nodes at most.")
@click.option("--out", metavar="FILE", help="Write the list there: csv, tsv, parquet or jsonl, by suffix.")
@click.option(
    "--order",
    default="policy",
    show_default=True,
    metavar="ORDER",
    help="policy; suspicion: those most suspected of the rarest class first; suspicion:CLASS.",
)
@learner_options
@policy_option("value")
@problem_options(shuffles=None)
@table_options_beside_limit
@common_options
@gather_options
def queue(
    graph: str,
    labels: str | None,
    limit: int,
    order: str,
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
    """List the nodes of GRAPH that a person should look at next.

    The learner is taught all labels of LABELS and lists the other nodes, the most urgent first, by what the
    policy measures: by default those whose answer is uncertain and of use to others. Each comes with the
    guess, how probable that is, and the reason.

    \b
    Examples:
      zerokelvin queue edges.csv known.csv
      zerokelvin queue edges.csv known.csv --limit 200 --out review.csv
      zerokelvin queue edges.csv known.csv --policy find:fraud
      zerokelvin queue edges.csv known.csv --cost miss=20 --cost alarm=1 --cost ask=0.5
      zerokelvin queue edges.csv known.csv --order suspicion:fraud --policy always
      zerokelvin queue edges.csv known.csv --policy margin:0.1 --json

    With --json: nodes, edges, known, learner, policy, order, seed, out, questions; each question has node,
    label, probability, ask, reason.

    Next: add the answers to the labels and list again; 'zerokelvin predict' labels the rest.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import parse_parameters
    from zerokelvin.experiments.predictions.unlabelled import question_table, start_from_labels
    from zerokelvin.io.formats.result_tables import check_table, write_table

    params = parse_parameters(learner, assignments)
    if out is not None:
        check_table(out)
    with reporting() as report, reading.saying_it_once():
        problem = read_problem(report, graph, labels, component, neighbors, reading)
        report("Learning", 0, None)
        session = start_from_labels(
            problem.graph, problem.labels, learner, params=params, policy=policy, seed=seed
        )
        reading.announce()
        report("Ordering", 0, None)
        table = question_table(session, limit, order)
        if out is not None:
            write_table(out, [table])
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    known = len(session.events)
    if as_json:
        found = {
            "nodes": problem.graph.num_nodes,
            "edges": problem.graph.num_edges,
            "known": known,
            "learner": learner,
            "policy": policy,
            "order": order,
            "seed": seed,
            "out": out,
        }
        print_json(found | {"questions": rows})
        return
    tell_of_one_class(session.classes)
    left, shown = problem.graph.num_nodes - known, policy if order == "policy" else order
    print_text(f"{problem.name}: {known:,} labels known, {left:,} not; what to look at next, by {shown}:")
    if not rows:
        why = "no node is worth asking about as things stand" if left else "every node has a label"
        print_text(f"Nothing: {why}.")
    elif out is None:
        show_rows(rows)
    if out is not None:
        print_text(f"Saved {out}")

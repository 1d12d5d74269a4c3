"""Is `auto` a safe default? Its error less that of the best single learner, graph by graph.

    python benchmarks/default_learner.py [--graphs NAME ...] [--drawn SEED ...] [--fields SEED ...]
                                         [--shuffles 5] [--again 0] [--time-limit 120] [--list]
                                         [--jobs N] [--cluster WHERE] [--results DIR]

Six kinds of graph: the labelled data sets, on their largest component; generated ones of every kind that
labels come on (planted partitions, also such that neighbours differ, nearest neighbours of points, trees,
grids, rings, weights, several components, rare classes, noise), some of which showed what `auto` lacked; ten
generated ones made later; 47 odd ones made later still; graphs of fourteen kinds drawn at random, one
for every seed after --drawn; and Markov random fields, one for every seed after --fields. Needs networkx.
Every learner plays the same random orders with its default parameters. Where the games of one learner take
longer than the time limit it is left out and named.

The difference is given with its standard error over the orders, for the two play the same ones: positive
where the single learner is better. The best of many learners found afterwards is partly lucky; with --again N
the two play N other orders, in each of which the classes are named anew, for ties go by name; the difference
there is given too. What a learner does on a graph is a cell of a sweep: --jobs plays in processes, --cluster
on a Dask cluster, and what lies in --results is not played again.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import zerokelvin as zk
from parts.labelled_graphs import GENERATED, UNSEEN, draw
from parts.odd_graphs import ODD, draw_field
from zerokelvin.experiments import load_problem
from zerokelvin.games.labels import encode_labels
from zerokelvin.learners import make, names
from zerokelvin.sweeps.cells import Spread, SweepCell, sweep
from zerokelvin.sweeps.game_cells import labels_hash
from zerokelvin.sweeps.result_store import KeptResult, code_of

DATA = ("cora", "pubmed", "imdb_wiki", "polblogs", "email_eu_core", "airports_usa", "optdigits", "pendigits")
MADE = GENERATED | UNSEEN | ODD


def problems(names, drawn, fields):
    """Name, graph and labels of all that is asked for."""
    for name in names:
        if name in MADE:
            yield name, *MADE[name]()
        else:
            problem = load_problem(name, component="largest")
            yield name, problem.graph, problem.labels
    yield from map(draw, drawn)
    yield from map(draw_field, fields)


def classes_of(labels):
    """The classes, sorted."""
    return sorted(label for label in set(np.ma.asarray(labels).tolist()) if label is not None)


class ErrorStage:
    """A labelled graph on which learners play several orders each."""

    def __init__(self, graph, labels):
        self.graph, self.labels = graph, labels

    def compute(self, task):
        errors = errors_of(self.graph, self.labels, *task)
        return KeptResult({"errors": None if errors is None else errors.tolist()})


class Bench:
    """Errors of learners on one graph after the other, where and as the options say."""

    def __init__(self, spread, place):
        self.place, self.store = place, spread.store()

    def errors(self, graph, labels, tasks):
        """For every (learner, orders, limit, renamed) the errors, None where there are none."""
        stage = ErrorStage(graph, labels)
        about = {"graph": graph.content_hash, "labels": labels_hash(encode_labels(graph, labels))}
        cells = [
            SweepCell(
                about
                | {"kind": "errors", "learner": name, "code": code_of(make(name))}
                | {"orders": list(orders), "limit": limit, "renamed": renamed},
                (name, orders, limit, renamed),
            )
            for name, orders, limit, renamed in tasks
        ]
        found = [kept.result["errors"] for kept in sweep(stage, cells, self.place, self.store)]
        return [None if errors is None else np.array(errors) for errors in found]


def errors_of(graph, labels, name, orders, limit=np.inf, renamed=False):
    """The error in each order; None where it takes too long or cannot be played."""
    began, classes = time.process_time(), classes_of(labels)

    def watch(*_):
        if time.process_time() - began > limit:
            raise TimeoutError

    try:
        runs = []
        for seed in orders:
            places = np.random.default_rng(seed).permutation(len(classes)) if renamed else range(len(classes))
            named = [classes[place] for place in places]
            runs.append(zk.play(graph, labels, name, seed=seed, classes=named, progress=watch))
    except (TimeoutError, zk.errors.ZerokelvinError):
        return None
    return np.array([run.error_multiclass for run in runs])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="*", default=[*DATA, *MADE], metavar="NAME")
    parser.add_argument("--drawn", nargs="+", type=int, default=[], metavar="SEED", help="random graphs")
    parser.add_argument("--fields", nargs="+", type=int, default=[], metavar="SEED", help="random fields")
    singles = [name for name in names() if name != "auto"]
    parser.add_argument("--learners", nargs="+", choices=singles, default=singles, metavar="NAME")
    parser.add_argument("--shuffles", type=int, default=5)
    parser.add_argument("--again", type=int, default=0, metavar="N", help="other orders to compare in")
    parser.add_argument("--time-limit", type=float, default=120.0)
    parser.add_argument("--list", action="store_true", help="print the names of the graphs")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes of this machine")
    parser.add_argument("--cluster", metavar="WHERE", help="local, local:N or tcp://HOST:PORT")
    parser.add_argument("--results", metavar="DIR", help="where what was played is kept")
    options = parser.parse_args()
    spread = Spread(options.jobs, options.cluster, options.results)
    for option, seeds in (("--drawn", options.drawn), ("--fields", options.fields)):
        if min(seeds, default=0) < 0:
            parser.error(f"seed {min(seeds)} after {option} is negative; take 0, 1, 2, ...")
    if unknown := sorted({*options.graphs} - {*MADE, *zk.io.dataset_names()}):
        parser.error(f"there is no graph {unknown[0]!r}; --list prints the names.")
    if options.list:
        print("\n".join([*DATA, *MADE]))
        return
    columns = "graph | nodes | classes | auto | best learner | its error | auto less it | again | left out"
    print(f"| {columns} |\n|{'---|' * 9}")
    with spread.place() as place:
        measure(options, Bench(spread, place))
    if told := spread.told():
        print(f"Results: {told}", file=sys.stderr)


def measure(options, bench):
    """Print a row for every graph."""
    orders, later = range(options.shuffles), range(options.shuffles, options.shuffles + options.again)
    for name, graph, labels in problems(options.graphs, options.drawn, options.fields):
        singly = [(single, orders, options.time_limit, False) for single in options.learners]
        own, *found = bench.errors(graph, labels, [("auto", orders, np.inf, False), *singly])
        others = dict(zip(options.learners, found, strict=True))
        played = {single: errors for single, errors in others.items() if errors is not None}
        if not played:
            print(f"| {name} | no learner plays it within {options.time_limit:g} s |", flush=True)
            continue
        best = min(played, key=lambda single: played[single].mean())
        again = ""
        if options.again:
            two = [(one, later, np.inf, True) for one in ("auto", best)]
            again = lead(*bench.errors(graph, labels, two))
        left_out = ", ".join(single for single in others if single not in played)
        print(
            f"| {name} | {graph.num_nodes:,} | {len(classes_of(labels))} | {own.mean():.4f} | `{best}` "
            f"| {played[best].mean():.4f} | {lead(own, played[best])} | {again} | {left_out} |",
            flush=True,
        )


def lead(own, other):
    """The mean difference and its standard error."""
    gap = own - other
    return f"{gap.mean():+.4f} ± {gap.std() / len(gap) ** 0.5:.4f}"


if __name__ == "__main__":
    main()

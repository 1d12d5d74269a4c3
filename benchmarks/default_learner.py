"""Is `auto` a safe default? Its error less that of the best single learner, graph by graph.

    python benchmarks/default_learner.py [--graphs NAME ...] [--drawn SEED ...] [--fields SEED ...]
                                         [--shuffles 5] [--again 0] [--time-limit 120] [--list]

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
there is given too.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import zerokelvin as zk
from _labelled_graphs import GENERATED, UNSEEN, draw
from _odd_graphs import ODD, draw_field
from zerokelvin.experiments import load_problem
from zerokelvin.learners import names

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
    options = parser.parse_args()
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
    orders, later = range(options.shuffles), range(options.shuffles, options.shuffles + options.again)
    for name, graph, labels in problems(options.graphs, options.drawn, options.fields):
        own = errors_of(graph, labels, "auto", orders)
        others = {
            single: errors_of(graph, labels, single, orders, options.time_limit)
            for single in options.learners
        }
        played = {single: errors for single, errors in others.items() if errors is not None}
        if not played:
            print(f"| {name} | no learner plays it within {options.time_limit:g} s |", flush=True)
            continue
        best = min(played, key=lambda single: played[single].mean())
        again = ""
        if options.again:
            again = lead(*(errors_of(graph, labels, one, later, renamed=True) for one in ("auto", best)))
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

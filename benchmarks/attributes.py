"""Attributes that say something and attributes that say nothing: the error of `auto` with and without them.

    python benchmarks/attributes.py [--rows NAME ...] [--shuffles 10] [--peers 1] [--list]

Every row plays the same random orders with attributes and without; the difference is given with its standard
error over the orders. Shuffled attributes are those of other nodes; normal columns and random words, as many
as a node has, are drawn. Attributes mislead where every node has those of a node of another class, and where
the first `TRUE_AT_FIRST` nodes shown in an order have their own, so that they come to be trusted, and all
later ones those of others. No constant was chosen on the digits. The block model is drawn (five classes,
four neighbours inside and two and a half outside, thirty normal columns whose means differ by class).

Where attributes say something two others play the first orders, each fitted anew after every 100 labels:
scikit-learn's HistGradientBoostingClassifier with its defaults, on the attributes alone, and a graph
convolutional network of two layers (Kipf and Welling 2017: 16 hidden units, dropout of half of them, Adam
with rate 0.01, decay 0.0005, 200 steps), on both. Before two classes are known they say the most frequent
one. Seconds are processor seconds of a game, its start and its compilation left out.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import zerokelvin as zk
from zerokelvin.experiments import load_problem
from zerokelvin.io import find_datasets, read_attributes

EVERY = 100
"""Labels after which the others are fitted anew."""

TRUE_AT_FIRST = 300
"""Nodes shown before attributes stop to be their own."""


def component(name):
    """Graph, labels and nodes of the largest component of a data set."""
    data = zk.load_dataset(name)
    graph, nodes = data.graph.largest_component()
    return graph, data.labels[nodes], nodes


def cora(change):
    """Cora with the words of its papers, changed."""
    graph, labels, nodes = component("cora")
    where = next(Path(entry.where) for entry in find_datasets() if entry.name == "cora")
    return (
        graph,
        labels,
        changed(change, sp.csr_array(read_attributes(where.with_name("cora_words.npz")))[nodes], labels),
    )


def changed(change, rows, labels):
    """The rows after a change that may want to know the labels."""
    return change(rows, labels) if change is of_another_class else change(rows)


def as_given(rows):
    return rows


def of_others(rows):
    """The rows in a random order."""
    return rows[np.random.default_rng(0).permutation(rows.shape[0])]


def of_another_class(rows, labels):
    """Every node has the row of some node of another class."""
    rng = np.random.default_rng(0)
    return rows[[rng.choice(np.flatnonzero(labels != label)) for label in labels.tolist()]]


def own_at_first(rows, order):
    """The first rows in an order as they are, the others exchanged among themselves."""
    source, later = np.arange(rows.shape[0]), order[TRUE_AT_FIRST:]
    source[later] = np.random.default_rng(0).permutation(later)
    return rows[source]


def drawn_words(rows):
    """Every node keeps the number of its words and draws anew which ones."""
    rng = np.random.default_rng(0)
    counts = np.diff(rows.indptr)
    words = np.concatenate([rng.choice(rows.shape[1], count, replace=False) for count in counts])
    return sp.csr_array((np.ones(len(words)), words, rows.indptr), shape=rows.shape)


def with_normals(name):
    """A data set with twenty normal columns."""
    graph, labels, nodes = component(name)
    return graph, labels, np.random.default_rng(0).normal(size=(len(nodes), 20))


def digits(change):
    """The nearest neighbours of scanned digits, and their pixels, changed."""
    problem = load_problem("optdigits")
    pixels = zk.load_dataset("optdigits").points.astype(float)
    return problem.graph, problem.labels, changed(change, pixels, problem.labels)


def blocks(change):
    """A drawn block model of 2,000 nodes, and columns whose means differ by class, changed."""
    rng = np.random.default_rng(2000)
    drawn = zk.generators.planted_partition([400] * 5, 0.01, 0.0015, rng)
    centres = 0.4 * rng.normal(size=(5, 30))
    rows = rng.normal(size=(2000, 30)) + centres[drawn.labels]
    return drawn.graph, drawn.labels, changed(change, rows, drawn.labels)


ROWS = {
    "cora, words": (cora, as_given, True),
    "cora, words of others": (cora, of_others, False),
    "cora, random words": (cora, drawn_words, False),
    "airports_usa, normal columns": (with_normals, "airports_usa", False),
    "email_eu_core, normal columns": (with_normals, "email_eu_core", False),
    "polblogs, normal columns": (with_normals, "polblogs", False),
    "optdigits, pixels": (digits, as_given, True),
    "optdigits, pixels of others": (digits, of_others, False),
    "block model, columns": (blocks, as_given, True),
    "block model, columns of others": (blocks, of_others, False),
    "cora, words of another class": (cora, of_another_class, False),
    "cora, own words at first": (cora, as_given, False),
    "optdigits, pixels of another class": (digits, of_another_class, False),
    "optdigits, own pixels at first": (digits, as_given, False),
    "block model, columns of another class": (blocks, of_another_class, False),
    "block model, own columns at first": (blocks, as_given, False),
}
"""By name: how it is made, from what, and whether its attributes say something."""


def errors_of(graph, labels, shuffles, attributes_of=None):
    """The error in every order, and the seconds of a game; attributes may depend on the order."""
    zk.play(graph, labels, order=list(range(30)))  # compiled
    began = time.process_time()
    if attributes_of is None:
        errors = zk.play_shuffles(graph, labels, shuffles=shuffles).values("error_multiclass")
        return errors, (time.process_time() - began) / shuffles
    errors, spent = [], 0.0
    for seed in range(shuffles):
        order = np.random.default_rng(seed).permutation(graph.num_nodes)
        known = graph.with_attributes(attributes_of(order))
        began = time.process_time()
        run = zk.play(known, labels, seed=seed)
        spent += time.process_time() - began
        if not np.array_equal(run.order, order):
            raise RuntimeError("the game took another order than the attributes were made for.")
        errors.append(run.error_multiclass)
    return np.array(errors), spent / shuffles


def refitted(fit, labels, shuffles):
    """Mean error and seconds of a game of a batch classifier: fit(nodes, codes) gives a class per node."""
    codes = np.unique(labels, return_inverse=True)[1]
    errors, began = [], time.process_time()
    for seed in range(shuffles):
        order = np.random.default_rng(seed).permutation(len(codes))
        said = np.zeros(len(codes), dtype=np.int64)
        for start in range(0, len(codes), EVERY):
            seen = order[:start]
            if len(np.unique(codes[seen])) > 1:
                said[order[start : start + EVERY]] = fit(seen, codes[seen])[order[start : start + EVERY]]
            elif start:
                said[order[start : start + EVERY]] = codes[seen[0]]
        errors.append(np.mean(said != codes))
    return float(np.mean(errors)), (time.process_time() - began) / shuffles


def trees_on(attributes):
    """Boosted trees on the attributes alone."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows = attributes.toarray() if sp.issparse(attributes) else attributes

    def fit(nodes, codes):
        return HistGradientBoostingClassifier(random_state=0).fit(rows[nodes], codes).predict(rows)

    return fit


def network_on(graph, attributes, hidden=16, steps=200):
    """A graph convolutional network of two layers, rows of attributes of length 1."""
    rows = sp.csr_array(attributes)
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
    rows = sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ rows
    joined = graph.adjacency + sp.eye_array(graph.num_nodes)
    roots = sp.diags_array(1.0 / np.sqrt(joined.sum(axis=1)))
    walk = sp.csr_array(roots @ joined @ roots)
    near = walk @ rows
    near = near.toarray() if near.shape[1] < 100 else sp.csr_array(near)

    def fit(nodes, codes):
        rng = np.random.default_rng(0)
        classes = int(codes.max()) + 1
        sizes = [(near.shape[1], hidden), (hidden, classes)]
        weights = [rng.uniform(-1, 1, size) * np.sqrt(6.0 / sum(size)) for size in sizes]
        moments = [(np.zeros(size), np.zeros(size)) for size in sizes]
        wanted = np.eye(classes)[codes]
        for step in range(1, steps + 1):
            first = near @ weights[0]
            kept = (first > 0) * (2.0 * (rng.random(first.shape) < 0.5))
            second = walk @ (first * kept)
            slope = np.zeros((graph.num_nodes, classes))
            slope[nodes] = (softmax(second[nodes] @ weights[1]) - wanted) / len(nodes)
            back = (walk @ slope @ weights[1].T) * kept
            slopes = [near.T @ back + 5e-4 * weights[0], second.T @ slope]
            for weight, (mean, square), own in zip(weights, moments, slopes, strict=True):
                mean += 0.1 * (own - mean)
                square += 0.001 * (own**2 - square)
                size = np.sqrt(square / (1 - 0.999**step)) + 1e-8
                weight -= 0.01 * mean / (1 - 0.9**step) / size
        return np.argmax(walk @ np.maximum(near @ weights[0], 0.0) @ weights[1], axis=1)

    return fit


def softmax(scores):
    """Shares by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--shuffles", type=int, default=10)
    parser.add_argument("--peers", type=int, default=1, metavar="N", help="orders that the others play")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    options = parser.parse_args()
    if options.list:
        print("\n".join(ROWS))
        return
    if options.shuffles < 1 or options.peers < 0:
        parser.error("--shuffles takes 1, 2, 3, ...; --peers 0, 1, 2, ...")
    print(
        f"| attributes | nodes | without | with | difference | seconds | boosted trees | GCN |\n|{'---|' * 8}"
    )
    lost = []
    for name in options.rows:
        make, how, informative = ROWS[name]
        graph, labels, attributes = make(how)
        alone, before = errors_of(graph, labels, options.shuffles)
        if name.endswith("at first"):
            both, seconds = errors_of(graph, labels, options.shuffles, partial(own_at_first, attributes))
        else:
            both, seconds = errors_of(graph.with_attributes(attributes), labels, options.shuffles)
        gap, others = both - alone, ["", ""]
        if informative and options.peers:
            fits = trees_on(attributes), network_on(graph, attributes)
            played = [refitted(fit, labels, options.peers) for fit in fits]
            others = [f"{error:.4f} in {took:.0f} s" for error, took in played]
        lost += [] if informative else [gap.mean()]
        print(
            f"| {name} | {graph.num_nodes:,} | {alone.mean():.4f} | {both.mean():.4f} "
            f"| {gap.mean():+.4f} ± {gap.std() / len(gap) ** 0.5:.4f} | {before:.2f} → {seconds:.2f} "
            f"| {others[0]} | {others[1]} |",
            flush=True,
        )
    if lost:
        mean, most = np.mean(lost), max(lost)
        print(f"\nattributes that say nothing or mislead: {mean:+.4f} on the mean, {most:+.4f} at most")


if __name__ == "__main__":
    main()

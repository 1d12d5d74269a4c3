"""What the combination's weights are like on many graphs, as `learners.auto.learnt_weights` keeps it.

    python benchmarks/choices/combination.py [--drawn SEED ...] [--fields SEED ...] [--data NAME:ORDER ...]
                                             [--rounds 6] [--factors 6] [--share 0.2]
    python benchmarks/choices/combination.py --attributes [--share 0.5] …

Plays `auto` once on every graph, in order 0, and on data sets in the orders named, and keeps what all experts
said before each trial. The weights θ of a game are taken as drawn from N(m, S): in every round the mode of
each game's posterior and its covariance are found by Newton's method, and m and S become the mean and the
spread of these (expectation and maximisation, with the posterior taken as normal). At the end `share` · S is
written as a diagonal and a few factors (factor analysis by expectation and maximisation) and printed as the
table of the module. Games in which some expert is silent are left out. Three minutes, most of them playing.

With `--attributes` every graph is played twice, each time with attributes drawn by another rule
(`parts.drawn_attributes`), Cora with its words and with the words of others, other data sets not at all. Two
tables are printed: of the combination of those who use attributes, and of that of everybody. Five minutes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from zerokelvin.experiments import load_problem
from zerokelvin.games.labels import encode_labels
from zerokelvin.learners.auto.experts import prepare_experts, start_experts
from zerokelvin.learners.auto.learnt_weights import FREQUENCIES
from zerokelvin.learners.auto.mixing import fill_rows
from zerokelvin.learners.auto.settings import OFFSETS, ROUNDED, UNKNOWN

sys.path.insert(0, str(Path(__file__).parents[1]))
from attributes import as_given, cora, of_others
from parts.drawn_attributes import KINDS, draw_attributes
from parts.labelled_graphs import draw
from parts.odd_graphs import draw_field

DRAWN = [*range(100, 127), *range(300, 384)]
FIELDS = [*range(24), *range(100, 148)]
DATA = ["cora:20", "cora:21", "cora:22", "cora:23", "pubmed:5", "pubmed:6"]
FIRST_SPREAD = 0.3


def problems(options):
    """Graph, labels and order of every game."""
    for seed in options.drawn:
        yield *draw(seed)[1:], 0
    for seed in options.fields:
        yield *draw_field(seed)[1:], 0
    for name, _, order in (text.partition(":") for text in options.data):
        problem = load_problem(name, component="largest")
        yield problem.graph, problem.labels, int(order)


def with_attributes(options):
    """The same graphs with attributes, each twice."""
    for number, seed in enumerate([*options.drawn, *options.fields]):
        drawn = draw if number < len(options.drawn) else draw_field
        graph, labels = drawn(seed)[1:]
        for turn in range(2):
            kind = (number + 2 * turn + number // KINDS) % KINDS
            rows = draw_attributes(labels, kind, np.random.default_rng([number, turn]))
            yield graph.with_attributes(rows), labels, 0
    for name, _, order in (text.partition(":") for text in options.data):
        for change in (as_given, of_others) if name == "cora" else ():
            graph, labels, rows = cora(change)
            yield graph.with_attributes(rows), labels, int(order)


def play(graph, labels, seed):
    """What everyone said, (trials, rows, classes), the classes, and the names of the rows."""
    coded = encode_labels(graph, labels)
    nodes = np.random.default_rng(seed).permutation(coded.known)
    codes = coded.codes[nodes]
    classes = max(2, len(coded.classes))
    experts = start_experts(prepare_experts(graph), classes, 0.05, seed)
    values = np.stack([expert.learn_in_order(nodes, codes) for expert in experts])
    estimates = np.flatnonzero([expert.is_estimate for expert in experts])
    floors = np.array([expert.floor for expert in experts])
    rows = np.empty((len(codes), len(experts) + 1 + len(estimates), classes))
    counts = np.zeros(classes)
    for t, code in enumerate(codes):
        fill_rows(values, t, floors, estimates, counts, rows[t])
        counts[code] += 1.0
    logs = [(name, "log") for name in [*(one.name.removesuffix(ROUNDED) for one in experts), FREQUENCIES]]
    return rows, codes, (*logs, *((experts[k].name, "estimate") for k in estimates))


def posterior(rows, codes, mean, precision):
    """Mode and covariance of the weights after a whole game, and the logarithm of the mode's density."""
    total, count, classes = rows.shape
    offsets = np.broadcast_to(np.eye(classes), (total, classes, classes))
    design = np.concatenate([rows.transpose(0, 2, 1), offsets], axis=2)
    prior = np.zeros((count + classes, count + classes))
    prior[:count, :count], prior[count:, count:] = precision, OFFSETS * np.eye(classes)
    centre = np.concatenate([mean, np.zeros(classes)])
    theta, trials = centre.copy(), np.arange(total)

    def density(theta):
        logits = design @ theta
        top = logits.max(axis=1)
        sums = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
        return (logits[trials, codes] - sums).sum() - 0.5 * (theta - centre) @ prior @ (theta - centre)

    reached = density(theta)
    for _ in range(30):
        logits = design @ theta
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        missing = -chances
        missing[trials, codes] += 1.0
        gradient = np.einsum("tc,tcd->d", missing, design) - prior @ (theta - centre)
        means = np.einsum("tc,tcd->td", chances, design)
        spread = (design * np.sqrt(chances)[:, :, None]).reshape(-1, count + classes)
        fisher = spread.T @ spread - means.T @ means + prior
        step, before = np.linalg.solve(fisher, gradient), reached
        while (reached := density(theta + step)) < before - 1e-9:
            step *= 0.5
        theta = theta + step
        if reached - before < 1e-3:
            break
    return theta[:count], np.linalg.inv(fisher)[:count, :count], reached


def learn(games, rounds):
    """Mean and covariance of the weights over games."""
    count = games[0][0].shape[1]
    mean, spread = np.zeros(count), FIRST_SPREAD * np.eye(count)
    for number in range(rounds):
        found = [posterior(rows, codes, mean, np.linalg.inv(spread)) for rows, codes in games]
        mean = np.mean([theta for theta, _, _ in found], axis=0)
        parts = [np.outer(theta - mean, theta - mean) + own for theta, own, _ in found]
        spread = np.mean(parts, axis=0)
        spread = 0.8 * spread + 0.2 * np.diag(np.diag(spread))
        total = sum(reached for _, _, reached in found)
        print(f"round {number + 1} of {rounds}: {total:,.0f}", file=sys.stderr, flush=True)
    return mean, spread


def factors(covariance, count, rounds=3000):
    """A diagonal and a few columns whose squares add up to nearly a covariance."""
    scale = np.sqrt(np.diag(covariance))
    wanted = covariance / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(wanted)
    columns = vectors[:, -count:] * np.sqrt(np.maximum(values[-count:] - FIRST_SPREAD, UNKNOWN))
    rest = np.maximum(1.0 - (columns**2).sum(axis=1), UNKNOWN)
    for _ in range(rounds):
        weighed = columns / rest[:, None]
        inner = np.linalg.inv(np.eye(count) + columns.T @ weighed)
        reading = inner @ weighed.T
        crossed = wanted @ reading.T
        columns = crossed @ np.linalg.inv(inner + reading @ crossed)
        rest = np.maximum(np.diag(wanted - columns @ crossed.T), 1e-3)
    return rest * scale**2, columns * scale[:, None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawn", nargs="*", type=int, default=DRAWN, metavar="SEED")
    parser.add_argument("--fields", nargs="*", type=int, default=FIELDS, metavar="SEED")
    parser.add_argument("--data", nargs="*", default=DATA, metavar="NAME:ORDER")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--factors", type=int, default=6, metavar="N", help="columns of B")
    parser.add_argument("--attributes", action="store_true", help="the tables with attributes instead")
    parser.add_argument("--share", type=float, default=0.2, help="of the covariance that is kept")
    options = parser.parse_args()
    if not options.attributes:
        print_table([play(*problem) for problem in problems(options)], options)
        return
    played = [play(*problem) for problem in with_attributes(options)]
    print_table([about_attributes(*game) for game in played], options)
    print()
    print_table(played, options)


def about_attributes(rows, codes, names):
    """The rows of those who use attributes, and of the frequencies."""
    own = [k for k, (name, _) in enumerate(names) if "attributes" in name or name == FREQUENCIES]
    return rows[:, own], codes, tuple(names[k] for k in own)


def print_table(played, options):
    """Learn from games what everyone said in, and print it."""
    names = max((names for _, _, names in played), key=len)
    games = [(rows, codes) for rows, codes, own in played if own == names]
    print(f"{len(games)} of {len(played)} games", file=sys.stderr, flush=True)
    mean, covariance = learn(games, options.rounds)
    own, columns = factors(options.share * covariance, min(options.factors, len(mean) - 1))
    for (name, kind), m, v, b in zip(names, mean, own, columns, strict=True):
        print(f"{name}, {kind} = {m:.2f} {v:.3f} {' '.join(f'{one:.2f}' for one in b)}")


if __name__ == "__main__":
    main()

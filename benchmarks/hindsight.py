"""`auto` against the best kernel and scale in hindsight of the published online algorithm by relaxation.

    python benchmarks/hindsight.py [--drawn SEED ...] [--fields SEED ...] [--data NAME ...]
                                   [--shuffles 2]

The other side is the relaxation of Zhou, Sun and Babanezhad ("Fast online node labeling for very large
graphs", ICML 2023), written anew with exact columns in the place of local pushes, which only helps it:
scores ψ = −G k_t / √(a + C·r) with the kernel column k_t of the node, the gradients G so far, their energy
a = tr(G K Gᵀ) and what is left of the trace r; water-filling; a hinge gradient per trial. It plays four
kernels

    (L + βI)⁻¹,   (Lₙ + βI)⁻¹,   (L + βD)⁻¹,   (L + βI)⁻¹ + 11ᵀ/n,

each scaled by 2nβ as there, with weights of mean degree 4, at nine scales β from 0.003 to 1. On every graph
the pair with the least mean error over the orders is taken, with the labels known: nobody could choose so
beforehand. The difference has its standard error over the orders, the mean over graphs its own over the
graphs. Kernels are dense, so graphs have at most 3,000 nodes. Nothing was chosen on the draws 200 to 269.
"""

from __future__ import annotations

import argparse

import numpy as np

import zerokelvin as zk
from parts.labelled_graphs import draw
from parts.odd_graphs import draw_field
from zerokelvin.experiments import load_problem
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.jit import kernel

SCALES = (0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
MOST_NODES = 3_000


def kernels(graph, beta):
    """The four kernels at one scale, by name."""
    scaled = at_mean_degree(graph)
    laplacian, count = scaled.laplacian().toarray(), graph.num_nodes
    degrees = np.where(scaled.degrees > 0, scaled.degrees, 1.0)
    roots = 1.0 / np.sqrt(degrees)
    size = 2.0 * count * beta
    plain = np.linalg.inv(laplacian + beta * np.eye(count))
    yield "L + βI", size * plain
    yield "Lₙ + βI", size * np.linalg.inv(roots[:, None] * laplacian * roots + beta * np.eye(count))
    yield "L + βD", size * np.linalg.inv(laplacian + beta * np.diag(degrees))
    yield "L + βI, 11ᵀ", size * (plain + 1.0 / count)


@kernel
def relaxed(matrix, order, codes, classes):
    """The number of mistakes of the relaxation on a dense kernel."""
    gradients = np.zeros((len(codes), classes))
    mistakes, energy, rest = 0, 0.0, 0.0
    for i in range(len(codes)):
        rest += matrix[i, i]
    seen = np.zeros(len(codes), np.int64)
    for t in range(len(order)):
        i = order[t]
        scores = np.zeros(classes)
        for k in range(t):
            for c in range(classes):
                scores[c] += matrix[i, seen[k]] * gradients[seen[k], c]
        psi = -scores / np.sqrt(max(energy, 0.0) + classes * max(rest, 0.0) + 1e-12)
        ranked = np.argsort(psi)
        total, kept = psi.sum(), classes
        while psi[ranked[classes - kept]] < (total - 1.0) / kept:
            total -= psi[ranked[classes - kept]]
            kept -= 1
        truth, winner = codes[i], ranked[classes - 1]
        mistakes += winner != truth
        among = False
        for k in range(classes - kept, classes):
            among = among or ranked[k] == truth
        own = np.zeros(classes)
        if among:
            for k in range(classes - kept, classes):
                own[ranked[k]] = 1.0 / kept
            own[truth] -= 1.0
        else:
            own[winner] = 1.0 / (1.0 + 1.0 / kept)
            own[truth] = -own[winner]
        for c in range(classes):
            gradients[i, c] = own[c]
            energy += own[c] * (2.0 * scores[c] + matrix[i, i] * own[c])
        rest -= matrix[i, i]
        seen[t] = i
    return mistakes


def measured(graph, labels, shuffles):
    """The errors of `auto` in every order, and those of the best pair in hindsight with its name."""
    classes, codes = np.unique(labels, return_inverse=True)
    runs = [zk.play(graph, labels, "auto", seed=seed) for seed in range(shuffles)]
    own = np.array([run.error_multiclass for run in runs])
    orders = [np.array([graph.index(node) for node in run.order.tolist()]) for run in runs]
    best, chosen = np.ones(shuffles), ""
    for beta in SCALES:
        for name, matrix in kernels(graph, beta):
            played = [relaxed(matrix, order, codes, len(classes)) for order in orders]
            errors = np.array(played) / len(codes)
            if errors.mean() < best.mean():
                best, chosen = errors, f"{name}, β = {beta:g}"
    return own, best, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drawn", nargs="*", type=int, default=[], metavar="SEED", help="random graphs")
    parser.add_argument("--fields", nargs="*", type=int, default=[], metavar="SEED", help="random fields")
    parser.add_argument("--data", nargs="*", default=[], metavar="NAME", help="data sets")
    parser.add_argument("--shuffles", type=int, default=2)
    options = parser.parse_args()
    if options.shuffles < 1:
        parser.error("--shuffles takes 1, 2, 3, ...")
    seeds = options.drawn or ([] if options.fields or options.data else range(200, 214))
    problems = [load_problem(name, component="largest") for name in options.data]
    rows = [(problem.name, problem.graph, problem.labels) for problem in problems]
    rows += [*map(draw, seeds), *map(draw_field, options.fields)]
    print(f"| graph | nodes | `auto` | best in hindsight | its error | `auto` less it |\n|{'---|' * 6}")
    leads = []
    for name, graph, labels in rows:
        if graph.num_nodes > MOST_NODES:
            print(f"| {name} | {graph.num_nodes:,} | more than {MOST_NODES:,} nodes |", flush=True)
            continue
        own, best, chosen = measured(graph, labels, options.shuffles)
        gap = own - best
        leads.append(gap.mean())
        print(
            f"| {name} | {graph.num_nodes:,} | {own.mean():.4f} | {chosen} | {best.mean():.4f} "
            f"| {gap.mean():+.4f} ± {gap.std() / len(gap) ** 0.5:.4f} |",
            flush=True,
        )
    if len(leads) > 1:
        mean, error = np.mean(leads), np.std(leads) / len(leads) ** 0.5
        print(
            f"\n{mean:+.4f} ± {error:.4f} on the mean of {len(leads)} graphs; `auto` ahead or level on "
            f"{sum(lead <= 0 for lead in leads)}, behind by at most {max(0.0, *leads):.4f}"
        )


if __name__ == "__main__":
    main()

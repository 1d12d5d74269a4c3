"""Is `auto` a safe default? Its error less that of the best single learner, graph by graph.

    python benchmarks/default_learner.py [--graphs NAME ...] [--drawn SEED ...] [--shuffles 5] [--again 0]
                                         [--time-limit 120] [--list]

Four kinds of graph: the labelled data sets, on their largest component; generated ones of every kind that
labels come on (planted partitions, also such that neighbours differ, nearest neighbours of points, trees,
grids, rings, weights, several components, rare classes, noise), some of which showed what `auto` lacked; ten
generated ones made later; and graphs of fourteen kinds drawn at random, one for every seed after --drawn.
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
from zerokelvin.experiments import load_problem
from zerokelvin.learners import names

DATA = ("cora", "pubmed", "imdb_wiki", "polblogs", "email_eu_core", "airports_usa", "optdigits", "pendigits")


def partition(sizes, inside, outside, seed=0):
    """A planted partition."""
    example = zk.generators.planted_partition(sizes, inside, outside, np.random.default_rng(seed))
    return example.graph, example.labels


def scikit(name, k, **params):
    """Nearest neighbours of a small data set that comes with scikit-learn, columns standardised."""
    from sklearn import datasets

    points, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    spread = points.std(axis=0)
    return zk.knn_graph((points - points.mean(axis=0)) / np.where(spread > 0, spread, 1), k, **params), labels


def blobs(count, classes, overlap, k, seed=0, **params):
    """Gaussian clouds in the plane."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, count)
    points = 3 * rng.normal(size=(classes, 2))[labels] + overlap * rng.normal(size=(count, 2))
    return zk.knn_graph(points, k, **params), labels


def regions(graph, classes, seed=0):
    """Every node has the class of the nearest of some seeds, by breadth-first search."""
    rng = np.random.default_rng(seed)
    labels = np.full(graph.num_nodes, -1)
    front = rng.choice(graph.num_nodes, 3 * classes, replace=False).tolist()
    labels[front] = np.arange(3 * classes) % classes
    while front:
        reached = []
        for node in front:
            for other in graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist():
                if labels[other] < 0:
                    labels[other] = labels[node]
                    reached.append(other)
        front = reached
    labels[labels < 0] = 0
    return graph, labels


def noisy(problem, rate, seed=0):
    """The same with some labels drawn anew."""
    graph, labels = problem
    rng = np.random.default_rng(seed)
    return graph, np.where(rng.random(len(labels)) < rate, rng.permutation(labels), labels)


def attachment(count, links, seed=0):
    """Preferential attachment: every new node joins `links` ends of earlier edges."""
    rng = np.random.default_rng(seed)
    ends = list(range(links + 1))
    edges = [(i, links) for i in range(links)]
    for node in range(links + 1, count):
        chosen = {ends[rng.integers(len(ends))] for _ in range(links)}
        edges += [(node, other) for other in chosen]
        ends += [*chosen, *[node] * len(chosen)]
    return zk.Graph.from_edges(edges, num_nodes=count)


def weighted(problem, seed=0):
    """Edges within a class weigh more, on average; all weights are spread over two orders of magnitude."""
    graph, labels = problem
    rng = np.random.default_rng(seed)
    same = labels[graph.edges[:, 0]] == labels[graph.edges[:, 1]]
    weights = np.exp(rng.normal(np.where(same, 0.5, -0.5), 1.0))
    return zk.Graph.from_edges(graph.edges, weights, num_nodes=graph.num_nodes), labels


def apart(*problems):
    """Several graphs side by side."""
    edges, labels, first = [], [], 0
    for graph, own in problems:
        edges.append(graph.edges + first)
        labels.append(own)
        first += graph.num_nodes
    return zk.Graph.from_edges(np.concatenate(edges), num_nodes=first), np.concatenate(labels)


def ring(count, cliques, seed=0):
    """Cliques of three classes in a ring."""
    size = count // cliques
    within = [(c * size + i, c * size + j) for c in range(cliques) for i in range(size) for j in range(i)]
    between = [(c * size, (c + 1) % cliques * size + 1) for c in range(cliques)]
    classes = np.random.default_rng(seed).integers(0, 3, cliques)
    return zk.Graph.from_edges(within + between), np.repeat(classes, size)


def example_of(name, *parameters):
    """One of the package's own generators."""
    found = getattr(zk.generators, name)(*parameters)
    return found.graph, found.labels


GENERATED = {
    "partition, clear": lambda: partition([300] * 3, 0.04, 0.004),
    "partition, weak": lambda: partition([300] * 3, 0.03, 0.01),
    "partition, hardly any": lambda: partition([300] * 3, 0.02, 0.015),
    "partition, dense": lambda: partition([200] * 4, 0.3, 0.2),
    "partition, ten classes": lambda: partition([80] * 10, 0.1, 0.005),
    "partition, rare classes": lambda: partition([700, 100, 40], 0.04, 0.006),
    "partition, rare of two": lambda: partition([900, 60], 0.03, 0.004),
    "neighbours differ, 2": lambda: partition([400] * 2, 0.004, 0.02),
    "neighbours differ, 3": lambda: partition([300] * 3, 0.003, 0.02),
    "bipartite": lambda: partition([300] * 2, 0.0, 0.02),
    "no signal": lambda: partition([500, 300, 100], 0.01, 0.01),
    "weights": lambda: weighted(partition([300] * 3, 0.02, 0.01)),
    "components": lambda: apart(
        partition([150] * 2, 0.06, 0.01), partition([150] * 2, 0.01, 0.06, 1), partition([200], 0.03, 0, 2)
    ),
    "digits": lambda: scikit("digits", 10),
    "digits, 3 neighbours": lambda: scikit("digits", 3),
    "iris": lambda: scikit("iris", 7),
    "wine": lambda: scikit("wine", 7),
    "breast cancer": lambda: scikit("breast_cancer", 8),
    "breast cancer, weights": lambda: scikit("breast_cancer", 8, weights="heat"),
    "two moons": lambda: example_of("two_moons", 800, np.random.default_rng(0)),
    "blobs": lambda: blobs(1000, 5, 1.0, 8),
    "blobs, overlapping": lambda: blobs(2000, 5, 3.0, 10),
    "blobs, large": lambda: blobs(10000, 4, 2.0, 10),
    "tree, regions": lambda: regions(zk.generators.random_tree(1500, np.random.default_rng(0)).graph, 3),
    "tree, noise": lambda: noisy(
        regions(zk.generators.random_tree(1500, np.random.default_rng(1)).graph, 3), 0.2
    ),
    "grid, regions": lambda: regions(zk.generators.grid(40, 40).graph, 4),
    "grid, noise": lambda: noisy(regions(zk.generators.grid(40, 40).graph, 4), 0.15),
    "line, regions": lambda: regions(zk.generators.line(1000).graph, 3),
    "attachment, regions": lambda: regions(attachment(2000, 2), 4),
    "ring of cliques": lambda: ring(900, 60),
    "barbell": lambda: example_of("barbell", 150),
    "flower": lambda: example_of("flower", 20, 12),
    "octopus": lambda: example_of("octopus", 12, 30, 20),
}


def scikit_points(name, k, cuts=None, **params):
    """Nearest neighbours of generated points, labelled as they come or by where a coordinate lies."""
    from sklearn import datasets

    points, labels = getattr(datasets, f"make_{name}")(random_state=0, **params)
    labels = labels if cuts is None else np.digitize(labels, np.quantile(labels, cuts))
    return zk.knn_graph(points, k), labels


def blocks(sizes, chances, seed=0):
    """A graph of blocks with a chance for every pair of them."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    above = np.triu(rng.random((len(labels), len(labels))) < np.array(chances)[labels[:, None], labels], 1)
    return zk.Graph.from_edges(np.argwhere(above), num_nodes=len(labels)), labels


def small_world(count, near, rate, seed=0):
    """A ring in which everyone knows the next few, some edges led elsewhere."""
    rng = np.random.default_rng(seed)
    edges = np.array([(i, (i + j) % count) for i in range(count) for j in range(1, near + 1)])
    led = rng.random(len(edges)) < rate
    edges[led, 1] = rng.integers(0, count, led.sum())
    return zk.Graph.from_edges(edges[edges[:, 0] != edges[:, 1]], num_nodes=count)


def geometric(count, radius, seed=0):
    """Points in a square, joined where they are close."""
    return zk.epsilon_graph(np.random.default_rng(seed).random((count, 2)), radius)


def levels(seed=0):
    """Eight blocks in four pairs; the two of a pair are of different classes."""
    chances = np.full((8, 8), 0.002)
    for block in range(8):
        chances[block, block] = 0.12
        chances[block, block ^ 1] = 0.02
    graph, found = blocks([100] * 8, chances, seed)
    return graph, found % 2


UNSEEN = {
    "circles": lambda: scikit_points("circles", 8, n_samples=800, noise=0.1, factor=0.6),
    "swiss roll": lambda: scikit_points("swiss_roll", 10, (0.25, 0.5, 0.75), n_samples=1500, noise=0.5),
    "small world": lambda: noisy(regions(small_world(1200, 3, 0.1), 3), 0.1),
    "geometric": lambda: noisy(regions(geometric(1200, 0.06), 4), 0.1),
    "core and rim": lambda: blocks([150, 650], [[0.15, 0.03], [0.03, 0.003]]),
    "levels": levels,
    "partition, six classes": lambda: partition([120] * 6, 0.06, 0.012, 5),
    "one class apart": lambda: blocks(
        [300] * 3, [[0.02, 0.02, 0.005], [0.02, 0.02, 0.005], [0.005, 0.005, 0.03]]
    ),
    "no signal, two equal": lambda: partition([400, 400], 0.02, 0.02, 6),
    "no signal, rare": lambda: partition([800, 60], 0.012, 0.012, 7),
}


def by_place(graph, rng):
    """Classes in regions of a graph, mostly with noise; and that in words."""
    classes, noise = int(rng.integers(2, 6)), float(rng.choice([0, 0, 0.05, 0.1, 0.2]))
    problem = regions(graph, classes, int(rng.integers(1 << 30)))
    problem = noisy(problem, noise, int(rng.integers(1 << 30))) if noise else problem
    return *problem, f"{classes} regions, noise {noise:g}"


def chain(count, legs, rng):
    """A path with other nodes hung on it at random, or a ring where there are none."""
    spine = count - legs
    edges = [(i, (i + 1) % spine) for i in range(spine - (legs > 0))]
    return zk.Graph.from_edges([*edges, *((int(rng.integers(spine)), spine + i) for i in range(legs))])


KINDS = (
    *("small world", "geometric", "neighbours", "tree", "grid", "partition", "attachment", "ring", "cliques"),
    *("weights", "neighbours differ", "random edges", "legs", "tiny"),
)


def draw(seed):
    """A graph with labels, drawn at random: its kind, the graph, the labels."""
    rng = np.random.default_rng([seed, 2026])
    kind, count, own = KINDS[seed % len(KINDS)], int(rng.integers(300, 1500)), int(rng.integers(1 << 30))
    classes, text = int(rng.integers(2, 7)), ""
    places = {
        "small world": lambda: small_world(count, int(rng.integers(2, 6)), rng.choice([0.02, 0.1, 0.2]), own),
        "geometric": lambda: geometric(count, (rng.choice([6, 10, 20]) / count / np.pi) ** 0.5, own),
        "tree": lambda: zk.generators.random_tree(count, rng).graph,
        "grid": lambda: zk.generators.grid(*rng.integers(12, 38, 2).tolist()).graph,
        "attachment": lambda: attachment(count, int(rng.integers(1, 5)), own),
        "ring": lambda: chain(count, 0, rng),
        "legs": lambda: chain(count, int(0.7 * count), rng),
        "random edges": lambda: partition([count], rng.choice([3, 6]) / count, 0, own)[0],
    }
    if kind in places:
        graph, labels, text = by_place(places[kind](), rng)
    elif kind == "neighbours":
        graph, labels = blobs(count, classes, rng.choice([0.5, 1, 2]), int(rng.integers(3, 13)), own)
    elif kind == "cliques":
        graph, labels = ring(count, int(rng.integers(20, 80)), own)
    else:
        count = int(rng.integers(30, 120)) if kind == "tiny" else count
        sizes = np.maximum((rng.dirichlet(np.full(classes, 3.0)) * count).astype(int), 8)
        inside = min(rng.choice([5, 10, 20]) * classes / count, 0.9)
        ratio = 3.0 if kind == "neighbours differ" else rng.choice([0.02, 0.1, 0.3, 0.6])
        graph, labels = partition(sizes.tolist(), inside / max(ratio, 1), min(inside * ratio, 0.9), own)
        graph, labels = weighted((graph, labels), own) if kind == "weights" else (graph, labels)
    return f"{kind}{', ' * bool(text)}{text}", graph, labels


def problems(names, seeds):
    """Name, graph and labels of all that is asked for."""
    for name in names:
        if name in GENERATED | UNSEEN:
            yield name, *(GENERATED | UNSEEN)[name]()
        else:
            problem = load_problem(name, component="largest")
            yield name, problem.graph, problem.labels
    yield from (draw(seed) for seed in seeds)


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
    parser.add_argument("--graphs", nargs="*", default=[*DATA, *GENERATED, *UNSEEN], metavar="NAME")
    parser.add_argument("--drawn", nargs="+", type=int, default=[], metavar="SEED", help="random graphs")
    singles = [name for name in names() if name != "auto"]
    parser.add_argument("--learners", nargs="+", choices=singles, default=singles, metavar="NAME")
    parser.add_argument("--shuffles", type=int, default=5)
    parser.add_argument("--again", type=int, default=0, metavar="N", help="other orders to compare in")
    parser.add_argument("--time-limit", type=float, default=120.0)
    parser.add_argument("--list", action="store_true", help="print the names of the graphs")
    options = parser.parse_args()
    if min(options.drawn, default=0) < 0:
        parser.error(f"seed {min(options.drawn)} after --drawn is negative; take 0, 1, 2, ...")
    if unknown := sorted({*options.graphs} - {*GENERATED, *UNSEEN, *zk.io.dataset_names()}):
        parser.error(f"there is no graph {unknown[0]!r}; --list prints the names.")
    if options.list:
        print("\n".join([*DATA, *GENERATED, *UNSEEN]))
        return
    columns = "graph | nodes | classes | auto | best learner | its error | auto less it | again | left out"
    print(f"| {columns} |\n|{'---|' * 9}")
    orders, later = range(options.shuffles), range(options.shuffles, options.shuffles + options.again)
    for name, graph, labels in problems(options.graphs, options.drawn):
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

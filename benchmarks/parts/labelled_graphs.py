"""Labelled graphs of many kinds, made or drawn at random, for `default_learner.py`."""

from __future__ import annotations

import numpy as np

import zerokelvin as zk


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

"""Labelled graphs of unusual kinds, and labels drawn as a Markov random field, for `default_learner.py`.

Only fields of the seeds 0 … 23 had a part in choosing the experts of `auto`. Needs networkx. A field has
Pr(labels) ∝ exp(β · number of edges within a class): every node depends on its neighbours alone. It is drawn
by Gibbs sampling from a random start.
"""

from __future__ import annotations

import numpy as np

import zerokelvin as zk
from parts.labelled_graphs import (
    attachment,
    geometric,
    noisy,
    partition,
    regions,
    scikit_points,
    small_world,
    weighted,
)

try:
    import networkx as nx
except ImportError:
    raise SystemExit("this benchmark needs networkx; pip install 'zerokelvin[graphs]'") from None


def grid(rows, columns):
    return zk.generators.grid(rows, columns).graph


def of(graph):
    """A graph from networkx, nodes in its order."""
    edges = list(nx.convert_node_labels_to_integers(graph).edges())
    return zk.Graph.from_edges(edges, num_nodes=graph.number_of_nodes())


def field(graph, classes, beta, seed, sweeps=60):
    """Labels drawn as a Markov random field."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, graph.num_nodes)
    for _ in range(sweeps):
        for node in rng.permutation(graph.num_nodes):
            beside = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
            heights = beta * np.bincount(labels[beside], minlength=classes)
            chances = np.exp(heights - heights.max())
            labels[node] = rng.choice(classes, p=chances / chances.sum())
    return graph, labels


def voters(graph, classes, seed):
    """Everybody takes over the label of a random neighbour, twelve times on average."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, graph.num_nodes)
    for node in rng.integers(0, graph.num_nodes, 12 * graph.num_nodes):
        labels[node] = labels[rng.choice(graph.indices[graph.indptr[node] : graph.indptr[node + 1]])]
    return graph, labels


def by_eigenvector(graph, number, classes):
    """Classes by the value of an eigenvector of the Laplacian."""
    adjacency = graph.adjacency.toarray()
    vector = np.linalg.eigh(np.diag(adjacency.sum(axis=1)) - adjacency)[1][:, number]
    return graph, np.digitize(vector, np.quantile(vector, np.arange(1, classes) / classes))


def by_degree(graph, classes):
    degrees = np.diff(graph.indptr)
    return graph, np.digitize(degrees, np.quantile(degrees, np.arange(1, classes) / classes))


def communities(count, mixing, seed):
    """The benchmark of Lancichinetti, Fortunato and Radicchi (2008)."""
    graph = nx.LFR_benchmark_graph(count, 3, 1.5, mixing, average_degree=8, min_community=40, seed=seed)
    graph.remove_edges_from(nx.selfloop_edges(graph))
    groups = sorted({frozenset(graph.nodes[node]["community"]) for node in graph}, key=min)
    place = {node: number for number, group in enumerate(groups) for node in group}
    return of(graph), np.array([place[node] for node in graph])


def unequal_groups():
    graph = nx.gaussian_random_partition_graph(900, 45, 10, 0.25, 0.015, seed=2)
    groups = enumerate(graph.graph["partition"])
    return of(graph), np.concatenate([np.full(len(group), number % 3) for number, group in groups])


def cube(dimension, label):
    """A hypercube; the class of a corner is a function of its bits."""
    corners = range(2**dimension)
    edges = [(i, i ^ (1 << j)) for i in corners for j in range(dimension) if i < i ^ (1 << j)]
    bits = np.array([[int(bit) for bit in np.binary_repr(i, dimension)] for i in corners])
    return zk.Graph.from_edges(edges), label(bits)


def tribes(bits):
    return (bits[:, :3].all(axis=1) | bits[:, 3:6].all(axis=1) | bits[:, 6:9].all(axis=1)).astype(int)


def stripes(graph, width, classes):
    first = [node[0] if isinstance(node, tuple) else node for node in graph.nodes]
    return of(graph), np.array(first) // width % classes


def checkers(rows, columns, width):
    graph = nx.grid_2d_graph(rows, columns)
    return of(graph), np.array([(row // width + column // width) % 2 for row, column in graph.nodes])


def stars(hubs, size, classes, seed, links):
    """Hubs with leaves of their own class, joined at random."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, classes, hubs)
    edges, labels = [], own.tolist()
    for hub in range(hubs):
        for _ in range(rng.integers(size // 2, 2 * size)):
            edges.append((hub, len(labels)))
            labels.append(own[hub])
    ends = rng.integers(0, hubs, (links, 2)).tolist()
    edges += [(a, b) for a, b in ends if a != b]
    return zk.Graph.from_edges(edges, num_nodes=len(labels)), np.array(labels)


def tastes(users, items, classes, inside, outside, seed):
    """Users and items, joined more often within a class."""
    rng = np.random.default_rng(seed)
    of_users, of_items = rng.integers(0, classes, users), rng.integers(0, classes, items)
    chances = np.where(of_users[:, None] == of_items, inside, outside)
    edges = np.argwhere(rng.random((users, items)) < chances) + np.array([0, users])
    return zk.Graph.from_edges(edges, num_nodes=users + items), np.concatenate([of_users, of_items])


def family(branches, height, label):
    """A balanced tree; the class is a function of depth and of the ancestor at depth two."""
    graph = nx.balanced_tree(branches, height)
    depths, ancestors = np.zeros(len(graph), dtype=int), np.zeros(len(graph), dtype=int)
    for parent, child in nx.bfs_edges(graph, 0):
        depths[child] = depths[parent] + 1
        ancestors[child] = ancestors[parent] if depths[child] > 2 else child
    return of(graph), label(depths, ancestors)


def with_noise_edges(problem, count, seed):
    graph, labels = problem
    ends = np.random.default_rng(seed).integers(0, graph.num_nodes, (count, 2))
    edges = np.sort(np.concatenate([graph.edges, ends[ends[:, 0] != ends[:, 1]]]), axis=1)
    return zk.Graph.from_edges(np.unique(edges, axis=0), num_nodes=graph.num_nodes), labels


def pieces(count, size, classes, seed):
    """Small trees, each of one class."""
    rng = np.random.default_rng(seed)
    edges, labels = [], []
    for _ in range(count):
        nodes, first = int(rng.integers(2, 2 * size)), len(labels)
        labels += [rng.integers(classes)] * nodes
        edges += [(first + node, first + int(rng.integers(node))) for node in range(1, nodes)]
    return zk.Graph.from_edges(edges, num_nodes=len(labels)), np.array(labels)


def novel():
    """The people of Les Misérables, in the communities of greatest modularity."""
    graph = nx.les_miserables_graph()
    groups = nx.community.greedy_modularity_communities(graph)
    names = {name: node for node, name in enumerate(graph)}
    place = {names[name]: number for number, group in enumerate(groups) for name in group}
    edges = [(names[a], names[b]) for a, b in graph.edges]
    weights = [float(graph.edges[edge]["weight"]) for edge in graph.edges]
    return zk.Graph.from_edges(edges, weights, num_nodes=len(names)), np.array(
        [place[i] for i in range(len(names))]
    )


def women_and_events():
    graph = nx.davis_southern_women_graph()
    return of(graph), np.array([graph.nodes[node]["bipartite"] for node in graph])


ODD = {
    "communities, mixing 0.3": lambda: communities(800, 0.3, 1),
    "communities, mixing 0.5": lambda: communities(800, 0.5, 4),
    "caves": lambda: (of(nx.relaxed_caveman_graph(40, 20, 0.3, seed=1)), np.repeat(np.arange(40) % 5, 20)),
    "unequal groups": unequal_groups,
    "cube, majority": lambda: cube(10, lambda bits: (bits.sum(axis=1) > 5).astype(int)),
    "cube, two bits": lambda: cube(10, lambda bits: 2 * bits[:, 0] + bits[:, 1]),
    "cube, parity": lambda: cube(9, lambda bits: bits.sum(axis=1) % 2),
    "cube, tribes": lambda: cube(10, tribes),
    "cube, two bits, noise": lambda: noisy(cube(10, lambda bits: 2 * bits[:, 0] + bits[:, 1]), 0.2, 1),
    "triangles, stripes": lambda: stripes(nx.triangular_lattice_graph(25, 60), 4, 3),
    "grid, stripes": lambda: stripes(nx.grid_2d_graph(30, 30), 2, 2),
    "checkers": lambda: checkers(28, 28, 1),
    "checkers, wide": lambda: checkers(28, 28, 2),
    "checkers, wider": lambda: checkers(32, 32, 4),
    "degree, attachment": lambda: by_degree(attachment(900, 2, 3), 3),
    "degree, random edges": lambda: by_degree(partition([900], 0.007, 0, 4)[0], 2),
    "stars": lambda: stars(40, 20, 3, 1, 80),
    "stars, smaller": lambda: stars(100, 10, 4, 2, 300),
    "tastes": lambda: tastes(600, 200, 4, 0.06, 0.012, 1),
    "tastes, weak": lambda: tastes(500, 500, 2, 0.014, 0.008, 2),
    "family, branches": lambda: family(3, 6, lambda depths, ancestors: ancestors % 4),
    "family, odd and even": lambda: family(3, 6, lambda depths, ancestors: depths % 2),
    "family, generations": lambda: family(2, 9, lambda depths, ancestors: depths),
    "clustered attachment": lambda: noisy(
        regions(of(nx.powerlaw_cluster_graph(900, 3, 0.6, seed=3)), 4, 5), 0.1, 2
    ),
    "field, grid": lambda: field(grid(30, 30), 2, 0.8, 1),
    "field, grid, weak": lambda: field(grid(32, 32), 2, 0.6, 2),
    "field, random edges": lambda: field(partition([900], 6 / 900, 0, 9)[0], 4, 0.9, 3),
    "field, neighbours": lambda: field(
        zk.knn_graph(np.random.default_rng(5).normal(size=(900, 2)), 6), 3, 0.5, 4
    ),
    "field, neighbours differ": lambda: field(grid(30, 30), 2, -0.8, 5),
    "voters": lambda: voters(attachment(900, 3, 6), 3, 6),
    "eigenvector, random edges": lambda: by_eigenvector(partition([700], 5 / 700, 0, 7)[0], 30, 3),
    "eigenvector, geometric": lambda: by_eigenvector(geometric(700, 0.08, 8), 6, 2),
    "noise edges, partition": lambda: with_noise_edges(partition([250] * 3, 0.04, 0.002, 11), 2500, 1),
    "noise edges, geometric": lambda: with_noise_edges(regions(geometric(900, 0.06, 3), 4, 3), 900, 2),
    "pieces": lambda: pieces(120, 7, 3, 1),
    "novel": novel,
    "women and events": women_and_events,
    "clusters in ten dimensions": lambda: scikit_points(
        "classification", 8, n_samples=900, n_features=10, n_informative=5, n_classes=4
    ),
    "shells": lambda: scikit_points("gaussian_quantiles", 8, n_samples=900, n_features=3, n_classes=3),
    "ball in ten dimensions": lambda: scikit_points("hastie_10_2", 10, n_samples=900),
    "duplication": lambda: regions(of(nx.duplication_divergence_graph(800, 0.4, seed=4)), 4, 6),
    "regular": lambda: noisy(regions(of(nx.random_regular_graph(4, 800, seed=5)), 3, 7), 0.05, 3),
    "circulant": lambda: stripes(nx.circulant_graph(900, [1, 2, 30]), 45, 4),
    "ladder": lambda: noisy(regions(of(nx.circular_ladder_graph(450)), 5, 8), 0.1, 4),
    "lollipop": lambda: (
        of(nx.lollipop_graph(60, 300)),
        np.concatenate([np.zeros(60, dtype=int), np.repeat(np.arange(6) % 2 + 1, 50)]),
    ),
    "windmill": lambda: (
        of(nx.windmill_graph(60, 8)),
        np.concatenate([[0], np.repeat(np.arange(60) % 4, 7)]),
    ),
    "stars, weights": lambda: weighted(stars(30, 25, 3, 5, 60), 3),
}


def draw_field(seed):
    """A graph of one of six kinds with a Markov random field of 2 to 4 classes, weak to strong."""
    rng = np.random.default_rng([seed, 77])
    count, own = int(rng.integers(300, 1300)), int(rng.integers(1 << 30))
    kinds = {
        "grid": lambda: grid(*rng.integers(16, 36, 2).tolist()),
        "neighbours": lambda: zk.knn_graph(rng.normal(size=(count, 2)), int(rng.integers(4, 10))),
        "random edges": lambda: partition([count], 5 / count, 0, own)[0],
        "geometric": lambda: geometric(count, (8 / count / np.pi) ** 0.5, own),
        "small world": lambda: small_world(count, 2, 0.1, own),
        "attachment": lambda: attachment(count, 2, own),
    }
    kind, classes = list(kinds)[seed % len(kinds)], int(rng.integers(2, 5))
    graph = kinds[kind]()
    coupling = float(rng.choice([1.8, 2.4, 3.2, 4.5])) * (1 + 0.15 * (classes - 2))
    beta = coupling * graph.num_nodes / (2 * graph.num_edges)
    return f"field, {kind}, {classes} classes", *field(graph, classes, beta, own, 40)

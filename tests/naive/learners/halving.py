"""Halving by definition: every labelling written out, the class filtered label by label."""

from __future__ import annotations

import itertools
from functools import cache


def labelings(graph):
    """Every labelling of the nodes with its cut."""
    edges = [(int(u), int(v), float(w)) for (u, v), w in zip(graph.edges, graph.edge_weights, strict=True)]
    for u in itertools.product((-1, 1), repeat=graph.num_nodes):
        yield u, sum(w for i, j, w in edges if u[i] != u[j])


def play(graph, trials, k):
    """Votes (−1, +1) before each trial; None where the component has no label yet."""
    every = list(labelings(graph))
    labels, votes = {}, []
    for node, label in trials:
        agreeing = [(u, c) for u, c in every if all(u[i] == y for i, y in labels.items())]
        limit = max(k, min(c for _, c in agreeing)) + 1e-9
        left = [u for u, c in agreeing if c <= limit]
        plus = sum(u[node] == 1 for u in left)
        touched = any(graph.components[i] == graph.components[node] for i in labels)
        votes.append((len(left) - plus, plus) if touched else None)
        labels[node] = label
    return votes


def class_size(graph, k):
    return sum(c <= k + 1e-9 for _, c in labelings(graph))


def most_mistakes(graph, k):
    """Over every order of nodes and every labelling of the class, ties and first guesses included."""
    concept = frozenset(u for u, c in labelings(graph) if c <= k + 1e-9)

    @cache
    def worst(left):
        best = 0
        for node in range(graph.num_nodes):
            plus = frozenset(u for u in left if u[node] == 1)
            minus = left - plus
            if not plus or not minus:
                continue
            first = len(left) == len(concept)  # no label yet: margin 0, hence +1
            guess_plus = first or len(plus) > len(minus)
            wrong, right = (minus, plus) if guess_plus else (plus, minus)
            best = max(best, 1 + worst(wrong), worst(right))
        return best

    return worst(concept)

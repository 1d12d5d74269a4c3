"""The game on a tree by definition: the worst order, found by trying all of them."""

from __future__ import annotations

import functools

import naive.trees as trees


def worst_mistakes(graph, labels, strategy):
    """The most mistakes any order of all nodes can force against a labelling in {-1, +1}ⁿ."""
    n = graph.num_nodes

    @functools.cache
    def signs(shown):
        known = {i: int(labels[i]) for i in range(n) if shown >> i & 1}
        return [s or 1 for s in trees.predictions(graph, known, strategy)]  # no label yet: margin 0, +1

    @functools.cache
    def most(shown):
        if shown == 2**n - 1:
            return 0
        guess = signs(shown)
        return max(int(guess[v] != labels[v]) + most(shown | 1 << v) for v in range(n) if not shown >> v & 1)

    return most(0)

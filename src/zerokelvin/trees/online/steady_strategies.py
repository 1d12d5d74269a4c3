"""The rules of `trees.online.strategies` in O(log n) steps whatever the order, on a balanced forest.

Hinges and lines are still kept, for they tell between which labels a node lies; what minimum cuts say of a
hinge, and the longest paths from it, are asked of `zerokelvin.trees.online.balanced`. The votes are the same.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.online.balanced import Balanced, build, change, look, new_balanced
from zerokelvin.trees.online.forest import NOBODY, PARENT, UNROOTED, Forest, attach
from zerokelvin.trees.online.hinges import BOTTOM, CHANGED, HINGE, LABEL, LINE, ROOT, TOP, Hinges, enter_label
from zerokelvin.trees.online.strategies import LONGEST_PATH, TIE, Schedule, between, compare, side_of

__all__ = ["balance", "play_steadily", "steady_committee", "steady_vote", "update_steadily"]


def balance(forest: Forest, hinges: Hinges, strategy: int) -> Balanced:
    """The balanced rows of all components with a label; with longest paths if the strategy needs them."""
    labels = hinges.nodes[:, LABEL].astype(np.int8)
    balanced = new_balanced(forest, labels, paths=strategy == LONGEST_PATH)
    for root in np.flatnonzero(hinges.rooted.nodes[:, PARENT] == NOBODY).tolist():
        build(forest, hinges.rooted, balanced, root)
    return balanced


@inner_kernel
def steady_vote(forest: Forest, hinges: Hinges, balanced: Balanced, node: int, strategy: int) -> float:
    """The vote on one node of the forest, in [−1, 1]; 0 while its component has no label."""
    if hinges.rooted.nodes[node, PARENT] == UNROOTED:
        return 0.0
    here = attach(hinges.rooted, node)
    if hinges.nodes[here, LABEL] != 0:
        return float(hinges.nodes[here, LABEL])
    if strategy != LONGEST_PATH and hinges.nodes[here, HINGE] == 0:
        line = hinges.nodes[here, LINE]
        upper = _decided(forest, hinges, balanced, hinges.lines[line, TOP])
        lower = _decided(forest, hinges, balanced, hinges.lines[line, BOTTOM])
        return between(forest, hinges, here, strategy, upper, lower)
    seen = look(forest, hinges.rooted, balanced, here)
    if seen.balance != 0:
        return 1.0 if seen.balance > 0 else -1.0
    return compare(float(seen.source), float(seen.target)) if strategy == LONGEST_PATH else TIE


@kernel
def steady_committee(
    forest: Forest, hinges: Hinges, balanced: Balanced, size: int, node: int, strategy: int
) -> float:
    """The mean vote of `size` trees on one node of the graph: of signs, or of one tree its own vote."""
    if size == 1:
        return steady_vote(forest, hinges, balanced, node, strategy)
    count = len(forest.first) // size
    total = 0
    for k in range(size):
        total += side_of(steady_vote(forest, hinges, balanced, k * count + node, strategy))
    return total / size


@kernel
def update_steadily(
    forest: Forest, hinges: Hinges, balanced: Balanced, size: int, node: int, label: int
) -> None:
    """Give every one of `size` trees the label −1 or +1 of one node of the graph."""
    count = len(forest.first) // size
    for k in range(size):
        here = k * count + node
        news = enter_label(forest, hinges, here, label)
        if news == ROOT:
            balanced.labels[here] = label
            build(forest, hinges.rooted, balanced, here)
        elif news == CHANGED:
            change(forest, hinges.rooted, balanced, here, label)


@kernel
def play_steadily(
    forest: Forest,
    hinges: Hinges,
    balanced: Balanced,
    size: int,
    strategy: int,
    schedule: Schedule,
    margins: Floats,
) -> None:
    """Play the trials of a schedule as `play_committee` would, to the end; one margin per trial."""
    nodes, labels, delay, budget, begin = schedule
    for t in range(begin, len(nodes) + delay):
        if t < len(nodes):
            margins[t] = steady_committee(forest, hinges, balanced, size, nodes[t], strategy)
        due = t - delay
        if 0 <= due < min(budget, len(nodes)):
            update_steadily(forest, hinges, balanced, size, nodes[due], labels[due])


@inner_kernel
def _decided(forest: Forest, hinges: Hinges, balanced: Balanced, hinge: int) -> int:
    """The label that all minimum cuts give a hinge, 0 where they differ."""
    if hinges.nodes[hinge, LABEL] != 0:
        return int(hinges.nodes[hinge, LABEL])
    return side_of(look(forest, hinges.rooted, balanced, hinge).balance)

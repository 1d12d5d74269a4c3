"""The class prior: what is predicted for a node of whose connected component no label is known.

A margin says nothing there, so the class seen most often so far is predicted, of equally frequent ones the
first. Before the first label of all there is no prior either, and the tie rule decides.
`counts` holds the labels learnt of every class, `labelled` whether a component has one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel

__all__ = ["follow_prior", "most_frequent", "prior_margins", "without_label"]


def prior_margins(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The shares of the classes in the place of margins; of two classes one number, a tie for the first.

    >>> prior_margins(np.array([1, 2, 1])).tolist(), prior_margins(np.array([2, 2])).tolist()
    ([0.25, 0.5, 0.25], [-0.125])
    """
    ahead = counts if len(counts) != 2 else counts[1:] - counts[:1] - 0.5
    shares: NDArray[np.float64] = ahead / counts.sum()
    return shares


@kernel
def most_frequent(counts: Any) -> int:
    """The code of the class with the largest count, the first of several.

    >>> int(most_frequent(np.array([1, 3, 3])))
    1
    """
    return int(np.argmax(counts))


@kernel
def without_label(counts: Any, labelled: Any, component: int) -> bool:
    """Whether labels are known, but none in a component.

    >>> bool(without_label(np.array([0, 1]), np.array([True, False]), 1))
    True
    """
    known = False
    for count in counts:  # any() of NumPy takes longer to compile than all else here
        known = known or count != 0
    return known and not labelled[component]


@kernel
def follow_prior(
    nodes: Ints,
    codes: Ints,
    asked: NDArray[np.bool_],
    delay: int,
    components: Ints,
    num_classes: int,
    predicted: Ints,
) -> None:
    """Let the class prior overrule what a game has `predicted`, one class code per trial, in place.

    Trial t shows ``nodes[t]``, whose class ``codes[t]`` is learnt `delay` trials later if ``asked[t]``;
    `components` holds the component of every node.
    """
    counts = np.zeros(num_classes, dtype=np.int64)
    labelled = np.zeros(components.max() + 1, dtype=np.bool_)
    for t in range(len(nodes)):
        due = t - delay - 1
        if due >= 0 and asked[due]:
            counts[codes[due]] += 1
            labelled[components[nodes[due]]] = True
        if without_label(counts, labelled, components[nodes[t]]):
            predicted[t] = most_frequent(counts)

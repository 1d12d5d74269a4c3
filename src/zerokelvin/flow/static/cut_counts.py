"""How many minimum cuts label a node −1 and how many +1: the zero-temperature Ising marginal.

At zero temperature the Ising model is uniform over the label-consistent minimum cuts, so predicting
the likelier label means comparing two counts (Herbster, Pasteris and Ghosh, 2015, equation 1). Only
the part of the Picard–Queyranne graph connected with the node's super-vertex matters, and it is small
on real graphs. Counting is #P-complete in general, so it is exact up to a number of states and by
uniform sampling beyond, and the result says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.flow.static.coupling import sample_ideals
from zerokelvin.flow.static.ideals import InnerPart, count_ideals

__all__ = ["CutCount", "count_minimum_cuts_through"]


class MinimumCuts(Protocol):
    """What can be asked: a `PicardQueyranne` (node names) or an `OnlineCut` (node indices)."""

    def side(self, node: Any) -> int:
        """−1, +1, or 0 for an inner node."""

    def part(self, node: Any) -> InnerPart | None:
        """The inner super-vertices connected with the node's; None where it is no inner node."""


@dataclass(frozen=True)
class CutCount:
    """Minimum cuts by the label they give a node.

    Attributes
    ----------
    source, target
        Minimum cuts of the node's part that label it −1 and +1; all other parts multiply both by the
        same number. Where `exact` is false, numbers of uniform samples instead.
    exact
        Whether the cuts were counted or sampled.
    super_vertices
        Size of the part, 0 for a node of the source or target.
    states
        Most states of the dynamic programme, 0 where it gave up or was not needed.
    """

    source: int
    target: int
    exact: bool
    super_vertices: int
    states: int

    @property
    def label(self) -> int:
        """The likelier label; a tie is −1, the source."""
        return -1 if self.source >= self.target else 1


def count_minimum_cuts_through(
    cuts: MinimumCuts,
    node: Any,
    *,
    max_states: int = 100_000,
    samples: int = 1001,
    rng: np.random.Generator | None = None,
) -> CutCount:
    """Count the minimum cuts that label `node` −1 and those that label it +1.

    Parameters
    ----------
    cuts
        A `PicardQueyranne` or an `OnlineCut`.
    node
        A node name for the former, an index for the latter.
    max_states
        Count exactly as long as the dynamic programme holds no more states than this.
    samples, rng
        Beyond, draw this many uniform minimum cuts with `rng`.

    Examples
    --------
    >>> from zerokelvin.flow import picard_queyranne
    >>> from zerokelvin.graph import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> count = count_minimum_cuts_through(picard_queyranne(path, {0: 0, 4: 1}), 1)
    >>> count.source, count.target, count.exact, count.label
    (3, 1, True, -1)
    """
    part = cuts.part(node)
    if part is None:
        minus = cuts.side(node) < 0
        return CutCount(int(minus), int(not minus), True, 0, 0)
    counted = count_ideals(part, max_states)
    if counted is not None:
        return CutCount(counted.source, counted.target, True, part.num, counted.states)
    if rng is None:
        raise ParameterError(
            f"counting over {part.num} super-vertices needs more than max_states={max_states} states; "
            "pass rng to sample instead, or raise max_states."
        )
    if samples < 1:
        raise ParameterError(f"samples={samples} is not positive; draw at least one minimum cut.")
    source = int(sample_ideals(part, samples, rng)[:, part.watched].sum())
    return CutCount(source, samples - source, False, part.num, 0)

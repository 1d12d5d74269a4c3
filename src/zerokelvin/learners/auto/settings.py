"""Every constant of `auto`, with where it comes from.

Two kinds of choices were made on data (docs/theory/frontier.md tells the figures). *On the data sets*: Cora,
PubMed, `email_eu_core`, `polblogs`, `airports_usa`, `imdb_wiki`. *On drawn graphs*: those that ``zerokelvin
bench default-learner --drawn`` draws from small seeds, with an eye on Cora; the draws 200 … 269 had no part
in any choice. The others are limits on memory and time, or follow from what they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "ARC_LIMIT",
    "ATTRIBUTE_MU",
    "ATTRIBUTE_PRIOR",
    "CHUNK",
    "COMMITTEE_FLOOR",
    "FARTHEST",
    "FEW",
    "JOINED",
    "JOINED_AXES",
    "JOINED_NODES",
    "KERNEL_FLOOR",
    "LEVELS",
    "LOCAL",
    "LOCAL_OF_MANY",
    "MANY_NODES",
    "OFFSETS",
    "PRIOR",
    "RESTARTS",
    "ROUNDED",
    "SOFT",
    "SQUARED",
    "SQUARED_TOL",
    "START",
    "STRETCH",
    "SUBSPACES",
    "SUBSPACE_ARCS",
    "SUBSPACE_SIZE",
    "UNKNOWN",
    "VOTERS",
    "VOTER_FLOOR",
    "Scale",
    "Subspace",
]


class Scale(NamedTuple):
    """A kernel and its noise, μ = 0 standing for propagation, and its tolerance relative to the others'."""

    kernel: str
    mu: float
    slack: float = 1.0

    def __str__(self) -> str:
        return f"gaussian {self.kernel} mu={self.mu:g}" if self.mu else f"propagation {self.kernel}"


class Subspace(NamedTuple):
    """A regression on the `rank` smoothest directions: prior variances ∝ exp(time · Ritz value), noise μ.

    With `walk` the coordinates of a node are divided by the root of its degree, as a walk has them.
    """

    rank: int
    time: float
    walk: bool
    mu: float

    def __str__(self) -> str:
        return f"{self.rank} smoothest directions"


# -- experts ------------------------------------------------------------------------------------------

LOCAL = (
    Scale("regularized:0.1", 0.3),
    Scale("regularized:0.5", 1.0),
    Scale("regularized:0.3", 0.01),
    Scale("regularized:0.03", 3.0, 5.0),
    Scale("regularized:0.01", 10.0, 5.0),
    Scale("normalized:0.03", 0.3),
    Scale("normalized:0.1", 1.0),
    Scale("normalized:0.1", 0.0, 5.0),
)
"""Kernels by local relaxation: on the data sets. Those of μ = 0.01, which hardly doubts a label and suits
labels that each depend on their neighbours alone, and of μ = 10, for wide regions, on drawn graphs."""

LOCAL_OF_MANY = (LOCAL[6], LOCAL[7])
"""Those that speak on more than `MANY_NODES` nodes where only local work is wanted: one of each sort, which
share a kernel."""

MANY_NODES = 2_000_000
"""A limit on memory: an expert keeps some 30 bytes per node, and 24 more for every class it has heard of."""

SQUARED = (
    Scale("walk-squared:0.1", 1.0),
    Scale("squared:0.3", 0.3),
    Scale("squared:1", 0.03),
    Scale("squared:3", 0.001),
    Scale("normalized-squared:0.3", 0.01),
    Scale("normalized-squared:1", 0.1),
)
"""Kernels by pairs of fields. The first two on the data sets, the others on the graphs of ``bench
default-learner`` of up to 3,000 nodes, those drawn from seeds left out, in one order each."""

SQUARED_TOL = 0.001
"""The residual that their passes over all nodes leave alone."""

SUBSPACES = (
    Subspace(8, 0.0, True, 0.03),
    Subspace(32, 4.0, False, 0.03),
)
"""Regressions on smooth directions: on the graphs of ``bench default-learner``, as above."""

SUBSPACE_SIZE = 1.0 / 3.0
"""The size of a coordinate of the smoothest direction, whose mean square over all nodes is 1 before."""

SUBSPACE_ARCS = 1 << 19
"""Arcs up to which the directions are found: a limit on the time of a start."""

VOTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("longest-path", {}),
    ("spanning-tree", {"trees": 9, "inner": "nearest"}),
)
"""Learners that vote: on the data sets."""

ARC_LIMIT = 1 << 24
"""Arcs times problems up to which `longest-path`, which keeps a flow for each, votes: a limit on memory."""

LEVELS = 8
"""Into how many parts the median weight is divided for `longest-path`, which sees multiples of them."""

ROUNDED = ", rounded weights"
"""What the name of a voter ends with that sees rounded weights, so that its states are nobody else's."""

KERNEL_FLOOR, COMMITTEE_FLOOR, VOTER_FLOOR = 0.05, 0.1, 0.4
"""What is added to the evidence of an expert and spread over the classes: more, the less its values say how
sure it is. On the data sets."""

RESTARTS = (0.2, 0.1)
"""How likely the walk that attributes are averaged over ends at each step: on Cora, three orders."""

ATTRIBUTE_MU = 1.0
"""The noise of regressions on attributes: on Cora, three orders, of 0.3, 1, 2 and 3."""

JOINED = Scale("regularized:0.1", 0.3)
"""The kernel on the graph that joins nodes of like attributes: the first of `LOCAL`."""

JOINED_AXES = 64
"""The leading coordinates by which like attributes are found: a limit on time."""

JOINED_NODES = 10_000
"""Nodes up to which they are joined: the search takes the square of that, a limit on the time of a start."""

# -- mixture ------------------------------------------------------------------------------------------

FARTHEST = (-1.0, 2.0)
"""Where an estimate ends before it enters the combination: regression on 0 and 1 hardly goes beyond."""

STRETCH = 4.0
"""What estimates are multiplied by in the combination, so that their weights are about as large as those of
logarithms. A unit for the learnt weights, no choice."""

UNKNOWN = 0.1
"""The variance of the weight of an expert of which nothing was learnt (`learners.auto.learnt_weights`)."""

OFFSETS = 50.0
"""Precision of the prior of a combination's offsets: a few labels say little about class frequencies."""

PRIOR = (0.1, 0.3)
"""What the class frequencies and the combination are trusted at first; the experts share the rest. On
drawn graphs."""

ATTRIBUTE_PRIOR = (0.2, 0.1, 0.1, 0.1, 0.3)
"""What all experts that use attributes, the class frequencies, the combination, the one of the attributes'
experts and the one of everybody are trusted at first, where there are attributes; the experts of the graph
share the rest. On drawn graphs and in the rows of ``bench attributes``, the digits left out: while nobody has
been heard yet those who use attributes have more than half, so that a few answers are enough where attributes
tell and the graph misleads."""

START = 8.0
"""The mixability gap Δ₀ AdaHedge begins with, so that the first few mistakes do not decide whom to trust. On
drawn graphs."""

SOFT = 0.01
"""Share of an expert's probabilities in its vote; the rest is its most likely class."""

CHUNK = 1 << 16
"""Nodes that are judged at once: a limit on memory, 8 · experts · classes bytes for each."""

FEW = 8
"""Answers below which a compiled game of each expert is not worth its compilation: two seconds, once, where
the loop takes milliseconds."""

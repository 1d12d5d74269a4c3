"""Every constant of `auto`, with where it comes from.

Two kinds of choices were made on data (docs/theory/frontier.md tells the figures). *On the data sets*: Cora,
PubMed, `email_eu_core`, `polblogs`, `airports_usa`, `imdb_wiki`. *On drawn graphs*: those that ``zerokelvin
bench default-learner --drawn`` draws from small seeds, with an eye on Cora; the draws 200 … 269 had no part
in any choice. The others are limits on memory and time, or follow from what they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from zerokelvin.solve import dense

__all__ = [
    "ARC_LIMIT",
    "CHUNK",
    "COMMITTEE_FLOOR",
    "DENSE",
    "DENSE_LIMIT",
    "FAR",
    "KERNEL_FLOOR",
    "LOCAL",
    "OFFSETS",
    "PAIRED",
    "PAIRED_TOL",
    "PRECISIONS",
    "PRIOR",
    "SOFT",
    "START",
    "VOTERS",
    "VOTER_FLOOR",
    "Scale",
]


class Scale(NamedTuple):
    """A kernel and its noise, μ = 0 standing for propagation, and its tolerance relative to the others'."""

    kernel: str
    mu: float
    slack: float = 1.0

    def __str__(self) -> str:
        return f"gaussian {self.kernel} mu={self.mu:g}" if self.mu else f"propagation {self.kernel}"


# -- experts ------------------------------------------------------------------------------------------

LOCAL = (
    Scale("regularized:0.1", 0.3),
    Scale("regularized:0.5", 0.1),
    Scale("regularized:0.5", 1.0),
    Scale("regularized:0.3", 0.01),
    Scale("regularized:0.03", 3.0, 5.0),
    Scale("normalized:0.03", 0.3),
    Scale("normalized:0.1", 1.0),
    Scale("normalized:0.1", 0.0, 5.0),
)
"""Kernels by local relaxation on every graph: on the data sets. That of μ = 0.01, on drawn graphs: it hardly
doubts a label, which suits labels that each depend on their neighbours alone."""

DENSE = (
    Scale("regularized:0.003", 10.0),
    Scale("regularized:0.01", 1.0),
    Scale("heat:3", 0.03),
    Scale("squared:0.3", 0.3),
    Scale("normalized-heat:4", 0.03),
    Scale("normalized-squared:0.3", 0.1),
    Scale("walk-fourth:0.3", 1.0),
    Scale("walk-squared:0.1", 1.0),
)
"""Kernels that reach too far for relaxation, as matrices on small graphs: on the data sets. The two of wide
regions and (A⁻¹ D)³ A⁻¹, on drawn graphs."""

DENSE_LIMIT = dense.DENSE_LIMIT
"""Nodes up to which a graph is small: up to here n × n matrices are made everywhere in the package."""

FAR = Scale("regularized:0.01", 10.0, 5.0)
"""On larger graphs, in the place of the two widest of `DENSE`: on drawn graphs."""

PAIRED = Scale("walk-squared:0.1", 1.0)
"""The walk kernel that a pair of fields serves on larger graphs: the last of `DENSE`."""

PAIRED_TOL = 0.0005
"""The residual that its passes over all nodes leave alone."""

VOTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("longest-path", {}),
    ("spanning-tree", {"trees": 9, "inner": "longest-path"}),
    ("spanning-tree", {"trees": 9, "inner": "nearest"}),
)
"""Learners that vote: on the data sets."""

ARC_LIMIT = 1 << 24
"""Arcs times problems up to which `longest-path`, which keeps a flow for each, votes: a limit on memory."""

KERNEL_FLOOR, COMMITTEE_FLOOR, VOTER_FLOOR = 0.05, 0.1, 0.4
"""What is added to the evidence of an expert and spread over the classes: more, the less its values say how
sure it is. On the data sets."""

# -- mixture ------------------------------------------------------------------------------------------

PRECISIONS = (1.0, 5.0)
"""Of the weights of the two combinations before any label: a quick one and a careful one. On drawn graphs."""

OFFSETS = 50.0
"""Precision of the prior of a combination's offsets: a few labels say little about class frequencies."""

PRIOR = (0.1, 0.1, 0.1)
"""What the class frequencies and the two combinations are trusted at first; the experts share the rest. On
drawn graphs."""

START = 8.0
"""The mixability gap Δ₀ AdaHedge begins with, so that the first few mistakes do not decide whom to trust. On
drawn graphs."""

SOFT = 0.01
"""Share of an expert's probabilities in its vote; the rest is its most likely class."""

CHUNK = 1 << 16
"""Nodes that are judged at once: a limit on memory, 8 · experts · classes bytes for each."""

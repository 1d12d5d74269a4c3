"""Selective sampling with local and global consistency (Gu, Aggarwal, Liu, Han 2013, Algorithm 2).

`ollgc` that asks for a label only where it is unsure,

    ask  ⇔  r_t > t^−κ,   r_t = mᵀA_t⁻¹m = r / (1 + r) with r = mᵀA_{t−1}⁻¹m,

A_t including the current node, and learns from the labels it asked for where they show a mistake. With
several classes each asks by itself; ``every_round`` learns from every answer instead, which is `bbq`: one
covariance and one decision for all classes.

Bound: the paper's label-complexity bound needs an update on every query, so it is proved for `bbq` and fails
here: a learner that is always right never updates, its variance never falls, and it asks for ever (see
docs/theory/errata.md). What remains true for `sslgc` are the mistake bounds of `ollgc` on the trials it
asked about; they say nothing of mistakes on trials it let pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zerokelvin.errors import ParameterError
from zerokelvin.learners.base import learner
from zerokelvin.learners.consistency.ollgc import Ollgc

__all__ = ["Sslgc"]


@learner("sslgc")
@dataclass(frozen=True)
class Sslgc(Ollgc):
    """Selective sampling with local and global consistency; see the module and `Ollgc`.

    Parameters
    ----------
    kappa
        Exponent of the threshold t^−κ in [0, 1]; the larger, the more labels are asked for.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Sslgc(mu=1.0, kappa=0.5).start(line)
    >>> state.ask(0, trial=10)
    True
    >>> state.update(0, -1)
    >>> round(state.variance(0), 3), round(state.variance(3), 3)
    (0.426, 0.705)
    """

    purpose: ClassVar[str] = "the paper's selective sampler: it asks where its variance is large"
    choose: ClassVar[str] = (
        "you reproduce the paper; to save labels, 'auto' with --policy value asks better questions"
    )
    cost: ClassVar[str] = (
        "an embedding of the graph once; then O(d) per prediction and O(d²) per label learnt, d the rank"
    )

    kappa: float = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.kappa <= 1:
            raise ParameterError(f"kappa={self.kappa} must lie between 0 and 1.")

    def asks_apart(self) -> bool:
        """Unless all classes share one covariance: each has learnt from mistakes of its own."""
        return not self.learns_always

    @property
    def exponent(self) -> float | None:
        """The exponent κ."""
        return self.kappa

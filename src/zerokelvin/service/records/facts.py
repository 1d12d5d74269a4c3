"""The events of a project as they lie in the log: JSON, one kind for each thing that can happen.

Nodes and classes are written by name, so that a log can be read by anybody and told again to another project.
"""

from __future__ import annotations

import msgspec

from zerokelvin.client.messages import Named, Parameter
from zerokelvin.service.records.decisions import DecisionRecord
from zerokelvin.service.store.log import ARCHIVED, RESTORED

__all__ = [
    "KINDS",
    "Budgeted",
    "CheckDrawn",
    "Corrected",
    "Created",
    "Fact",
    "Grown",
    "Labelled",
    "Owned",
    "Passed",
    "PutAway",
    "TakenOut",
]

Weighted = tuple[Named, Named, float]


class Fact(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is common to all events: they are JSON objects without the fields that are as usual."""


class Created(Fact, frozen=True):
    """The first event: what the project was made with."""

    name: str
    classes: tuple[Named, ...]
    learner: str
    secret: str
    """In base64: decisions are signed with it. Never leaves the store."""
    graph: str
    params: dict[str, Parameter] = {}
    policy: str | None = None
    budget: int | None = None
    daily_budget: int | None = None
    seed: int = 0
    version: int = 1
    audit_share: float = 0.0


class Labelled(Fact, frozen=True):
    """An answer, with what had been shown to whoever gave it."""

    node: Named
    label: Named
    decision: DecisionRecord | None = None
    source: str | None = None


class Owned(Fact, frozen=True):
    """A label that was known already."""

    node: Named
    label: Named


class Passed(Fact, frozen=True):
    """A node passed over."""

    node: Named


class Corrected(Fact, frozen=True):
    """The last label of a node replaced, or taken back where there is none."""

    node: Named
    label: Named | None = None


class Grown(Fact, frozen=True):
    """Nodes and weighted edges that were added."""

    nodes: tuple[Named, ...] = ()
    edges: tuple[Weighted, ...] = ()


class Budgeted(Fact, frozen=True):
    """How many questions may be asked from then on, in all and per day; the share of random checks."""

    budget: int | None = None
    daily_budget: int | None = None
    audit_share: float = 0.0


class CheckDrawn(Fact, frozen=True):
    """A random check was drawn, unless one waited for its answer still.

    Which node that is follows from the seed and the events before, as everything does.
    """


class PutAway(Fact, frozen=True):
    """The project was archived."""


class TakenOut(Fact, frozen=True):
    """The project was taken out of the archive."""


KINDS: dict[str, type[Fact]] = {
    "created": Created,
    "label": Labelled,
    "teach": Owned,
    "skip": Passed,
    "correct": Corrected,
    "grown": Grown,
    "budget": Budgeted,
    "check": CheckDrawn,
    ARCHIVED: PutAway,
    RESTORED: TakenOut,
}
"""Kinds of events with what they hold."""

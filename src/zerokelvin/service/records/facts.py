"""The events of a project as they lie in the log: JSON, one kind for each thing that can happen.

Nodes and classes are written by name, so that a log can be read by anybody and told again to another project.

What people do on the labelling page is written as an `Acted`, followed by the labels and revisions it comes
to for the model, each marked with the number of the act (`zerokelvin.service.records.page_book`).
"""

from __future__ import annotations

import msgspec

from zerokelvin.client.messages import Named, Parameter
from zerokelvin.service.records.decisions import DecisionRecord
from zerokelvin.service.store.log import ARCHIVED, RESTORED

__all__ = [
    "KINDS",
    "KIND_OF",
    "Acted",
    "Budgeted",
    "CheckDrawn",
    "ClassesAdded",
    "Corrected",
    "Created",
    "Fact",
    "Grown",
    "Labelled",
    "Owned",
    "PageSet",
    "Passed",
    "PutAway",
    "Revised",
    "TakenOut",
]

Weighted = tuple[Named, Named, float]
Cell = str | int | float | bool | None


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
    open_classes: bool = False
    """Whether classes may be added; there may then be none at first."""
    audit_share: float = 0.0


class Labelled(Fact, frozen=True):
    """An answer, with what had been shown to whoever gave it."""

    node: Named
    label: Named
    decision: DecisionRecord | None = None
    source: str | None = None
    act: str | None = None


class Owned(Fact, frozen=True):
    """The fact that a label was known already."""

    node: Named
    label: Named
    act: str | None = None


class Passed(Fact, frozen=True):
    """The fact that a node was passed over without an answer."""

    node: Named


class Corrected(Fact, frozen=True):
    """The last label of a node replaced, or taken back where there is none."""

    node: Named
    label: Named | None = None


class Grown(Fact, frozen=True):
    """Nodes and weighted edges that were added."""

    nodes: tuple[Named, ...] = ()
    edges: tuple[Weighted, ...] = ()
    columns: dict[str, tuple[Cell, ...]] | None = None
    """Attributes of the new nodes by column, or as rows of numbers; see `AttributeTable`."""
    rows: tuple[tuple[float | None, ...], ...] | None = None


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
    """The fact that the project was archived."""


class TakenOut(Fact, frozen=True):
    """The fact that the project was taken out of the archive."""


class Revised(Fact, frozen=True):
    """The last labels of several nodes replaced, or taken back where there is none, all in one step."""

    nodes: tuple[Named, ...]
    labels: tuple[Named | None, ...]
    act: str | None = None


class ClassesAdded(Fact, frozen=True):
    """Classes that joined the others, behind them."""

    labels: tuple[Named, ...]


class Acted(Fact, frozen=True):
    """What somebody did on the page: an act of a kind on nodes, with a label, or taking back another act."""

    id: str
    kind: str
    by: str = ""
    nodes: tuple[Named, ...] = ()
    label: Named | None = None
    of: str | None = None
    predicted: Named | None = None
    """What was predicted for the first node when it was shown, if known."""
    audit: bool = False
    """Whether the question was a random check."""


class PageSet(Fact, frozen=True):
    """Settings of the page that changed; what is left out stays."""

    guidelines: str | None = None
    notes: dict[str, str] = {}
    target: float | None = None
    overlap: float | None = None
    hide_guess: bool | None = None


KINDS: dict[str, type[Fact]] = {
    "created": Created,
    "label": Labelled,
    "teach": Owned,
    "skip": Passed,
    "correct": Corrected,
    "grown": Grown,
    "budget": Budgeted,
    "revise": Revised,
    "classes": ClassesAdded,
    "act": Acted,
    "page": PageSet,
    "check": CheckDrawn,
    ARCHIVED: PutAway,
    RESTORED: TakenOut,
}
"""Kinds of events with what they hold."""

KIND_OF = {fact: kind for kind, fact in KINDS.items()}
"""The kind of each."""

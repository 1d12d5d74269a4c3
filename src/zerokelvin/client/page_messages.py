"""What the labelling page and the service say to each other; see `zerokelvin.client.messages`.

An *item* is a node as a person sees it: a text, an image, a row of a table, or a node with its neighbours. A
*turn* carries acts of one person to the service and the next question back.

Above 300 lines: every message of the labelling page is here, as those of the API are in
`client.messages`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from zerokelvin.client.messages import Incoming, Named, Outgoing

__all__ = [
    "Act",
    "Ahead",
    "AskedTurn",
    "ChangePage",
    "Done",
    "FollowingTurn",
    "History",
    "HistoryAnswer",
    "ImportLabels",
    "ImportedLabels",
    "Item",
    "ItemList",
    "LabelMany",
    "Neighbour",
    "OtherReviewer",
    "PageCertificate",
    "PageClass",
    "PageShown",
    "Reason",
    "RefusedAct",
    "ReviewRow",
    "ReviewRows",
    "ReviewerShown",
    "ReviewersShown",
    "SelectItems",
    "Selection",
    "StandingShown",
    "TakeTurn",
    "TurnTaken",
]

Reviewer = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
ActId = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]
ShareOrNone = Annotated[float, Meta(ge=0, le=1)] | None
Target = Annotated[float, Meta(gt=0, lt=1)] | None
Done = Literal["all-answered", "target-reached", "budget", "leased-to-others", "no-classes"]


class PageClass(Outgoing):
    """A class: its fixed key (1 to 9, else none), its notes, and its colour where one was chosen."""

    label: Named
    key: str | None
    notes: str
    colour: str | None


class PageShown(Outgoing):
    """What the page of a project is made of."""

    name: str
    kind: Literal["text", "row", "image", "node"]
    items: int
    classes: list[PageClass]
    open_classes: bool
    guidelines: str
    target: float
    confidence: float
    audit_share: float
    overlap: float
    hide_guess: bool
    map: bool
    reviewers_enabled: bool
    can_label: bool
    can_admin: bool
    events: int


class ChangePage(Incoming):
    """Settings to change; what is left out stays."""

    guidelines: Annotated[str, Meta(max_length=100_000)] | None = None
    notes: dict[str, Annotated[str, Meta(max_length=20_000)]] = {}  # noqa: RUF012 - msgspec copies it
    add_classes: Annotated[list[Named], Meta(max_length=1000)] = []  # noqa: RUF012 - msgspec copies it
    target: Target = None
    audit_share: ShareOrNone = None
    overlap: ShareOrNone = None
    hide_guess: bool | None = None


class Neighbour(Outgoing):
    """A neighbour of an item in the graph: its answer, or what is predicted for it."""

    node: Named
    title: str
    label: Named | None
    predicted: Named | None
    weight: float
    image: str | None


class Item(Outgoing):
    """An item as a person sees it; ``edges`` are pairs of places in ``neighbours``."""

    node: Named
    title: str
    text: str | None
    terms: list[str]
    fields: list[tuple[str, str]]
    image: str | None
    neighbours: list[Neighbour]
    edges: list[tuple[int, int]]
    duplicates: list[Named]
    direction: Literal["ltr", "rtl", "auto"]
    index: int


class ItemList(Outgoing):
    """Items, in the order they were asked for."""

    items: list[Item]


class Act(Incoming):
    """One thing a person did; ``id`` is made by the page: an act is done once however often it is sent."""

    id: ActId
    kind: Literal["answer", "skip", "unsure", "someone-else", "undo", "redo", "change"]
    node: Named | None = None
    label: Named | None = None
    decision: str | None = None
    duplicates: bool = True
    of: str | None = None
    seconds: float | None = None
    """How long the person looked at it, if the page knows."""


class TakeTurn(Incoming):
    """Acts of one person, and what the page holds already; the first of ``have`` is on the screen."""

    reviewer: Reviewer
    acts: Annotated[list[Act], Meta(max_length=1000)] = []  # noqa: RUF012 - msgspec copies it
    have: Annotated[list[Named], Meta(max_length=100)] = []  # noqa: RUF012 - msgspec copies it
    ahead: bool = False


class LabelMany(Incoming):
    """One label for many items, as one act that can be undone."""

    reviewer: Reviewer
    id: ActId
    label: Named
    indices: list[int] = []  # noqa: RUF012 - msgspec copies it
    nodes: list[Named] = []  # noqa: RUF012 - msgspec copies it


class Reason(Outgoing):
    """A labelled item near the question, and its share in the evidence."""

    node: Named
    title: str
    label: Named
    share: float
    image: str | None


class AskedTurn(Outgoing):
    """A question: the item, the guess, why, and the decision to send back with the answer."""

    node: Named
    item: Item
    label: Named | None
    probabilities: list[tuple[Named, float]]
    reason: str
    because: list[Reason]
    decision: str | None
    audit: bool
    hidden: bool
    lease_until: str
    duplicates: int


class FollowingTurn(Outgoing):
    """The question after an answer; after a skip, unsure or someone-else where the answer is null."""

    answer: Named | None
    question: AskedTurn | None


class RefusedAct(Outgoing):
    """An act that could not be done, and why."""

    id: str
    detail: str


class OtherReviewer(Outgoing):
    """Somebody else, and what they look at."""

    reviewer: str
    node: Named
    until: str


class StandingShown(Outgoing):
    """Where the work stands: answers, what is proved of the rest, and what is left to do."""

    answered: int
    items: int
    mistakes: int
    target: float
    error_at_most: float | None
    estimate: float | None
    confidence: float
    checks: int
    answers_left: int | None
    seconds_left: float | None
    sentence: str
    others: list[OtherReviewer]


class TurnTaken(Outgoing):
    """What is on the disk now, what was refused, and the next question."""

    saved: list[str]
    refused: list[RefusedAct]
    question: AskedTurn | None
    after: list[FollowingTurn]
    standing: StandingShown
    done: Done | None
    events: int


class Ahead(Outgoing):
    """The questions that would follow some answers to the one on the screen; ``left`` are not told yet."""

    node: Named
    after: list[FollowingTurn]
    events: int
    left: int


class HistoryAnswer(Outgoing):
    """An act of the past; ``items`` counts those it was for, ``of`` is what an undo or a change was about."""

    id: str
    node: Named
    title: str
    label: Named | None
    predicted: Named | None
    by: str
    at: str
    kind: str
    undone: bool
    items: int
    image: str | None
    group: str | None


class History(Outgoing):
    """Acts, newest first; ``more`` says that there are older ones."""

    answers: list[HistoryAnswer]
    more: bool


class ReviewRow(Outgoing):
    """An item in a list: its label, how probable it is, and who gave it when."""

    node: Named
    index: int
    title: str
    label: Named | None
    probability: float | None
    asked: bool
    by: str | None
    at: str | None
    predicted: Named | None
    image: str | None


class ReviewRows(Outgoing):
    """Items of a list; ``total`` counts all of it."""

    rows: list[ReviewRow]
    total: int


class SelectItems(Incoming):
    """Items selected on the map by their places or a polygon around them; ``label``: one for all of them."""

    label: Named | None = None
    indices: list[int] = []  # noqa: RUF012 - msgspec copies it
    polygon: Annotated[list[tuple[float, float]], Meta(max_length=10_000)] = []  # noqa: RUF012 - msgspec copies it


class Selection(Outgoing):
    """What was selected, beside one label for all: the one asked about, or what the model says most often.

    ``disagree`` counts the items for which the model says something else, ``otherwise`` those that people
    gave another label, ``labels`` the items by the label that goes out for them now.
    """

    count: int
    label: Named | None
    disagree: int
    otherwise: int
    check_first: list[Named]
    labels: dict[str, int]


class ImportLabels(Incoming):
    """A table of labels as text: as exported, or with the columns node and label."""

    content: str
    format: Literal["csv", "jsonl", "parquet"] = "csv"
    """For parquet the content is base64."""


class ImportedLabels(Outgoing):
    """How many labels were taken, how many were there already, and how many items are not of this project."""

    taken: int
    known: int
    unknown: int
    events: int


class PageCertificate(Outgoing):
    """What the random checks prove of the labels that go out unasked."""

    sentence: str
    error_at_most: float | None
    confidence: float
    checks: int
    unasked: int
    graph: str
    events: int
    at: str
    version: str


class ReviewerShown(Outgoing):
    """A person: how many answers, when last, and what they look at."""

    reviewer: str
    answers: int
    last: str | None
    on: Named | None
    until: str | None


class ReviewersShown(Outgoing):
    """Everybody, and how far they agree on what several answered."""

    reviewers: list[ReviewerShown]
    overlap: int
    kappa: float | None
    alpha: float | None

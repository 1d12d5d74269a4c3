"""What goes over the wire: requests and answers, from which validation, OpenAPI and the client are made.

A node is a text or a whole number, as the graph has it, and so is a class. In ``probabilities``, whose keys
JSON wants to be texts, a class that is a number is written as one. ``events`` is how many events, after the
project's creation, an answer was made from.

Above 300 lines: every message of the API is here, the one source of validation, OpenAPI and clients.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "AddEdges",
    "AddNodes",
    "AddedNodes",
    "AfterAnswer",
    "Answer",
    "Answers",
    "Assumed",
    "AttributeSource",
    "AttributeTable",
    "AuditShown",
    "Audited",
    "BoundShown",
    "ChosenProject",
    "Contributed",
    "Correct",
    "CreateProject",
    "Explained",
    "GraphSource",
    "GuaranteeShown",
    "Imported",
    "KeyMade",
    "KeyShown",
    "KeysShown",
    "LabelRow",
    "LabelRows",
    "LogIn",
    "MakeKey",
    "Named",
    "Numbered",
    "Predict",
    "Predicted",
    "Predictions",
    "ProjectList",
    "ProjectShown",
    "ProjectState",
    "Question",
    "Questions",
    "Ranked",
    "RankedNode",
    "Righted",
    "SetBudget",
    "Skip",
    "Taught",
    "Teach",
    "Visitor",
]

Named = str | int
Parameter = str | int | float | bool | None
Edge = Annotated[list[str | int | float], Meta(min_length=2, max_length=3)]
ProjectName = Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", examples=["fraud-2026"])]
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, lt=1)]
AuditShare = Annotated[float, Meta(ge=0, le=1)]
Role = Literal["read", "predict", "label", "admin"]


class Incoming(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A request: a field that it does not have is refused, so that a slip of the pen is seen."""


class Outgoing(msgspec.Struct, kw_only=True):
    """An answer; a client of an older version passes over fields that it does not know."""


# -- projects -------------------------------------------------------------------------------------------


class GraphSource(Incoming):
    """A graph: its edges, or a file or data set that has them. One of edges, path, dataset and content."""

    edges: list[Edge] | None = None
    """Pairs of nodes, or triples with a weight of at least 0; edges of weight 0 are dropped."""
    nodes: list[Named] = []
    """Further nodes, for those without an edge."""
    path: str | None = None
    """A file on the machine of the service; a packed one (zkg) is mapped, once for all projects on it."""
    dataset: str | None = None
    """A data set by name, as `zerokelvin datasets` lists them."""
    content: str | None = None
    """A file in base64, whose format ``format`` tells."""
    format: str | None = None
    """csv, tsv, txt, parquet, mtx, graphml, gml, npz or json; ``csv.gz`` and the like if compressed."""


class AttributeTable(Incoming):
    """Attributes of some nodes: columns by name or rows of numbers. One of columns and rows.

    Columns hold numbers, truth values or text, null where nothing is known. A column ``node`` says whose row
    it is; without it, and for rows, there is one row for each node, in their order.
    """

    columns: dict[str, list[str | int | float | bool | None]] | None = None
    rows: list[list[float | None]] | None = None


class AttributeSource(AttributeTable):
    """Attributes of the nodes, or a file that has them. One of columns, rows, path and content."""

    path: str | None = None
    """A file on the machine of the service."""
    content: str | None = None
    """A file in base64, whose format ``format`` tells."""
    format: str | None = None
    """csv, tsv, txt, parquet or npz."""


class CreateProject(Incoming):
    """The graph of a project to be made, its learner and terms."""

    name: ProjectName
    graph: GraphSource
    classes: Annotated[list[Named], Meta(min_length=1, max_length=10_000)]
    attributes: AttributeSource | None = None
    """What is known of the nodes beside their edges; `auto` predicts from it too."""
    learner: str = "auto"
    params: dict[str, Parameter] = {}
    policy: str | None = None
    target: Share | None = None
    budget: Count | None = None
    daily_budget: Count | None = None
    audit_share: AuditShare = 0.0
    """The share of the questions handed out by ``next`` that are random checks."""
    seed: Count = 0


class ProjectShown(Outgoing):
    """A project and what it was made with."""

    name: str
    classes: list[Named]
    learner: str
    params: dict[str, Parameter]
    policy: str
    budget: int | None
    daily_budget: int | None
    seed: int
    nodes: int
    edges: int
    graph: str
    """The sha256 of the graph that the project began with, attributes included."""
    created_at: str
    events: int
    archived: bool = False
    audit_share: float = 0.0
    attributes: int = 0
    """Columns of attributes that the nodes have."""


class ProjectList(Outgoing):
    """The projects that a key may see, by name."""

    projects: list[str]
    archived: list[str]


class ChosenProject(Incoming):
    """Nothing: all is said by the address."""


class Assumed(Outgoing):
    """An assumption of a theorem, and whether it holds here."""

    text: str
    holds: bool


class BoundShown(Outgoing):
    """The proven bound on the mistakes so far, against the answers known; ``value`` null if infinite."""

    value: float | None
    theorem: str
    assumptions: list[Assumed]
    holds: bool
    expected: bool


class GuaranteeShown(Outgoing):
    """What the random checks prove of the labels that go out unasked; valid however often one looks."""

    sentence: str
    error_at_most: float
    """The limit on the share of wrong ones among the labels that go out unasked."""
    wrong_at_most: int
    confidence: float
    checks: int
    unasked: int
    changed: int
    """Labels counted against the limit because they were predicted otherwise when the checks began."""


class ProjectState(Outgoing):
    """Where a project stands: counts of events and answers, its bound, budgets and the guarantee."""

    name: str
    learner: str
    classes: list[Named]
    nodes: int
    edges: int
    answers: int
    """Nodes with an answer or a label that was taught."""
    mistakes: int
    queries: int
    trials: int
    bound: BoundShown | None
    """Null while it is computed, which takes long for some learners."""
    remaining_error: float | None
    """The estimated share of nodes that go out wrong unasked; null where the learner has no target."""
    remaining_error_interval: list[float] | None
    """From 0 to what the random checks prove, as a share of all nodes; null before the first check."""
    budget: int | None
    budget_left: int | None
    daily_budget: int | None
    daily_budget_left: int | None
    leases: int
    events: int
    epoch: int
    guarantee: GuaranteeShown | None = None


# -- predicting -----------------------------------------------------------------------------------------


class Predict(Incoming):
    """The nodes whose predictions are asked for."""

    nodes: list[Named]


class Predicted(Outgoing):
    """The prediction for a node; ``decision`` is to be sent back with its label."""

    node: Named
    label: Named
    probabilities: dict[str, float]
    ask: bool
    reason: str
    decision: str


class Predictions(Outgoing):
    """Predictions that were made from ``events`` events."""

    predictions: list[Predicted]
    events: int


class Contributed(Outgoing):
    """An answer that took part in a prediction, and what it added to the margin."""

    node: Named
    label: Named | None
    share: float


class Explained(Outgoing):
    """Why a node is predicted as it is."""

    node: Named
    label: Named
    margin: float
    contributions: list[Contributed]
    reason: str
    path: list[Named]
    trusted: dict[str, float]
    events: int
    attributes: dict[str, float] = {}
    """What each attribute of the node adds for the class, by the regression on attributes."""


class RankedNode(Outgoing):
    """A node and the probability that it is of the class."""

    node: Named
    probability: float


class Ranked(Outgoing):
    """The nodes without an answer, those most probably of a class first."""

    label: Named
    nodes: list[RankedNode]
    events: int


# -- answering ------------------------------------------------------------------------------------------


class Answer(Incoming):
    """The label of a node, and the decision that was shown for it, if any; the node may then be left out."""

    label: Named
    node: Named | None = None
    decision: str | None = None
    source: Annotated[str, Meta(max_length=200)] | None = None
    """Where it comes from, for whoever reads the log."""


class Answers(Incoming):
    """Labels, in the order in which they are to be learnt; all are taken, or none."""

    labels: Annotated[list[Answer], Meta(min_length=1)]


class Taught(Incoming):
    """A label that is known already."""

    node: Named
    label: Named


class Teach(Incoming):
    """Labels that are known already: no questions, no trials."""

    labels: Annotated[list[Taught], Meta(min_length=1)]


class Righted(Incoming):
    """The right label of a node that has one; null takes the last one back."""

    node: Named
    label: Named | None


class Correct(Incoming):
    """The right label of a node that has one, or null; or several, of which all are taken, or none."""

    node: Named | None = None
    label: Named | msgspec.UnsetType | None = msgspec.UNSET
    labels: list[Righted] = []


class Skip(Incoming):
    """A node, or several, passed over without an answer."""

    node: Named | None = None
    nodes: list[Named] = []


class SetBudget(Incoming):
    """How many questions may be asked, in all and per day; null for any number, left out for no change.

    ``audit_share`` is the share of the questions handed out by ``next`` that are random checks.
    """

    budget: Count | msgspec.UnsetType | None = msgspec.UNSET
    daily_budget: Count | msgspec.UnsetType | None = msgspec.UNSET
    audit_share: AuditShare | msgspec.UnsetType = msgspec.UNSET


class Numbered(Outgoing):
    """How many events there are, this request's included; they are on the disk."""

    events: int


class AddNodes(Incoming):
    """Nodes to be added, with edges among them and the old ones."""

    nodes: Annotated[list[Named], Meta(min_length=1)]
    edges: list[Edge] = []
    attributes: AttributeTable | None = None
    """What is known of the new nodes, in their order, as the project's attributes were given."""


class AddEdges(Incoming):
    """Edges to be added; one that is there already adds to its weight."""

    edges: Annotated[list[Edge], Meta(min_length=1)]


class AddedNodes(Numbered):
    """How large the graph is now."""

    nodes: int
    edges: int


# -- asking ---------------------------------------------------------------------------------------------


class AfterAnswer(Outgoing):
    """The question that would follow an answer; null where nothing would be left to ask."""

    answer: Named
    node: Named | None


class Question(Predicted):
    """A node whose label is worth asking for, kept for one reviewer until ``lease_until``."""

    lease_until: str
    reviewer: str
    after: list[AfterAnswer] | msgspec.UnsetType = msgspec.UNSET
    check: bool = False
    """Whether it was drawn at random, for the guarantee."""


class Questions(Outgoing):
    """Questions, the most urgent first; ``leased`` counts those that others are looking at."""

    questions: list[Question]
    leased: int
    events: int


class LabelRow(Outgoing):
    """The label of a node: ``asked`` or taught, else predicted, and how probable it is."""

    node: Named
    label: Named
    probability: float
    source: Literal["asked", "taught", "predicted"]


class LabelRows(Outgoing):
    """Every node with its label, where that came from, and the guarantee for those unasked."""

    labels: list[LabelRow]
    events: int
    guarantee: GuaranteeShown | None = None


class Imported(Numbered):
    """A project made from the log of another."""

    name: str


# -- keys -----------------------------------------------------------------------------------------------


class MakeKey(Incoming):
    """The name, the role and the projects of an API key to be made."""

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$")]
    role: Role
    projects: list[ProjectName] = []
    """The projects it is good for; none for all."""


class LogIn(Incoming):
    """An API key, shown once for a cookie."""

    key: Annotated[str, Meta(min_length=1, max_length=500)]


class Visitor(Outgoing):
    """Who sends requests, by key or cookie, and what they may do; no projects are all projects."""

    name: str
    role: Role
    projects: list[str]
    csrf: str = ""
    """With a cookie: what requests that change something repeat in the header Zerokelvin-CSRF."""
    until: str | None = None
    """When the cookie ends."""
    keys: bool = True
    """Whether this service has keys; without them nobody needs to log in."""


class KeyMade(Outgoing):
    """A new key; its text is never shown again."""

    name: str
    role: Role
    projects: list[str]
    key: str


class KeyShown(Outgoing):
    """What is known of a key; its text is not."""

    name: str
    role: str
    projects: list[str]
    made_at: str
    revoked: bool


class Audited(Outgoing):
    """Something that was done: when, by which key, what, to which project."""

    at: str
    actor: str
    action: str
    project: str
    detail: str


class AuditShown(Outgoing):
    """What was done, newest first; `next` is what to send as ``before`` for what was done before that."""

    entries: list[Audited]
    next: str | None = None


class KeysShown(Outgoing):
    """All API keys, without their texts."""

    keys: list[KeyShown]

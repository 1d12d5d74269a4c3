"""What a client sends and takes, apart from how it is sent: the two clients share everything here.

Every write has an Idempotency-Key of its own, so that it can be sent again when the connection broke or the
service was busy, and is never done twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from zerokelvin.client import messages as m
from zerokelvin.client.attribute_bodies import attribute_source, attribute_table
from zerokelvin.errors import ParameterError, ZerokelvinError

__all__ = [
    "TRIES",
    "Labels",
    "ServiceError",
    "Verbs",
    "Wish",
    "answer_of",
    "create_wish",
    "pause_before",
    "wish_body",
    "wish_headers",
]

T = TypeVar("T")
TRIES = 6
"""How often a request is sent at most."""

Labels = Mapping[Any, Any] | Iterable[tuple[Any, Any]]


class ServiceError(ZerokelvinError, RuntimeError):
    """What the service refused: its sentence, the status, and the fields it names."""

    def __init__(self, status: int, detail: str, errors: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.errors = tuple(errors)


class Wish(NamedTuple, Generic[T]):
    """A request: what is sent where, and the type of the answer."""

    method: str
    path: str
    gives: type[T]
    body: Any = None
    query: Mapping[str, str | int | float] | None = None
    key: str | None = None


class Verbs:
    """The verbs of a project as requests."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._path = f"/v1/projects/{quote(name, safe='')}"

    def show(self) -> Wish[m.ProjectShown]:
        """The request for what the project was made with."""
        return Wish("GET", self._path, m.ProjectShown)

    def state(self, confidence: float | None = None) -> Wish[m.ProjectState]:
        """The request for where the project stands, with a guarantee of some confidence."""
        query = None if confidence is None else {"confidence": confidence}
        return Wish("GET", f"{self._path}/state", m.ProjectState, query=query)

    def predict(self, nodes: Iterable[Any]) -> Wish[m.Predictions]:
        """The request for the predictions of these nodes."""
        return Wish("POST", f"{self._path}/predict", m.Predictions, m.Predict(nodes=list(nodes)))

    def learn(self, node: Any, label: Any, shown: Any) -> Wish[m.Numbered]:
        """The request that tells an answer, with what was shown to whoever gave it."""
        decision = shown.decision if isinstance(shown, m.Predicted) else shown
        return self.answers([m.Answer(node=node, label=label, decision=decision)])

    def answers(self, answers: Sequence[m.Answer]) -> Wish[m.Numbered]:
        """The request that stores several answers, each with the decision that was shown."""
        return self._write("labels", m.Numbered, m.Answers(labels=list(answers)))

    def learn_many(self, labels: Labels) -> Wish[m.Numbered]:
        """The request that stores answers, (node, label), which do not say what had been shown."""
        return self.answers([m.Answer(node=node, label=label) for node, label in _pairs(labels)])

    def teach(self, labels: Labels) -> Wish[m.Numbered]:
        """The request that gives labels known already, (node, label)."""
        told = [m.Taught(node=node, label=label) for node, label in _pairs(labels)]
        return self._write("teach", m.Numbered, m.Teach(labels=told))

    def skip(self, node: Any) -> Wish[m.Numbered]:
        """The request that passes over a node."""
        return self._write("skip", m.Numbered, m.Skip(node=node))

    def correct(self, node: Any, label: Any) -> Wish[m.Numbered]:
        """The request that replaces a label, or takes it back."""
        return self._write("correct", m.Numbered, m.Correct(node=node, label=label))

    def correct_many(self, labels: Labels) -> Wish[m.Numbered]:
        """The request that replaces several labels, or takes them back."""
        right = [m.Righted(node=node, label=label) for node, label in _pairs(labels)]
        return self._write("correct", m.Numbered, m.Correct(labels=right))

    def add_nodes(
        self, nodes: Iterable[Any], edges: Iterable[Sequence[Any]], attributes: Any = None
    ) -> Wish[m.AddedNodes]:
        """The request that adds nodes, and edges at them: (node, node) or (node, node, weight)."""
        body: dict[str, Any] = {"nodes": list(map(_plain, nodes)), "edges": _edges(edges)}
        if attributes is not None:
            body["attributes"] = attribute_table(attributes)
        return self._write("nodes", m.AddedNodes, msgspec.convert(body, m.AddNodes))

    def add_edges(self, edges: Iterable[Sequence[Any]]) -> Wish[m.AddedNodes]:
        """The request that adds edges between known nodes: (node, node) or (node, node, weight)."""
        return self._write("edges", m.AddedNodes, m.AddEdges(edges=_edges(edges)))

    def set_budget(self, budgets: Mapping[str, Any]) -> Wish[m.Numbered]:
        """The request that sets budgets and the share of random checks."""
        return self._write("budget", m.Numbered, m.SetBudget(**budgets))

    def questions(
        self, limit: int, reviewer: str, after: bool | m.Named, check: bool, order: str
    ) -> Wish[m.Questions]:
        """Questions for a reviewer, or the random check that waits for its answer."""
        foreseen = int(after) if isinstance(after, bool) else after
        query: dict[str, str | int | float] = {"limit": limit, "after": foreseen, "check": int(check)}
        query |= {"reviewer": reviewer} if reviewer else {}
        query |= {"order": order} if order != "policy" else {}
        return Wish("GET", f"{self._path}/next", m.Questions, query=query)

    def rank(self, label: Any, limit: int, threshold: float) -> Wish[m.Ranked]:
        """The request for the nodes most suspected of a class."""
        query = {"label": label, "limit": limit, "threshold": threshold}
        return Wish("GET", f"{self._path}/rank", m.Ranked, query=query)

    def explain(self, node: Any) -> Wish[m.Explained]:
        """The request for why a node is predicted as it is."""
        return Wish("GET", f"{self._path}/explain", m.Explained, query={"node": node})

    def labels(self) -> Wish[m.LabelRows]:
        """The request for every node with its label."""
        return Wish("GET", f"{self._path}/labels", m.LabelRows)

    def archive(self) -> Wish[m.ProjectShown]:
        """The request that archives the project."""
        return self._write("archive", m.ProjectShown, m.ChosenProject())

    def restore(self) -> Wish[m.ProjectShown]:
        """The request that takes the project out of the archive."""
        return self._write("restore", m.ProjectShown, m.ChosenProject())

    def _write(self, verb: str, gives: type[T], body: Any) -> Wish[T]:
        return Wish("POST", f"{self._path}/{verb}", gives, body, None, secrets.token_urlsafe(18))


def create_wish(
    name: str, graph: Any, classes: Sequence[Hashable], options: Mapping[str, Any]
) -> Wish[m.ProjectShown]:
    """A project to be made; `graph` is a `Graph`, a list of edges, or what `GraphSource` takes."""
    known = {"learner", "policy", "target", "budget", "daily_budget", "audit_share", "seed"}
    given = {key: _plain(value) for key, value in options.items() if key in known and value is not None}
    params = {key: _plain(value) for key, value in options.items() if key not in {*known, "attributes"}}
    if options.get("attributes") is not None:
        given["attributes"] = attribute_source(options["attributes"])
    body = {
        "name": name,
        "graph": _source(graph),
        "classes": list(map(_plain, classes)),
        "params": params,
        **given,
    }
    wanted = msgspec.convert(body, m.CreateProject)
    return Wish("POST", "/v1/projects", m.ProjectShown, wanted, None, secrets.token_urlsafe(18))


def wish_body(wish: Wish[Any]) -> bytes | None:
    """The body of a request as JSON; numbers of NumPy, which nodes often are, are written as numbers."""
    return None if wish.body is None else msgspec.json.encode(wish.body, enc_hook=_item)


def wish_headers(wish: Wish[Any], key: str | None) -> dict[str, str]:
    """The HTTP headers of a request: content type, its idempotency key, and the API key given."""
    headers = {} if wish.body is None else {"content-type": "application/json"}
    if wish.key is not None:
        headers["idempotency-key"] = wish.key
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    return headers


def answer_of(wish: Wish[T], status: int, body: bytes) -> T:
    """The answer in what came back; an error where it is a problem."""
    if 200 <= status < 300:
        return msgspec.json.decode(body, type=wish.gives)
    try:
        said = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        said = {}
    raise ServiceError(
        status, str(said.get("detail", f"the service answered {status}.")), said.get("errors", ())
    )


def pause_before(status: int, after: str | None, attempt: int) -> float | None:
    """Seconds to wait before a request is sent again; None where it is not.

    A conflict says when to come back if it is with the same request, which is under way.
    """
    again = status in (429, 503) or (status == 409 and after is not None)
    if not again or attempt + 1 >= TRIES:
        return None
    return min(float(after) if after is not None and after.isdigit() else 0.2 * 2**attempt, 5.0)


def _pairs(labels: Labels) -> Iterable[tuple[Any, Any]]:
    return labels.items() if isinstance(labels, Mapping) else labels


def _source(graph: Any) -> Any:
    if isinstance(graph, Mapping):
        return dict(graph)
    if hasattr(graph, "edge_weights") and hasattr(graph, "num_nodes"):
        if getattr(graph, "attributes", None) is not None:
            raise ParameterError(
                "the graph has attributes, of which only numbers made of them are left; give the table "
                "itself with attributes=, and the graph without (graph.with_attributes(None))."
            )
        names = [graph.name(i) for i in range(graph.num_nodes)]
        pairs = zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True)
        return {"edges": [[names[u], names[v], weight] for (u, v), weight in pairs], "nodes": names}
    return {"edges": _edges(graph)}


def _edges(edges: Iterable[Iterable[Any]]) -> list[list[Any]]:
    return [list(map(_plain, edge)) for edge in edges]


def _item(value: Any) -> Any:
    if not hasattr(value, "item"):
        raise ParameterError(f"{value!r:.80} is of type {type(value).__name__}; give a text or a number.")
    return value.item()


def _plain(value: Any) -> Any:
    """A number or text of NumPy as one of Python; anything else as it is."""
    return value.item() if hasattr(value, "item") else value

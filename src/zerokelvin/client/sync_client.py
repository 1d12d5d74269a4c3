"""The synchronous client: see `zerokelvin.client.requests` for what it sends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from zerokelvin.client import messages as m
from zerokelvin.client.requests import (
    TRIES,
    Labels,
    ServiceError,
    Verbs,
    Wish,
    answer_of,
    create_wish,
    pause_before,
    wish_body,
    wish_headers,
)

__all__ = ["Client", "RemoteProject"]

T = TypeVar("T")


class Client:
    """A service.

    Parameters
    ----------
    url
        Where it listens.
    key
        An API key, if the service has keys.
    timeout
        Seconds to wait for an answer. A request that found no answer, or the service busy, is sent again.

    Examples
    --------
    With a service at work (``zerokelvin serve --data DIR``)::

        client = zk.Client("http://127.0.0.1:8321")
        fraud = client.create("fraud", [("ann", "bob"), ("bob", "cem")], classes=["fraud", "ok"])
        shown = fraud.predict("ann")
        fraud.learn("ann", "fraud", shown=shown)
        print(fraud.state().mistakes)
    """

    def __init__(self, url: str, key: str | None = None, timeout: float = 60.0) -> None:
        self._key = key
        self._http = httpx.Client(base_url=url.rstrip("/"), timeout=timeout, trust_env=False)

    def create(self, name: str, graph: Any, classes: Sequence[Any], **options: Any) -> RemoteProject:
        """Make a project.

        `graph` is a `Graph`, a list of edges, or ``{"path": …}``, ``{"dataset": …}``. Options are
        ``learner``, ``policy``, ``target``, ``budget``, ``daily_budget``, ``audit_share``, ``seed``,
        ``attributes`` (an array, a sparse matrix, a frame or columns by name) and parameters.
        """
        self._send(create_wish(name, graph, classes, options))
        return self.project(name)

    def project(self, name: str) -> RemoteProject:
        """A project of the service; nothing is sent."""
        return RemoteProject(self, name)

    def projects(self) -> list[str]:
        """The names of the projects that the key may see."""
        return (self._send(Wish("GET", "/v1/projects", m.ProjectList))).projects

    def close(self) -> None:
        """Close all connections to the service."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, wish: Wish[T]) -> T:
        """Send a request, again where that may help: reads and writes with their key are safe to repeat."""
        body = wish_body(wish)
        headers = wish_headers(wish, self._key)
        for attempt in range(TRIES):
            try:
                found = self._http.request(
                    wish.method, wish.path, content=body, params=wish.query, headers=headers
                )
            except httpx.TransportError as problem:
                if attempt + 1 == TRIES:
                    raise ServiceError(0, f"the service does not answer: {problem}; is it running?") from None
                time.sleep(0.1 * 2**attempt)
                continue
            pause = pause_before(found.status_code, found.headers.get("retry-after"), attempt)
            if pause is None:
                return answer_of(wish, found.status_code, found.content)
            time.sleep(pause)
        raise ServiceError(503, "the service stayed busy; try again later.")


class RemoteProject:
    """A project of a service, with the verbs of a session."""

    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client, self._verbs = client, Verbs(name)

    def predict(self, node: Any) -> m.Predicted:
        """The prediction for a node; give it back to `learn` with the label."""
        return (self.predict_many([node]))[0]

    def predict_many(self, nodes: Iterable[Any]) -> list[m.Predicted]:
        """The predictions for several nodes, all made from the same answers."""
        return (self._client._send(self._verbs.predict(nodes))).predictions

    def learn(self, node: Any, label: Any, shown: m.Predicted | str | None = None) -> int:
        """Take an answer, scored against the prediction that was shown; how many events there are now."""
        return (self._client._send(self._verbs.learn(node, label, shown))).events

    def learn_many(self, labels: Labels) -> int:
        """Take several answers, a mapping or pairs; all or none."""
        return (self._client._send(self._verbs.learn_many(labels))).events

    def teach(self, labels: Labels) -> int:
        """Learn labels that are known already."""
        return (self._client._send(self._verbs.teach(labels))).events

    def skip(self, node: Any) -> int:
        """Pass over a node without an answer; counts as a trial."""
        return (self._client._send(self._verbs.skip(node))).events

    def correct(self, node: Any, label: Any) -> int:
        """Replace the last label of a node, or take it back with None."""
        return (self._client._send(self._verbs.correct(node, label))).events

    def correct_many(self, labels: Labels) -> int:
        """Replace the last labels of several nodes, or take them back with None; all or none."""
        return (self._client._send(self._verbs.correct_many(labels))).events

    def add_nodes(
        self, nodes: Iterable[Any], edges: Iterable[Sequence[Any]] = (), attributes: Any = None
    ) -> m.AddedNodes:
        """Let the graph grow by nodes with what is known of them, and by edges among old and new ones."""
        return self._client._send(self._verbs.add_nodes(nodes, edges, attributes))

    def add_edges(self, edges: Iterable[Sequence[Any]]) -> m.AddedNodes:
        """Let the graph grow by edges."""
        return self._client._send(self._verbs.add_edges(edges))

    def set_budget(self, **budgets: float | None) -> int:
        """Set ``budget`` or ``daily_budget`` (None for any number of questions), or ``audit_share``."""
        return (self._client._send(self._verbs.set_budget(budgets))).events

    def next(
        self,
        limit: int = 1,
        reviewer: str = "",
        after: bool | m.Named = False,
        check: bool = False,
        order: str = "policy",
    ) -> list[m.Question]:
        """Questions worth asking, kept for a reviewer for a while; with `check` the one drawn at random.

        With `after` each says which would follow: after every likely answer, or after the one that is named.
        ``order="suspicion"`` and ``"suspicion:CLASS"`` are those of `Session.open_questions`.
        """
        return (self._client._send(self._verbs.questions(limit, reviewer, after, check, order))).questions

    def rank(self, label: Any, limit: int = 100, threshold: float = 0.0) -> list[m.RankedNode]:
        """The nodes without an answer, those most probably of a class first."""
        return (self._client._send(self._verbs.rank(label, limit, threshold))).nodes

    def explain(self, node: Any) -> m.Explained:
        """The answers that decided the prediction for a node."""
        return self._client._send(self._verbs.explain(node))

    def labels(self) -> list[m.LabelRow]:
        """Every node with its label: asked, taught or predicted."""
        return (self._client._send(self._verbs.labels())).labels

    def random_check(self, reviewer: str = "") -> m.Question | None:
        """The node drawn at random that waits for its answer, drawn if none does; None where none is left."""
        found = self.next(reviewer=reviewer, check=True)
        return found[0] if found else None

    def guarantee(self, confidence: float = 0.95) -> m.GuaranteeShown | None:
        """What the random checks prove of the labels that go out unasked; None while that is computed."""
        return (self._client._send(self._verbs.state(confidence))).guarantee

    def state(self) -> m.ProjectState:
        """Mistakes, queries, trials, bound, estimated error, budgets."""
        return self._client._send(self._verbs.state())

    def show(self) -> m.ProjectShown:
        """What the project was made with."""
        return self._client._send(self._verbs.show())

    def archive(self) -> m.ProjectShown:
        """Put the project away; it keeps everything and takes nothing."""
        return self._client._send(self._verbs.archive())

    def restore(self) -> m.ProjectShown:
        """Take the project out again."""
        return self._client._send(self._verbs.restore())

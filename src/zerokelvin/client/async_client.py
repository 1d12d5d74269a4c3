"""The asynchronous client: see `zerokelvin.client.requests` for what it sends."""

from __future__ import annotations

import asyncio
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

__all__ = ["AsyncClient", "AsyncRemoteProject"]

T = TypeVar("T")


class AsyncClient:
    """A service, for programs that wait for nothing.

    Parameters
    ----------
    url
        Where it listens.
    key
        An API key, if the service has keys.
    timeout
        Seconds to wait for an answer. A request that found no answer, or the service busy, is sent again.
    """

    def __init__(self, url: str, key: str | None = None, timeout: float = 60.0) -> None:
        self._key = key
        self._http = httpx.AsyncClient(base_url=url.rstrip("/"), timeout=timeout, trust_env=False)

    async def create(
        self, name: str, graph: Any, classes: Sequence[Any], **options: Any
    ) -> AsyncRemoteProject:
        """Make a project.

        `graph` is a `Graph`, a list of edges, or ``{"path": …}``, ``{"dataset": …}``. Options are
        ``learner``, ``policy``, ``target``, ``budget``, ``daily_budget``, ``audit_share``, ``seed``,
        ``attributes`` (an array, a sparse matrix, a frame or columns by name) and parameters.
        """
        await self._send(create_wish(name, graph, classes, options))
        return self.project(name)

    def project(self, name: str) -> AsyncRemoteProject:
        """A project of the service; nothing is sent."""
        return AsyncRemoteProject(self, name)

    async def projects(self) -> list[str]:
        """The names of the projects that the key may see."""
        return (await self._send(Wish("GET", "/v1/projects", m.ProjectList))).projects

    async def aclose(self) -> None:
        """Close all connections to the service."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(self, wish: Wish[T]) -> T:
        """Send a request, again where that may help: reads and writes with their key are safe to repeat."""
        body = wish_body(wish)
        headers = wish_headers(wish, self._key)
        for attempt in range(TRIES):
            try:
                found = await self._http.request(
                    wish.method, wish.path, content=body, params=wish.query, headers=headers
                )
            except httpx.TransportError as problem:
                if attempt + 1 == TRIES:
                    raise ServiceError(0, f"the service does not answer: {problem}; is it running?") from None
                await asyncio.sleep(0.1 * 2**attempt)
                continue
            pause = pause_before(found.status_code, found.headers.get("retry-after"), attempt)
            if pause is None:
                return answer_of(wish, found.status_code, found.content)
            await asyncio.sleep(pause)
        raise ServiceError(503, "the service stayed busy; try again later.")


class AsyncRemoteProject:
    """A project of a service, with the verbs of a session."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.name = name
        self._client, self._verbs = client, Verbs(name)

    async def predict(self, node: Any) -> m.Predicted:
        """The prediction for a node; give it back to `learn` with the label."""
        return (await self.predict_many([node]))[0]

    async def predict_many(self, nodes: Iterable[Any]) -> list[m.Predicted]:
        """The predictions for several nodes, all made from the same answers."""
        return (await self._client._send(self._verbs.predict(nodes))).predictions

    async def learn(self, node: Any, label: Any, shown: m.Predicted | str | None = None) -> int:
        """Take an answer, scored against the prediction that was shown; how many events there are now."""
        return (await self._client._send(self._verbs.learn(node, label, shown))).events

    async def learn_many(self, labels: Labels) -> int:
        """Take several answers, a mapping or pairs; all or none."""
        return (await self._client._send(self._verbs.learn_many(labels))).events

    async def teach(self, labels: Labels) -> int:
        """Learn labels that are known already."""
        return (await self._client._send(self._verbs.teach(labels))).events

    async def skip(self, node: Any) -> int:
        """Pass over a node without an answer; counts as a trial."""
        return (await self._client._send(self._verbs.skip(node))).events

    async def correct(self, node: Any, label: Any) -> int:
        """Replace the last label of a node, or take it back with None."""
        return (await self._client._send(self._verbs.correct(node, label))).events

    async def correct_many(self, labels: Labels) -> int:
        """Replace the last labels of several nodes, or take them back with None; all or none."""
        return (await self._client._send(self._verbs.correct_many(labels))).events

    async def add_nodes(
        self, nodes: Iterable[Any], edges: Iterable[Sequence[Any]] = (), attributes: Any = None
    ) -> m.AddedNodes:
        """Let the graph grow by nodes with what is known of them, and by edges among old and new ones."""
        return await self._client._send(self._verbs.add_nodes(nodes, edges, attributes))

    async def add_edges(self, edges: Iterable[Sequence[Any]]) -> m.AddedNodes:
        """Let the graph grow by edges."""
        return await self._client._send(self._verbs.add_edges(edges))

    async def set_budget(self, **budgets: float | None) -> int:
        """Set ``budget`` or ``daily_budget`` (None for any number of questions), or ``audit_share``."""
        return (await self._client._send(self._verbs.set_budget(budgets))).events

    async def next(
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
        return (
            await self._client._send(self._verbs.questions(limit, reviewer, after, check, order))
        ).questions

    async def rank(self, label: Any, limit: int = 100, threshold: float = 0.0) -> list[m.RankedNode]:
        """The nodes without an answer, those most probably of a class first."""
        return (await self._client._send(self._verbs.rank(label, limit, threshold))).nodes

    async def explain(self, node: Any) -> m.Explained:
        """The answers that decided the prediction for a node."""
        return await self._client._send(self._verbs.explain(node))

    async def labels(self) -> list[m.LabelRow]:
        """Every node with its label: asked, taught or predicted."""
        return (await self._client._send(self._verbs.labels())).labels

    async def random_check(self, reviewer: str = "") -> m.Question | None:
        """The node drawn at random that waits for its answer, drawn if none does; None where none is left."""
        found = await self.next(reviewer=reviewer, check=True)
        return found[0] if found else None

    async def guarantee(self, confidence: float = 0.95) -> m.GuaranteeShown | None:
        """What the random checks prove of the labels that go out unasked; None while that is computed."""
        return (await self._client._send(self._verbs.state(confidence))).guarantee

    async def state(self) -> m.ProjectState:
        """Mistakes, queries, trials, bound, estimated error, budgets."""
        return await self._client._send(self._verbs.state())

    async def show(self) -> m.ProjectShown:
        """What the project was made with."""
        return await self._client._send(self._verbs.show())

    async def archive(self) -> m.ProjectShown:
        """Put the project away; it keeps everything and takes nothing."""
        return await self._client._send(self._verbs.archive())

    async def restore(self) -> m.ProjectShown:
        """Take the project out again."""
        return await self._client._send(self._verbs.restore())

"""The desk of a project: its items, and what a person sees of them where the session stands."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.client.messages import GuaranteeShown, Named
from zerokelvin.client.page_messages import Item, Neighbour, Reason
from zerokelvin.errors import DataError
from zerokelvin.games.labels import decide
from zerokelvin.labelling.items import ItemFile, ItemKind
from zerokelvin.labelling.reading_direction import direction
from zerokelvin.labelling.telling_terms import TellingTerms
from zerokelvin.service.page.nearest_answers import nearest_answers
from zerokelvin.service.page.page_project import items_file
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.page_acts import ActsWish
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.service.records.refusals import BusyError
from zerokelvin.session import Session
from zerokelvin.session.standing import Standing

__all__ = ["Desk", "book_of", "desk_of"]

NEIGHBOURS = 8
"""Neighbours that are shown of a node."""

REASONS = 3


class Desk:
    """What the page of a project needs beside its session; made once while the project is awake."""

    def __init__(self, project: Project) -> None:
        self.project = project
        path = items_file(project.settings.data, project.name)
        self.items: ItemFile | None = None
        if path.is_file():
            self.items = ItemFile(path)
            if len(self.items) > project.known.graph.num_nodes:
                raise DataError(f"'{path}' has more items than the project has nodes; restore the project.")
        self.terms = TellingTerms(self.items)
        self.proved: tuple[int, GuaranteeShown] | None = None
        """What the checks proved after so many events, when last looked."""
        self.proving: asyncio.Future[None] | None = None
        self.layout: Any = None
        self.copying = 0.0
        """Seconds that supposing an answer took, the last time."""

    @property
    def kind(self) -> ItemKind:
        """The kind of the items, ``node`` where there is nothing but the graph."""
        return "node" if self.items is None else self.items.kind

    def title(self, node: int) -> str:
        """What an item is called in lists."""
        if self.items is not None and node < len(self.items):
            return self.items.title(node)
        return str(self.name(node))

    def name(self, node: int) -> Named:
        """The name of the node with this index."""
        return self.project.known.name(node)

    def image(self, node: int) -> str | None:
        """Where the image of an item is, if it has one."""
        if self.items is None or node >= len(self.items) or not self.items.has_image(node):
            return None
        name = quote(str(self.name(node)), safe="")
        return f"/v1/projects/{self.project.name}/image?node={name}"

    def duplicates(self, node: int) -> list[int]:
        """The other items of its group of near-duplicates."""
        if self.items is None or node >= len(self.items):
            return []
        return self.items.duplicates(node)

    def item(self, node: int, session: Session) -> Item:
        """An item as a person sees it."""
        there = self.items if self.items is not None and node < len(self.items) else None
        text = None if there is None else there.text(node)
        around, edges = self._neighbours(node, session) if self.kind == "node" else ([], [])
        return Item(
            node=self.name(node),
            title=self.title(node),
            text=text,
            terms=self.terms.of(node),
            fields=[] if there is None else there.fields(node),
            image=self.image(node),
            neighbours=around,
            edges=edges,
            duplicates=[self.name(other) for other in self.duplicates(node)],
            direction=direction(text if text is not None else self.title(node)),
            index=node,
        )

    def reasons(self, node: int, label: Named | None, standing: Standing) -> list[Reason]:
        """The labelled items that speak for a guess most, else those that are nearest."""
        told = last_labels(standing)
        near = nearest_answers(standing.graph, node, told)
        near.sort(key=lambda one: (told[one.node] != label, -one.share))
        return [
            Reason(
                node=self.name(one.node),
                title=self.title(one.node),
                label=told[one.node],
                share=one.share,
                image=self.image(one.node),
            )
            for one in near[:REASONS]
        ]

    def _neighbours(self, node: int, session: Session) -> tuple[list[Neighbour], list[tuple[int, int]]]:
        """The neighbours of a node with most weight, and the edges among them."""
        standing = session.standing
        graph = standing.graph
        arcs = slice(int(graph.indptr[node]), int(graph.indptr[node + 1]))
        others, weights = graph.indices[arcs], graph.weights[arcs]
        order = np.argsort(-weights, kind="stable")[:NEIGHBOURS]
        chosen = others[order].tolist()
        told = last_labels(standing)
        guesses = _guessed(standing, np.array(chosen, dtype=np.int64)) if chosen and standing.classes else []
        shown = [
            Neighbour(
                node=self.name(other),
                title=self.title(other),
                label=told.get(other),
                predicted=guesses[i] if guesses else None,
                weight=float(weights[order[i]]),
                image=self.image(other),
            )
            for i, other in enumerate(chosen)
        ]
        places = {other: i for i, other in enumerate(chosen)}
        edges = []
        for i, other in enumerate(chosen):
            row = graph.indices[graph.indptr[other] : graph.indptr[other + 1]].tolist()
            edges += [(i, places[third]) for third in row if places.get(third, -1) > i]
        return shown, edges


def last_labels(standing: Standing) -> dict[int, Any]:
    """The label that each node was told last."""
    return {event.node: event.label for event in standing.events if event.label is not None}


def _guessed(standing: Standing, nodes: Ints) -> list[Any]:
    codes = decide(standing.game.scores(nodes), len(standing.classes)).tolist()
    return [standing.classes[code] for code in codes]


def desk_of(project: Project) -> Desk:
    """The desk of a project that is awake."""
    if project.desk is None:
        project.desk = Desk(project)
    found: Desk = project.desk
    return found


async def book_of(project: Project) -> PageBook:
    """What people did on the page, folded from the log where that was not done yet."""
    if project.known.page is None:
        await project.write(ActsWish("", []), "")
    if project.known.page is None:
        raise BusyError("the project is being opened again; ask again in a second.")
    return project.known.page

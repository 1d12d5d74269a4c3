"""All items at once: what is predicted for each, how sure that is, and who said what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.client.messages import Named
from zerokelvin.service.page.desk import Desk, last_labels
from zerokelvin.service.page.turns import iso
from zerokelvin.service.records.page_book import Given, PageBook
from zerokelvin.service.records.project_names import all_named
from zerokelvin.session import Session
from zerokelvin.session.predicting import shares_of
from zerokelvin.session.prediction import TEACH

__all__ = ["GivenBy", "Overview", "overview_of", "said_of"]


class Overview(NamedTuple):
    """By node: class predicted, its probability, class told (-1 where none), whether it was taught."""

    predicted: Ints
    probability: Floats
    told: Ints
    taught: Bools
    classes: tuple[Named, ...]

    def label(self, node: int) -> Named | None:
        """The label of a node: told, or else predicted."""
        code = int(self.told[node]) if self.told[node] >= 0 else int(self.predicted[node])
        return self.classes[code] if code >= 0 else None


class GivenBy(NamedTuple):
    """Who gave the label of an item, when, and how."""

    by: str
    at: float

    @property
    def when(self) -> str:
        """The time of the answer as text."""
        return iso(self.at)


def overview_of(session: Session, desk: Desk) -> Overview:
    """The overview where the session stands; for work that `Project.read` does."""
    memory = desk.project.memory
    found: Overview | None = memory.get("overview")
    if found is None:
        found = memory["overview"] = _made(session)
    return found


def _made(session: Session) -> Overview:
    standing = session.standing
    count = standing.graph.num_nodes
    told, taught = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.bool_)
    for node, label in last_labels(standing).items():
        told[node] = standing.codes[label]
    for event in standing.events:
        taught[event.node] = event.kind == TEACH
    if not standing.classes:
        return Overview(np.full(count, -1), np.zeros(count), told, taught, ())
    shares = shares_of(standing, np.arange(count))
    codes = shares.argmax(axis=1)
    label = np.where(told >= 0, told, codes)
    sure = shares[np.arange(count), label]
    return Overview(codes, sure, told, taught, tuple(all_named(standing.classes)))


def said_of(book: PageBook, node: int) -> GivenBy | None:
    """Who gave the label of a node: of those who say what is agreed, the first."""
    with book.lock:
        given = book.answers.get(node)
        if not given:
            return None
        agreed = book.agreed(node)
        own: list[tuple[str, Given]] = [(by, one) for by, one in given.items() if one.label == agreed]
    by, one = min(own, key=lambda pair: pair[1].at)
    return GivenBy(by or one.act, one.at)

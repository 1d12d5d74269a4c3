"""A data set to label: somebody answers questions, and the learner labels the rest.

The nodes are all there at once. Asking *by value* puts the first of ``open_questions`` (policy ``value``)
before the person each time; asking *at random* takes nodes as a shuffle gives them. After some of the
answers all nodes get a label, the answer where there is one and else the prediction, and the share of
right ones is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.session import Session, start

__all__ = ["LabellingJob", "label_at_random", "label_by_value"]

POLICY = "value"


@dataclass(frozen=True, eq=False)
class LabellingJob:
    """The nodes answered, in order, and how many of all nodes had the right label after how many answers.

    `answers` ascends and ends with all of them; `right` has an entry for each of its entries.
    """

    nodes: NDArray[np.int64]
    answers: tuple[int, ...]
    right: tuple[int, ...]
    total: int

    def right_after(self, answers: int) -> int:
        """Of all nodes, those with the right label after so many answers, one of `self.answers`."""
        if answers not in self.answers:
            raise ParameterError(f"nothing was measured after {answers} answers; choose from {self.answers}.")
        return self.right[self.answers.index(answers)]

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return {
            "nodes": self.nodes.tolist(),
            "answers": list(self.answers),
            "right": list(self.right),
            "share_right": [count / self.total for count in self.right],
        }


def label_by_value(
    graph: Graph,
    labels: NDArray[np.int64],
    answers: int,
    every: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> LabellingJob:
    """Answer the first open question each time, as long as there is one and `answers` are not reached.

    Parameters
    ----------
    graph, labels
        The nodes, and the true label of each, which is what the person would answer.
    answers, every
        How many questions to answer, and after how many each time to count the nodes with a right label.
    seed
        Decides every coin of the learner.
    progress
        Called with (answers given, answers in all); the latter falls to the former where no question is left.

    Examples
    --------
    >>> from zerokelvin import generators
    >>> barbell = generators.barbell(6)
    >>> label_by_value(barbell.graph, barbell.labels, answers=2, every=1).right
    (6, 12)
    """
    session = _begin(graph, labels, POLICY, seed)
    nodes: list[int] = []
    counted: dict[int, int] = {}
    while len(nodes) < answers:
        first = session.open_questions(1)
        if not first:
            if progress is not None:
                progress(len(nodes), len(nodes))
            break
        node = graph.index(first[0])
        session.learn(first[0], labels[node].item())
        nodes.append(node)
        if len(nodes) % every == 0:
            counted[len(nodes)] = _count_right(session, labels, nodes)
        if progress is not None:
            progress(len(nodes), answers)
    counted[len(nodes)] = _count_right(session, labels, nodes)
    return LabellingJob(np.array(nodes, dtype=np.int64), tuple(counted), tuple(counted.values()), len(labels))


def label_at_random(
    graph: Graph, labels: NDArray[np.int64], nodes: NDArray[np.int64], counts: Iterable[int], seed: int = 0
) -> LabellingJob:
    """Answer for `nodes` in this order, and count the right labels after each number of answers in `counts`.

    Counts above the number of `nodes` are left out; after all of them the right labels are always counted.
    """
    session = _begin(graph, labels, "always", seed)
    counted: dict[int, int] = {}
    given = 0
    for count in sorted({*(count for count in counts if count < len(nodes)), len(nodes)}):
        session.learn_many([(graph.name(node), labels[node].item()) for node in nodes[given:count].tolist()])
        counted[count] = _count_right(session, labels, nodes[:count].tolist())
        given = count
    return LabellingJob(nodes, tuple(counted), tuple(counted.values()), len(labels))


def _begin(graph: Graph, labels: NDArray[np.int64], policy: str, seed: int) -> Session:
    return start(graph, "auto", classes=np.unique(labels).tolist(), policy=policy, seed=seed)


def _count_right(session: Session, labels: NDArray[np.int64], answered: list[int]) -> int:
    """How many nodes have the right label: those answered, and those predicted right."""
    right = session.predict_all() == labels
    right[answered] = True
    return int(right.sum())

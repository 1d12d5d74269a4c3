"""Sessions recorded once, and replayed with other random checks as often as one likes.

A *recording* is a labelling job without checks: the nodes answered, in order, and the predictions for all
nodes after each answer. A *replay* walks along it; between its answers it draws checks as a session does
(`zerokelvin.guarantee`), and from time to time compares the limit with the number of labels that are really
wrong among those without an answer. The recorded learner does not learn from the checks; the limit assumes
nothing of how predictions come about, so that this is one more learner it has to hold for.

Beside it a limit is computed that looks right and is not: the upper end of the binomial interval of Clopper
and Pearson (1934) on the checks so far, which holds at one time fixed beforehand, not whenever one looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.graph.graph import Graph
from zerokelvin.guarantee import Audit, ToldLabel, guarantee
from zerokelvin.session import start

__all__ = ["Recording", "ReplayedSession", "record", "replay"]

SHARES = (0.3, 0.6, 1.0)
"""Of the answers, those that are checks once they have begun; a session draws one of these."""

BEGINS = (0, 10, 30)
"""Answers before the first check; drawn likewise."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A labelling job: `truth` of all nodes, the nodes `asked`, `predicted` (answers + 1, n) after each."""

    truth: Ints = field(repr=False)
    asked: Ints = field(repr=False)
    predicted: NDArray[np.int16] = field(repr=False)


@dataclass(frozen=True)
class ReplayedSession:
    """What a session found.

    `covered` is whether the limit was never below the truth, `naive_covered` the same of the binomial limit,
    `limit` and `error` the last limit and the last true share of wrong ones, `reached` after how many answers
    the limit was first within the target (None: never).
    """

    covered: bool
    naive_covered: bool
    limit: float
    error: float
    reached: int | None


def record(graph: Graph, truth: Ints, learner: str, answers: int, seed: int) -> Recording:
    """Let a learner label all nodes of a graph, of which a person answers some in random order."""
    classes = np.unique(truth).tolist()
    session = start(graph, learner, classes=classes, seed=seed)
    asked = np.random.default_rng(seed).permutation(len(truth))[:answers]
    place = {label: code for code, label in enumerate(classes)}

    def codes() -> Any:
        return [place[label] for label in session.predict_all().tolist()]

    rows = [codes()]
    for node in asked.tolist():
        session.learn(graph.name(node), int(truth[node]))
        rows.append(codes())
    return Recording(np.searchsorted(classes, truth), asked, np.array(rows, dtype=np.int16))


def replay(
    recording: Recording,
    seed: int,
    answers: int = 200,
    every: int = 5,
    confidence: float = 0.95,
    target: float = 0.05,
) -> ReplayedSession:
    """Go through a recorded job with checks of its own, and look at the limit every few answers."""
    rng = np.random.default_rng(seed)
    share, begin = rng.choice(SHARES), int(rng.choice(BEGINS))
    truth, size = recording.truth, len(recording.truth)
    audit, told, answered = Audit(), list[ToldLabel](), np.zeros(size, dtype=np.bool_)
    along, checks, found_wrong = 0, 0, 0
    covered = naive_covered = True
    reached, limit, error = None, 1.0, 1.0
    for step in range(1, min(answers, size - 1) + 1):
        predicted = recording.predicted[along]
        if along == len(recording.asked) or (step > begin and rng.random() < share):
            audit, node = _draw(audit, told, predicted, seed)
            checks += 1
            found_wrong += int(predicted[node] != truth[node])
        else:
            node = int(recording.asked[along])
            along += 1
        if not answered[node]:
            answered[node] = True
            told.append(ToldLabel(node, int(truth[node])))
        if step % every == 0:
            now = recording.predicted[along]
            wrong = int((now != truth)[~answered].sum())
            found = guarantee(audit, told, now.tolist(), confidence)
            limit, error = found.error_at_most, wrong / max(1, size - int(answered.sum()))
            covered &= wrong <= found.wrong_at_most
            naive_covered &= error <= binomial_limit(found_wrong, checks, confidence)
            if reached is None and limit <= target:
                reached = step
    return ReplayedSession(covered, naive_covered, limit, error, reached)


def _draw(audit: Audit, told: list[ToldLabel], predicted: Any, seed: int) -> tuple[Audit, int]:
    """A check as `Session.random_check` draws it: predictions are held when it is time for that."""
    if audit.may_be_due():
        labels = predicted.tolist()
        audit = audit.holding(told, labels) if audit.due(told, labels) else audit
    audit = audit.drawing(told, len(predicted), seed)
    return audit, audit.draws[-1].node


def binomial_limit(wrong: int, checks: int, confidence: float) -> float:
    """The share of wrong ones that so few wrong checks leave possible at one fixed time.

    >>> round(binomial_limit(0, 59, 0.95), 3)
    0.05
    """
    from scipy.special import betaincinv

    if wrong >= checks:
        return 1.0
    return float(betaincinv(wrong + 1, checks - wrong, confidence))

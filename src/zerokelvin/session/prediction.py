"""What goes in and out of a session: events, outcomes, predictions with their reason, explanations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["LEARN", "SKIP", "TEACH", "Contribution", "Event", "Explanation", "Outcome", "Prediction"]

LEARN, SKIP, TEACH = 0, 1, 2


class Event(NamedTuple):
    """An answer (kind LEARN), a label already owned (TEACH) or a skip (SKIP, label None) for a node index."""

    kind: int
    node: int
    label: Hashable


class Outcome(NamedTuple):
    """What an answer found.

    The class `predicted` for it, whether it was `asked` for, whether the class prior `overruled` the margin,
    and the classes `left_out`, whose binary problems did not ask for it and so did not learn it. `shown` says
    that the prediction is the one that had been shown to whoever answered, `late` that other answers had come
    in between.
    """

    predicted: Hashable = None
    asked: bool = False
    overruled: bool = False
    left_out: tuple[Hashable, ...] = ()
    shown: bool = False
    late: bool = False


@dataclass(frozen=True)
class Prediction:
    """The label predicted for a node, how sure that is, and whether its label is wanted.

    Attributes
    ----------
    label
        The predicted class; None only while no class is known at all.
    margin
        With two classes the signed margin (from 0 on it means ``classes[1]``); with more, the margin
        of the predicted class.
    scores
        The margin of every class.
    confidence
        |margin| for two classes, half the gap between the two largest margins for more.
    ask
        Whether the label is worth asking for.
    reason
        One sentence saying why.
    made_at
        How many events the session had when it was made, for answers that come late (`Session.learn`).
    left_out
        The classes whose binary problem does not want the label although another's does.
    """

    node: Hashable
    label: Hashable
    margin: float
    scores: Mapping[Hashable, float]
    confidence: float
    ask: bool
    reason: str
    made_at: int = field(default=0, repr=False, compare=False)
    left_out: tuple[Hashable, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Contribution:
    """A labelled node, its label and what it added to the margin of the explained class."""

    node: Hashable
    label: Hashable
    share: float


@dataclass(frozen=True)
class Explanation:
    """The labelled nodes that decided a prediction, largest share first.

    For kernel and minimum-cut learners the shares sum to `margin`, the margin of `label` in its own problem.
    Minimum-cut learners also give the `path` over which these labels reach the node; `trusted` holds the
    weights of the experts of a mixture such as `auto`. Where nodes have attributes, `attributes` holds what
    each of the node's own adds to the lead of `label` by a regression on them, the largest first.
    """

    node: Hashable
    label: Hashable
    margin: float
    contributions: tuple[Contribution, ...]
    reason: str
    path: tuple[Hashable, ...] = ()
    trusted: Mapping[str, float] = field(default_factory=dict)
    attributes: Mapping[str, float] = field(default_factory=dict)

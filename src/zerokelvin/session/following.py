"""Going over many answers at once: what each finds, from one compiled pass of the learner.

Where neither the policy nor the learner looks at more than the margins of a trial, what an answer finds
follows from its margins, the labels before it and its coin. The learner then learns all of them in one call
(`Game.scores_in_order`), and the outcomes are those of predicting and learning one by one.

`SessionTally` is what events and what they found amount to.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, confidences, worth_asking
from zerokelvin.games.labels import decide
from zerokelvin.learners import Game, Policy
from zerokelvin.session.prediction import LEARN, SKIP, TEACH, Event, Outcome

__all__ = ["SessionTally", "Situation", "agreed", "follow"]


class SessionTally(NamedTuple):
    """The figures of a session: what is counted of its events and what they found.

    `counts` has the labels of each class, `labelled` whether a component has a label; neither ever changes.
    """

    trials: int
    mistakes: int
    queries: int
    overruled: int
    late: int
    counts: Ints
    labelled: NDArray[np.bool_]

    @classmethod
    def empty(cls, classes: int, components: int) -> SessionTally:
        """The tally before any event: every count 0, no component labelled."""
        counts, labelled = np.zeros(classes, dtype=np.int64), np.zeros(components, dtype=np.bool_)
        return cls(0, 0, 0, 0, 0, counts, labelled)

    def after(
        self,
        events: Sequence[Event],
        outcomes: Sequence[Outcome],
        lessons: tuple[Ints, Ints],
        components: Ints,
    ) -> SessionTally:
        """With further events; `lessons` are the nodes and codes of those that have a label."""
        nodes, codes = lessons
        labelled = self.labelled.copy()
        labelled[components[nodes]] = True
        trials, mistakes, queries, overruled, late = self[:5]
        for (kind, _, label), found in zip(events, outcomes, strict=True):
            trials += kind != TEACH
            if kind == LEARN:
                mistakes += found.predicted is not None and found.predicted != label
                queries += found.asked
                overruled += found.overruled
                late += found.late
        counts = self.counts + np.bincount(codes, minlength=len(self.counts))
        return SessionTally(trials, mistakes, queries, overruled, late, counts, labelled)


class Situation(NamedTuple):
    """What outcomes depend on beside margins: terms, classes, and what came before.

    `components` holds the component of every node, `labelled` whether a component has a label, `counts` the
    labels of each class; `codes` are the numbers of the classes.
    """

    policy: Policy
    seed: int
    budget: int | None
    classes: tuple[Hashable, ...]
    codes: Mapping[Hashable, int]
    components: Ints
    labelled: NDArray[np.bool_]
    counts: Ints
    trials: int
    queries: int


def agreed(now: Outcome, then: Outcome | None) -> Outcome:
    """What an event finds now, or what it had found: late where its prediction is not that of now."""
    if then is None:
        return now
    late = now.predicted is not None and then.predicted != now.predicted
    return then._replace(late=True) if late else then


def follow(
    game: Game, place: Situation, events: Sequence[Event], kept: Sequence[Outcome | None]
) -> tuple[list[Outcome], Situation]:
    """Let a game learn events in order: what each finds, or what is kept of it, and the situation after."""
    told = [event for event in events if event.kind != SKIP]
    nodes = np.array([event.node for event in told], dtype=np.int64)
    codes = np.array([place.codes[event.label] for event in told], dtype=np.int64)
    margins = game.scores_in_order(nodes, codes)
    by_margin = decide(margins, len(place.classes)).tolist()
    sure = confidences(margins).tolist()
    numbers = place.trials + np.arange(len(events))
    limits = place.policy.limits(coins(place.seed, numbers)).tolist()
    components = place.components[nodes].tolist()
    labelled, counts, queries = place.labelled.copy(), place.counts.copy(), place.queries
    begun, trial, t = bool(counts.any()), 0, 0
    found = []
    for event, then in zip(events, kept, strict=True):
        now = Outcome()
        if event.kind == LEARN:
            by_prior = begun and not labelled[components[t]]
            code = int(most_frequent(counts)) if by_prior else by_margin[t]
            spent = place.budget is not None and queries >= place.budget
            worth = not begun or worth_asking(sure[t], 0.0, limits[trial], NO_GAIN, NO_FLOOR)
            now = Outcome(place.classes[code], not spent and worth, by_prior and code != by_margin[t])
        found.append(agreed(now, then))
        queries += event.kind == LEARN and found[-1].asked
        trial += event.kind != TEACH
        if event.kind != SKIP:
            counts[codes[t]] += 1
            labelled[components[t]] = begun = True
            t += 1
    after = place._replace(labelled=labelled, counts=counts, trials=place.trials + trial, queries=queries)
    return found, after

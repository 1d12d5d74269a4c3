"""The bound of a whole game or session: one bound per binary problem, summed over the classes."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from zerokelvin.bound import Assumption, Bound
from zerokelvin.flow.static.completion import complete_labelling
from zerokelvin.games.labels import Labelling, to_signs
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import Game

__all__ = ["game_bound"]


def game_bound(
    graph: Graph | Features,
    game: Game,
    labelling: Labelling,
    *,
    by_prior: bool = False,
    held_back: bool = False,
    grown: bool = False,
    late: bool = False,
) -> Bound:
    """The bound of all problems against a labelling; unknown nodes take the side of a minimum cut.

    Unknown rows of a table of features have no cut to take a side of; they are passed on as 0.

    `by_prior` says that a prediction followed the class prior instead of the margin, because its
    component had no label yet; `held_back` that a policy, a budget or a delay kept labels from the
    learner; `grown` that the graph was smaller when some label was learnt; `late` that a mistake was counted
    against a prediction shown before other answers came. No theorem speaks of those, so the bound is then
    marked as no guarantee.
    """
    signs = to_signs(labelling.codes, len(labelling.classes))
    total = game.bound([_completed(graph, labelling, signs[:, c]) for c in range(game.columns)])
    broken = (
        ("every prediction follows the margin (a component had no label yet)", by_prior),
        ("every label the learner wants is learned before the next prediction", held_back),
        ("the graph did not grow after the first label", grown),
        ("every answer came before the next prediction (feedback was late)", late),
    )
    more = tuple(Assumption(text, False) for text, happened in broken if happened)
    return dataclasses.replace(total, assumptions=(*total.assumptions, *more))


def _completed(graph: Graph | Features, labelling: Labelling, signs: NDArray[np.int8]) -> NDArray[np.int64]:
    known = labelling.known
    if len(known) == graph.num_nodes:
        return signs.astype(np.int64)
    if isinstance(graph, Features):
        return np.where(labelling.codes >= 0, signs, 0).astype(np.int64)
    return complete_labelling(graph, {int(i): int(signs[i]) for i in known})

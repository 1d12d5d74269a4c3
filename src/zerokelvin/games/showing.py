"""What a game shows: which node in which trial, and with which label, noise and drift included.

Noise: ``label_noise`` is the probability that a revealed label is replaced by another class,
independently per trial; ``concept_noise`` the share of nodes whose label is changed for good before
the game; ``repeats`` plays the order several times. Drift: ``drift`` times, evenly spread over the game, two
classes drawn at random change places, so that the nodes of the one have the label of the other from then on;
every cut stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games.counts import require_share, require_whole
from zerokelvin.games.labels import Labelling
from zerokelvin.graph import Domain

__all__ = ["Disturbance", "Shown", "show_labels"]

MOST_TRIALS = 2**34
"""More than any memory holds."""


@dataclass(frozen=True)
class Disturbance:
    """How far a game is from showing every true label once; see the module. Numbers are checked."""

    label_noise: float = 0.0
    concept_noise: float = 0.0
    repeats: int = 1
    drift: int = 0

    def __post_init__(self) -> None:
        checked = {
            "label_noise": require_share("label_noise", self.label_noise),
            "concept_noise": require_share("concept_noise", self.concept_noise),
            "repeats": require_whole("repeats", self.repeats, 1),
            "drift": require_whole("drift", self.drift),
        }
        vars(self).update(checked)

    def require_room(self, trials: int) -> None:
        """Refuse what would make more trials, or changes, of so many labels than any memory holds."""
        for name, count in (("repeats", self.repeats), ("drift", self.drift)):
            if count * trials > MOST_TRIALS:
                raise ParameterError(f"{name}={count} is too large for {trials} labels; give a smaller one.")


@dataclass(frozen=True, eq=False)
class Shown:
    """One entry per trial: the node index and the class code shown.

    `concept` is the labelling behind them: with its noise, without that of single trials and without drift.
    """

    nodes: Ints
    codes: Ints
    concept: Labelling


def show_labels(
    graph: Domain, labelling: Labelling, order: Any, disturbance: Disturbance, rng: np.random.Generator
) -> Shown:
    """The trials of a game over all labelled nodes, shuffled, or over the names in `order` where given.

    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> labelling = Labelling(np.array([0, 1, 1]), ("no", "yes"))
    >>> shown = show_labels(line, labelling, ["c", "a"], Disturbance(repeats=2), np.random.default_rng(0))
    >>> shown.nodes.tolist(), shown.codes.tolist()
    ([2, 0, 2, 0], [1, 0, 1, 0])
    """
    known = graph.name_order[labelling.codes[graph.name_order] >= 0]  # by name: so are noise and shuffle
    concept = _flipped(labelling, known, disturbance.concept_noise, rng)
    nodes = rng.permutation(known) if order is None else _indices(graph, concept, order)
    disturbance.require_room(len(nodes))
    nodes = np.tile(nodes, disturbance.repeats)
    labels = Labelling(concept.codes[nodes], concept.classes)
    codes = _flipped(labels, np.arange(len(nodes)), disturbance.label_noise, rng).codes
    return Shown(nodes, _drifted(codes, len(concept.classes), disturbance.drift, rng), concept)


def _indices(graph: Domain, labelling: Labelling, order: Any) -> Ints:
    """The node indices of names, each of which must have a label."""
    plain = graph.names is None and type(order) is np.ndarray and order.dtype.kind in "iu" and order.ndim == 1
    if plain and len(order) and 0 <= order.min() and order.max() < graph.num_nodes:
        nodes = order.astype(np.int64)
    else:
        nodes = np.array([graph.index(_scalar(name)) for name in order], dtype=np.int64)
    unlabelled = nodes[labelling.codes[nodes] < 0]
    if len(unlabelled):
        raise LabelError(f"node {graph.name(unlabelled[0])!r} is in the order but has no label; drop it.")
    return nodes


def _scalar(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name


def _flipped(labelling: Labelling, where: Ints, share: float, rng: np.random.Generator) -> Labelling:
    """Replace the code by another class with probability `share`, independently at each place."""
    count = len(labelling.classes)
    if share == 0 or count < 2:
        return labelling
    codes = labelling.codes.copy()
    hit = where[rng.random(len(where)) < share]
    codes[hit] = (codes[hit] + rng.integers(1, count, len(hit))) % count
    return Labelling(codes, labelling.classes)


def _drifted(codes: Ints, count: int, drift: int, rng: np.random.Generator) -> Ints:
    """Let two of `count` classes change places `drift` times, evenly spread over the trials."""
    if drift == 0 or count < 2:
        return codes
    moved = codes.copy()
    place = np.arange(count)
    for moment in np.linspace(0, len(codes), drift + 2)[1:-1].astype(np.int64):
        pair = rng.choice(count, 2, replace=False)
        place[pair] = place[pair[::-1]]
        moved[moment:] = place[codes[moment:]]
    return moved

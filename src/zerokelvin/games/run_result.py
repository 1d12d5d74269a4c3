"""What a game leaves behind: per-trial predictions, figures, curves and the bound."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin import plot as pictures
from zerokelvin.array_types import Ints
from zerokelvin.asking.class_chances import chance_ahead, class_odds, class_scores
from zerokelvin.asking.find import sought_code
from zerokelvin.bound import Bound
from zerokelvin.games.class_figures import ClassFigures, class_figures
from zerokelvin.games.frames import game_frame, game_row, trial_frame
from zerokelvin.games.labels import class_array, to_signs
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.guarantee import Guarantee, check_fixed_labels
from zerokelvin.learners import Learner

__all__ = ["Run", "Runs"]


@dataclass(frozen=True)
class KnownBound:
    """What gives the bound of a game that was played elsewhere."""

    bound: Bound

    def __call__(self) -> Bound:
        """The bound."""
        return self.bound


TIED = 1e-6
"""A lead of `auto` below which its mixture and its probabilities may name different classes."""


@dataclass(frozen=True, eq=False)
class Run:
    """One game, trial by trial.

    ``nodes`` are indices in the order played, ``codes`` the classes shown, ``predicted`` the classes
    predicted, ``guessed`` where a prediction followed the class prior because the node's component had
    no label yet; ``margins`` and ``asked`` have one column per binary problem. ``seconds`` is the time it
    took without compilation, ``processor_seconds`` how long the processor worked on it in this thread,
    compilation included.
    """

    graph: Graph | Features
    learner: Learner
    classes: tuple[Hashable, ...]
    seed: int
    nodes: Ints = field(repr=False)
    codes: Ints = field(repr=False)
    predicted: Ints = field(repr=False)
    guessed: NDArray[np.bool_] = field(repr=False)
    margins: NDArray[np.float64] = field(repr=False)
    asked: NDArray[np.bool_] = field(repr=False)
    seconds: float
    processor_seconds: float
    compile_seconds: float
    make_bound: Callable[[], Bound] = field(repr=False)

    @property
    def trials(self) -> int:
        """How many trials the game had: labelled nodes times repeats."""
        return len(self.nodes)

    @cached_property
    def order(self) -> NDArray[Any]:
        """The nodes, by name, in the order they were played."""
        if self.graph.names is None:
            return self.nodes
        names = np.full(self.trials, None, dtype=object)
        names[:] = [self.graph.names[i] for i in self.nodes]
        return names

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The label shown at each trial (with noise, if there was any)."""
        return class_array(self.classes)[self.codes]

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """The label predicted at each trial, one entry per trial."""
        return class_array(self.classes)[self.predicted]

    @cached_property
    def mistaken(self) -> NDArray[np.bool_]:
        """Whether the predicted class was wrong, one entry per trial."""
        return self.predicted != self.codes

    @property
    def mistakes(self) -> int:
        """Number of trials whose predicted class was wrong."""
        return int(self.mistaken.sum())

    @property
    def error_multiclass(self) -> float:
        """Share of trials whose predicted class was wrong."""
        return self.mistakes / self.trials

    @cached_property
    def error_binary(self) -> float:
        """One-vs-rest error, mean over the classes; of two classes, their one problem's error."""
        if len(self.classes) <= 2:
            return self.error_multiclass
        predicted = np.where(self.margins >= 0, 1, -1)
        predicted[self.guessed] = to_signs(self.predicted[self.guessed], len(self.classes))
        return float((predicted != to_signs(self.codes, len(self.classes))).mean())

    @property
    def queries(self) -> float:
        """Labels asked for per binary problem, mean over the problems."""
        return float(self.asked.sum(axis=0).mean())

    @property
    def queried_nodes(self) -> int:
        """Distinct nodes asked for by at least one problem: what a person pays."""
        return len(np.unique(self.nodes[self.asked.any(axis=1)]))

    @cached_property
    def cost(self) -> float | None:
        """What misses, false alarms and questions cost in all; None of a game that was played without costs.

        A trial that was asked about costs its question alone.
        """
        costs = self.learner.costs
        if costs is None:
            return None
        sought = self._sought
        unasked = self.unasked
        return float(costs.total(self.codes == sought, self.predicted == sought, ~unasked))

    @property
    def _sought(self) -> int:
        """The class that costs speak of: the one named, else the rarest of those shown."""
        label = self.learner.costs.label
        code = None if label is None else sought_code(label, self.classes, closed=True)
        counts = np.bincount(self.codes, minlength=max(2, len(self.classes)))
        return int(counts.argmin()) if code is None else code

    @cached_property
    def cumulative_mistakes(self) -> Ints:
        """How many mistakes there were up to and including each trial."""
        return np.cumsum(self.mistaken)

    @cached_property
    def cumulative_queries(self) -> Ints:
        """How many trials had asked for their label up to and including each trial."""
        return np.cumsum(self.asked.any(axis=1))

    @cached_property
    def unasked(self) -> NDArray[np.bool_]:
        """Whether a trial's label went out as it was predicted: no problem asked for it."""
        return np.logical_not(self.asked.any(axis=1))

    def guarantee(self, confidence: float = 0.95, checks: int = 100) -> Guarantee:
        """What random checks of the labels that went out unasked prove (`zerokelvin.guarantee`).

        Somebody who plays for real does not know `mistaken`, and asks a person for the labels of `checks`
        trials drawn at random among those unasked. Drawn here by the seed, this is the limit they would have
        on the wrong ones among the rest; it may be looked at for any number of checks, up to all of them,
        and with the given confidence none of these limits is below the truth. It speaks of the labels that
        were shown: with label noise, of agreement with those.

        Examples
        --------
        >>> import zerokelvin as zk
        >>> moons = zk.generators.two_moons(600, np.random.default_rng(1))
        >>> run = zk.play(moons.graph, moons.labels, "gaussian", policy="margin:0.5")
        >>> found = run.guarantee(0.95, checks=100)
        >>> found.checks, found.unasked == int(run.unasked.sum()) - 100
        (100, True)
        """
        return check_fixed_labels(self.mistaken[self.unasked], checks, confidence, self.seed)

    @cached_property
    def bound(self) -> Bound:
        """The proven bound on the mistakes, against the labelling that was played."""
        return self.make_bound()

    def __getstate__(self) -> dict[str, Any]:
        """What a copy in another process gets: the bound in place of the game that it is computed from."""
        return vars(self) | {"make_bound": KnownBound(self.bound)}

    @cached_property
    def figures(self) -> ClassFigures:
        """Precision, recall, F1 of every class, and the majority guess: `zerokelvin.games.class_figures`."""
        margins = self.margins[:, 0] if len(self.classes) == 2 else None
        return class_figures(self.classes, self.codes, self.predicted, margins)

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """How probable each prediction was when it was made; NaN where that is not known.

        Of a learner with probabilities of its own (`auto`), those: its margins are leads, p_c − p_w for the
        class w ahead, and probabilities add up to 1. Where its mixture and its probabilities name different
        classes the lead is next to nothing and they cannot be had from it. Of other learners a softmax of the
        margins, as in a session. A prediction by the class prior has none either. With `costs`, those of the
        class that they speak of, or of all others.
        """
        if self.learner.costs is not None:
            sought = self._sought
            margins = self.margins[:, min(sought, self.margins.shape[1] - 1)]
            flip = -1.0 if self.margins.shape[1] == 1 and sought == 0 else 1.0
            chances = self.learner.costs.chances(flip * margins)
            found = np.where(self.predicted == sought, chances, 1.0 - chances)
            return np.where(np.cumsum(~self.unasked) > 1, found, np.nan)
        scores = class_scores(self.margins)
        rows, unknown = np.arange(self.trials), self.guessed
        if self.learner.calibrated:
            best = scores.argmax(axis=1)
            chances = chance_ahead(scores)
            unknown = unknown | (scores[rows, best] < TIED) | (best != self.predicted)
        else:
            odds = class_odds(scores)
            chances = odds[rows, self.predicted] / odds.sum(axis=1)
        return np.where(unknown, np.nan, chances)

    def plot(self) -> Any:
        """A picture of the mistakes so far against trials: `zerokelvin.plot.mistakes` of this game."""
        return pictures.mistakes(self)

    def to_frame(self, library: str = "pandas") -> Any:
        """One row per trial, as a frame of pandas or polars; see `zerokelvin.games.frames` for the columns.

        Examples
        --------
        >>> from zerokelvin.games import play
        >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
        >>> run = play(line, ["a", "a", "b", "b"], "perceptron", order=[0, 3, 1, 2])
        >>> frame = run.to_frame()
        >>> frame["node"].tolist(), frame["predicted"].tolist(), int(frame["mistake"].sum())
        ([0, 3, 1, 2], ['b', 'a', 'a', 'b'], 2)
        """
        return trial_frame(self, library)


@dataclass(frozen=True)
class Runs:
    """Several games over different orders, with mean and standard deviation of any figure."""

    runs: tuple[Run, ...]
    prepare_seconds: float

    def to_frame(self, library: str = "pandas", bounds: bool = False) -> Any:
        """One row per game, as a frame of pandas or polars; see `zerokelvin.games.frames` for the columns.

        With `bounds` also the proven bound of every game, which may take longer than the game.
        """
        return game_frame([game_row(run, bounds) for run in self.runs], library)

    def values(self, figure: str) -> NDArray[np.float64]:
        """One value per game of a figure such as ``"error_binary"`` or ``"mistakes"``."""
        return np.array([float(getattr(run, figure)) for run in self.runs])

    def mean(self, figure: str) -> float:
        """The mean over the games of a figure, named as in `values`."""
        return float(self.values(figure).mean())

    def std(self, figure: str) -> float:
        """Standard deviation of a figure over the games (of the sample; 0 for one game)."""
        return float(self.values(figure).std(ddof=1)) if len(self.runs) > 1 else 0.0

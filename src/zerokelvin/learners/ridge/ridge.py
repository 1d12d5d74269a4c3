"""Ridge regression in coordinates, online: the engine of `ollgc`, `sslgc`, `bbq` and `second-order`.

A game keeps the inverse of A = aI + Σ x xᵀ over the trials it learnt from, and with v = Σ y x the weights
w = A⁻¹v of every class, in workspaces of `zerokelvin.least_squares.growing_inverse`. It predicts with

    linear score    w·x
    forward score   vᵀ(A + x xᵀ)⁻¹x = w·x / (1 + r),  r = xᵀA⁻¹x

which have the same sign. It learns where its prediction was wrong, or in every round. The variance is
r_t = r / (1 + r), the form of the matrix that includes the current node, below 1.

Learning only from mistakes, each class has its own A; learning in every round, one A serves all classes.
Whole games are played in compiled code (`ridge_game`). The trials learnt are in the log of each class
(`ridge_problem`), so what an inverse needs to be computed afresh is never copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN
from zerokelvin.asking.variance import variance_floors
from zerokelvin.bound import Bound
from zerokelvin.learners.base import Binary, Game, Progress, Record, Trace, Trials, sign, signs_of
from zerokelvin.learners.base.multiclass import put_back
from zerokelvin.learners.ridge.ridge_game import (
    DUE,
    LEARNT,
    NEXT,
    STOP,
    RidgeRules,
    play_ridge,
    score_of,
    scores_of,
)
from zerokelvin.learners.ridge.ridge_problem import RidgeProblem
from zerokelvin.least_squares.growing_inverse import due, empty_inverse, learn_row, refresh
from zerokelvin.machine.lanes import aligned

__all__ = ["RidgeGame", "RidgeState"]

CHUNK = 4096

P = TypeVar("P", bound=RidgeProblem)


class RidgeGame(Game, Generic[P]):
    """Ridge regression of several classes side by side, with one inverse each or one for all."""

    def __init__(self, problems: Sequence[P], shared: bool = False) -> None:
        super().__init__(max(2, len(problems)))
        self.problems = tuple(problems)
        first, count = self.problems[0], len(problems)
        self.source = first.source
        self.shared = shared and count > 1
        sides = count if self.shared else 1
        fresh = empty_inverse(first.dimension, first.a, sides)
        self.kept = aligned((1 if self.shared else count) * fresh.size).reshape(-1, *fresh.shape)
        self.kept[:] = fresh
        for c, problem in enumerate(self.problems):
            problem.kept = self.kept[0 if self.shared else c]
            problem.sides, problem.side = sides, c if self.shared else 0

    def scores(self, nodes: Any) -> Floats:
        """The linear or forward scores of several nodes."""
        places = np.asarray(nodes)
        if places.ndim != 1 or places.dtype.kind not in "iu":  # vectors
            return np.array([self.score(node) for node in nodes]).reshape(-1, self.columns)
        rows, at = self.source.matrix, places.astype(np.int64)
        return np.column_stack(
            [scores_of(rows, at, one.kept, one.sides, one.side, one.forward_score) for one in self.problems]
        )

    def score(self, node: Any) -> Floats:
        """The linear or forward scores of a node index or a new vector."""
        x, scratch = self.source.vector(node), self._scratch()
        return np.array(
            [score_of(x, one.kept, one.sides, one.side, one.forward_score, scratch) for one in self.problems]
        )

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Learn x where it was predicted wrong (or in every round); x = 0 changes nothing.

        With a shared inverse all classes learn it at once, else those `wanted` do.
        """
        x, signs = self.source.vector(node), signs_of(np.array([code]), self.columns)[0]
        labels, scratch, some = signs.astype(np.float64), self._scratch(), bool(x.any())
        if self.shared and some:
            learn_row(self.kept[0], x, labels, scratch)
        for c, problem in enumerate(self.problems):
            if self.shared:
                problem.note(node, int(signs[c]), some)
            elif wanted is None or wanted[c]:
                wrong = sign(float(score_of(x, problem.kept, 1, 0, False, scratch))) != signs[c]
                learnt = some and bool(problem.every_round or wrong)
                if learnt:
                    learn_row(problem.kept, x, labels[c : c + 1], scratch)
                problem.note(node, int(signs[c]), learnt)
        self._refresh()

    def asks(self, node: Any, trial: int | None = None) -> Bools:
        """Which classes have r_t > t^−κ; all of them, without a κ."""
        return np.array([problem.ask(node, trial) for problem in self.problems], dtype=np.bool_)

    def variance(self, node: Any) -> float:
        """The variance r_t of the least sure class."""
        return max(problem.variance(node) for problem in self.problems)

    def explain(self, node: Any, column: int) -> list[tuple[int, float]]:
        """Every learnt node with its share of the score."""
        return self.problems[column].explain(node)

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """A wrong class costs at least one binary mistake: the sum over the classes."""
        return Bound.total([one.bound(u) for one, u in zip(self.problems, labels, strict=True)])

    def records(self) -> tuple[Record, ...]:
        """Every label that reached each class, in order."""
        return tuple(problem.record for problem in self.problems)

    @property
    def fields(self) -> tuple[str, ...]:
        """The workspaces and the log of every class, after its number."""
        return tuple(
            f"{c}/{name}"
            for c, problem in enumerate(self.problems)
            for name in (("kept",) if c < len(self.kept) else ()) + problem.log
        )

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of the workspaces and the logs."""
        arrays = {f"{c}/kept": kept.copy() for c, kept in enumerate(self.kept)}
        for c, problem in enumerate(self.problems):
            arrays |= {f"{c}/{name}": array for name, array in problem.saved_log().items()}
        return {name: arrays[name] for name in self.fields}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh game to where `snapshot` was taken."""
        for c, kept in enumerate(self.kept):
            put_back(f"{c}/kept", arrays[f"{c}/kept"], kept)
        for c, problem in enumerate(self.problems):
            problem.restore_log({name: arrays[f"{c}/{name}"] for name in problem.log})

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code."""
        first, total = self.problems[0], len(trials.nodes)
        gains, floors = np.full(total, NO_GAIN), np.full(total, NO_FLOOR)
        if trials.gains is not None and trials.floors is not None:
            gains[:], floors[:] = trials.gains, trials.floors
        bars = np.zeros(total)
        if first.kappa is not None:
            least = variance_floors(first.kappa, np.arange(total))
            below = least < 1.0
            bars[:] = np.inf
            bars[below] = least[below] / (1.0 - least[below])  # r/(1 + r) > floor as a bar on r
        rules = RidgeRules(
            trials.limits.astype(np.float64),
            gains,
            floors,
            bars,
            self.source.lengths[trials.nodes],
            int(trials.delay),
            int(trials.budget),
            bool(first.every_round),
            bool(first.forward_score),
            first.kappa is not None,
            trials.gains is not None,
        )
        cursor = np.zeros(4, dtype=np.int64)
        trace = Trace.empty(trials)
        codes = np.zeros(trials.signs.shape, dtype=np.int8)
        step = CHUNK if progress is not None else max(total, 1)
        noted = 0
        while cursor[DUE] < total:
            cursor[STOP] = min(int(cursor[NEXT]) + step, total)
            matrix = self.source.matrix
            play_ridge(matrix, trials.nodes, trials.signs, rules, cursor, self.kept, trace.margins, codes)
            if any(due(one) for one in self.kept):
                noted = self._note(trials, codes, noted, int(cursor[DUE]))
                self._refresh()
            if progress is not None:
                progress(int(cursor[NEXT]))
        trace.asked[:] = codes > 0
        self._note(trials, codes, noted, total)
        return trace

    def _note(self, trials: Trials, codes: NDArray[np.int8], begin: int, end: int) -> int:
        """Put the trials whose labels have come into the logs."""
        for c, problem in enumerate(self.problems):
            came = codes[begin:end, c] > 0
            chosen = slice(begin, end) if came.all() else begin + np.flatnonzero(came)
            problem.note_all(trials.nodes[chosen], trials.signs[chosen, c], codes[chosen, c] == LEARNT)
        return end

    def _refresh(self) -> None:
        """Compute the inverses that are due, and the weights on them, afresh from the logs."""
        for c, kept in enumerate(self.kept):
            if due(kept):
                on_it = self.problems if self.shared else self.problems[c : c + 1]
                since = int(kept[0, 0])
                rows = on_it[0].last_learnt(self.source, since)[0]
                refresh(kept, rows, np.stack([one.last_learnt(None, since)[1] for one in on_it], axis=1))

    def _scratch(self) -> Floats:
        return np.empty((2, self.kept.shape[2]))


class RidgeState(Binary):
    """A game of two classes as one binary problem, with what its log and its bounds tell."""

    def __init__(self, game: RidgeGame[Any]) -> None:
        super().__init__(game)
        self.problem: RidgeProblem = game.problems[0]

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """The bound against this labelling, by a theorem of `RidgeProblem.bound` or the learner's own."""
        return self.problem.bound(np.asarray(labels), theorem)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "problem" not in vars(self):
            raise AttributeError(name)
        return getattr(self.problem, name)

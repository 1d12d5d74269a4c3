"""The game of `propagation` and `gaussian` by local relaxation: scores, learning, playing, keeping."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, AskingRule, label_is_due, wants_label
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import Queue
from zerokelvin.learners.base import Game, Progress, Trace, Trials
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.kept import KeptGame
from zerokelvin.learners.gaussian.diffusion import (
    Diffusion,
    FieldArrays,
    FieldTerms,
    Frame,
    lead_shares,
    learn_label,
    read_table,
    read_values,
    to_margins,
)
from zerokelvin.learners.gaussian.grown_fields import grow_diffusion
from zerokelvin.undo import Undo

__all__ = ["DiffusionGame"]


AT_ONCE = 1024
"""Trials played in one call, between which Ctrl-C is heard."""


class DiffusionRules(NamedTuple):
    """Trials after which a label comes, how many labels may be asked for, and trials played in one call."""

    delay: int
    budget: int
    most: int


class FieldTrials(NamedTuple):
    """The trials of a game, their rules, and how far it is.

    Attributes
    ----------
    nodes, signs, limits
        Per trial the node, its label in every problem, (trials, problems), and the limit for asking.
    rules, cursor
        Those of the game; the next trial to predict, the next to learn, and how many were asked for.
    """

    nodes: Ints
    signs: NDArray[np.int8]
    limits: Floats
    rules: DiffusionRules
    cursor: Ints


class DiffusionGame(Game):
    """A game whose classes share one relaxation, a code each; it runs compiled."""

    def __init__(self, diffusion: Diffusion) -> None:
        super().__init__(max(2, diffusion.problems))
        self.diffusion = diffusion

    def scores(self, nodes: Any) -> Floats:
        """The lead of every problem's class over its best rival, (nodes, columns)."""
        return self.diffusion.margins(np.asarray(nodes, dtype=np.int64))

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal a class; these learners want every label."""
        self.diffusion.learn(node, code)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo:
        """The same, and what takes it back."""
        return self.diffusion.learn_reversibly(node, code)

    def evidence(self, nodes: Any) -> Floats:
        """The value of every class, (nodes, classes)."""
        diffusion, places = self.diffusion, np.asarray(nodes, dtype=np.int64)
        result = np.full((len(places), self.classes), np.nan)
        csr, terms = diffusion.relaxation.csr, diffusion.terms
        read_table(csr, diffusion.arrays, diffusion.frame, terms, places, result)
        return result

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in the value of every class at one node."""
        diffusion = self.diffusion
        csr, terms = diffusion.relaxation.csr, diffusion.terms
        read_values(csr, diffusion.arrays, diffusion.frame, terms, node, evidence)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal classes one after the other, in compiled code: the values before each, (nodes, classes)."""
        diffusion, solve = self.diffusion, self.diffusion.relaxation
        result = np.full((len(nodes), self.classes), np.nan)
        arrays, frame, terms = diffusion.arrays, diffusion.frame, diffusion.terms
        with diffusion.system.graph.read_through():
            for start in range(0, len(nodes), AT_ONCE):
                part = slice(start, start + AT_ONCE)
                _learn_in_order(
                    solve.csr, arrays, frame, terms, solve.scratch, nodes[part], codes[part], result[part]
                )
        return result

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, in compiled code."""
        self.learn_in_order(np.asarray(nodes, dtype=np.int64), codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order, in compiled code: the leads before each, (nodes, columns)."""
        values = self.learn_in_order(np.asarray(nodes, dtype=np.int64), codes)
        leads = np.full((len(values), self.columns), np.nan)
        _to_leads(values, leads)
        return leads

    def shares(self, node: int, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to a lead, by the column of the node, as far as it matters."""
        counts = self.diffusion.counts
        parts = self.diffusion.main_votes(node) * (counts[code] - counts[rival])
        return {int(other): float(parts[other]) for other in np.flatnonzero(parts)}

    def explain(self, node: int, column: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin.

        They come from a column of the kernel that is relaxed anew, more finely. What the margin's own
        tolerance leaves between them is spread over the shares in proportion to their size, evenly where
        labels that contradict each other leave every share at 0.
        """
        diffusion, margin = self.diffusion, float(self.score(node)[column])
        code = 1 if self.columns == 1 else column
        shares = lead_shares(diffusion.values(node), diffusion.votes(node), diffusion.counts, code)
        sizes = [abs(share) for _, share in shares]
        if not any(sizes):
            sizes = [1.0] * len(shares)
        rest = margin - math.fsum(share for _, share in shares)
        total = math.fsum(sizes)
        moved = [
            (other, share + rest * size / total) for (other, share), size in zip(shares, sizes, strict=True)
        ]
        return sorted(moved, key=lambda share: -abs(share[1]))

    def lead_error(self, node: int) -> float:
        """How far the margins of a node may be from the exact ones, by the tolerance."""
        return 2.0 * float(self.diffusion.terms.tol * self.diffusion.system.out[node])

    def remark(self, node: int, column: int) -> str:
        """The certified error of the margin."""
        return f"its margin is exact up to {self.lead_error(node):.2g}"

    def parts(self) -> dict[str, NDArray[Any]]:
        """The arrays of every class, and what all share under the first problem."""
        diffusion, solve = self.diffusion, self.diffusion.relaxation
        rows = [slice(0, 2)] if self.columns == 1 else [slice(c, c + 1) for c in range(self.columns)]
        parts: dict[str, NDArray[Any]] = {}
        for c, own in enumerate(rows):
            parts |= {f"{c}/x": solve.x[own], f"{c}/r": solve.r[own], f"{c}/counts": diffusion.counts[own]}
        return parts | {
            "0/excess": solve.excess,
            "0/inverse": solve.rules.inverse,
            "0/limits": solve.rules.limits,
            "0/sums": diffusion.sums,
            "0/totals": diffusion.totals,
        }

    def twin(self, kept: bool = False) -> Game:
        """A game on other fields at the same place."""
        return KeptGame(self, self._vessel()) if kept else type(self)(self.diffusion.twin())

    def keeping(self) -> Iterator[Game | None]:
        """The twin to be kept, the room for it being taken in steps."""
        return KeptGame.in_steps(self, self._vessel())

    def _vessel(self) -> Callable[[], DiffusionGame]:
        """What gives another game like this one, with nothing learnt."""
        cls, own = type(self), self.diffusion
        system, problems, terms = own.system, own.problems, own.terms
        return lambda: cls(Diffusion(system, problems, *terms))

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Repair the fields where the graph has grown; learn again where the engine is now another."""
        if isinstance(heir, DiffusionGame):
            grow_diffusion(self.diffusion, heir.diffusion, growth)
        else:
            super().hand_over(heir, growth)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code; policies that look at the variance take the plain loop."""
        if trials.gains is not None:
            return super().play(trials, progress)
        trace = Trace.empty(trials)
        diffusion, solve = self.diffusion, self.diffusion.relaxation
        cursor = np.zeros(3, dtype=np.int64)
        rules = DiffusionRules(trials.delay, trials.budget, max(1, min(AT_ONCE, len(trials.nodes) // 100)))
        shown = FieldTrials(trials.nodes, trials.signs, trials.limits, rules, cursor)
        with diffusion.system.graph.read_through():
            while cursor[1] < len(trials.nodes):
                _play(
                    solve.csr,
                    diffusion.arrays,
                    diffusion.frame,
                    diffusion.terms,
                    solve.scratch,
                    shown,
                    trace.margins,
                    trace.asked,
                )
                if progress is not None:
                    progress(int(cursor[0]))
        return trace


@kernel
def _play(
    csr: Csr,
    arrays: FieldArrays,
    frame: Frame,
    terms: FieldTerms,
    scratch: Queue,
    shown: FieldTrials,
    margins: Any,
    asked: Any,
) -> None:
    """Play on for up to `rules.most` trials; `shown` says from where."""
    nodes, signs, limits, rules, cursor = shown
    values = np.empty(len(frame.totals))
    total = len(nodes)
    stop = min(total, cursor[0] + rules.most)
    while True:
        while label_is_due(cursor, rules.delay, total):
            due = cursor[1]
            cursor[1] += 1
            if asked[due, 0]:
                code = 1 if signs[due, 0] > 0 else 0
                if signs.shape[1] > 1:
                    code = int(np.argmax(signs[due]))
                learn_label(csr, arrays, frame, terms, scratch, nodes[due], code)
        if cursor[0] == stop:
            return
        t = cursor[0]
        cursor[0] += 1
        read_values(csr, arrays, frame, terms, nodes[t], values)
        to_margins(values, margins[t])
        if wants_label(cursor[2], rules.budget, margins[t], 0.0, AskingRule(limits[t], NO_GAIN, NO_FLOOR)):
            cursor[2] += 1
            asked[t] = True


@kernel
def _learn_in_order(
    csr: Csr,
    arrays: FieldArrays,
    frame: Frame,
    terms: FieldTerms,
    scratch: Queue,
    nodes: Any,
    codes: Any,
    values: Any,
) -> None:
    """Read the values at a node, reveal its class, go on to the next."""
    for t in range(len(nodes)):
        read_values(csr, arrays, frame, terms, nodes[t], values[t])
        learn_label(csr, arrays, frame, terms, scratch, nodes[t], codes[t])


@kernel
def _to_leads(values: Any, leads: Any) -> None:
    """The leads of several nodes, from their values (nodes, classes)."""
    for t in range(len(values)):
        to_margins(values[t], leads[t])

"""The game of ridge regression in dual variables on a graph, where every label is revealed at once.

Its order is known, so `BLOCK` trials to come are half solved together: one pass over the factor for all of
them (`zerokelvin.least_squares.growing_cholesky`). A trial that is learnt in between adds a row to the
factor, and one entry to every half solve that is still waiting. All sums run in the order in which the state
itself takes them, trial by trial, so both play the same game to the last bit.

In figures: with n trials and k of them learnt, k²n/6 multiplications for every problem, and a solve for every
node that is learnt in some problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.learners.base import OneVsRest, Progress, Trace, Trials, sign
from zerokelvin.learners.ridge.dual_ridge import BLOCK, DualRidgeState

__all__ = ["DualRidgeGame"]


class DualRidgeGame(OneVsRest[DualRidgeState]):
    """Problems in dual variables side by side."""

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """In blocks where every label is revealed after its trial and scores are forward ones."""
        first = self.states[0]
        revealed = trials.gains is None and bool(np.isinf(trials.limits).all())
        at_once = trials.delay == 0 and trials.budget >= len(trials.nodes)
        blocks = first.forward_score and first.kappa is None and first.source.keeps
        if not (revealed and at_once and blocks):
            return super().play(trials, progress)
        trace = Trace.all_asked(trials)
        for start in range(0, len(trials.nodes), BLOCK):
            stop = min(start + BLOCK, len(trials.nodes))
            nodes = trials.nodes[start:stop]
            for c, state in enumerate(self.states):
                play_block(state, nodes, trials.signs[start:stop, c], trace.margins[start:stop, c])
            if progress is not None:
                progress(stop)
        return trace


def play_block(state: DualRidgeState, nodes: Ints, labels: NDArray[Any], margins: Floats) -> None:
    """Play some trials of one problem; writes their margins."""
    source = state.source
    half, scores, squares = state.half_solved(nodes, room=len(nodes))
    for c, (node, label) in enumerate(zip(nodes.tolist(), labels.tolist(), strict=True)):
        point, size = source.point(node), state.factor.size
        norm, square = source.norm(point), float(squares[c])
        score = state.score_of(float(scores[c]), square)
        margins[c] = state.forward(score, norm, square) if size else 0.0
        learnt = bool((state.every_round or sign(score) != label) and norm > 0)
        if learnt:
            state.learn_point(point, np.ascontiguousarray(half[:size, c]), norm, label)
            half[size, c + 1 :] = state.last_cross(nodes[c + 1 :])
            state.factor.border(half, c + 1)
            row = half[size, c + 1 :]
            scores[c + 1 :] += row * state.z[-1]
            squares[c + 1 :] += row * row
        state.note(node, label, learnt)

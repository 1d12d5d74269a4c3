"""The compiled game of the ridge learners: all classes in one pass, nothing allocated per trial.

Coming trials stand side by side in blocks, coordinate by coordinate, so that the scores of a whole block
take as long as a few single ones. Where a problem learns, the rest of its block is scored again, each score
in the same order of additions as trial by trial: margins are the same to the last bit. Where the variance is
needed, r = xᵀA⁻¹x is computed for a block at once, which reads the inverse once for all of it, and an update
with u = A⁻¹x_k takes (u·x_j)² / (1 + r_k) off r_j. Where only a threshold matters, `ridge_screen` begins in
single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.learners.ridge_screen import above, screen
from zerokelvin.linalg.growing_inverse import PENDING, due, form_of, learn_row, score_row, tiles_of
from zerokelvin.linalg.lanes import LANES, aligned, combine, lay_out
from zerokelvin.linalg.tiles import block_forms

__all__ = ["ASKED", "LEARNT", "play_ridge", "score_of", "scores_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ASKED, LEARNT = 1, 2
"""What becomes of a trial in a problem; 0 where it was not asked about."""


@kernel
def score_of(x: Floats, kept: Floats, sides: int, side: int, forward_score: bool, scratch: Floats) -> float:
    """The linear or forward score of a vector."""
    score = score_row(x, kept[2 + side])
    if forward_score:
        score /= 1.0 + form_of(kept, sides, x, scratch)
    return score


@kernel
def scores_of(matrix: Floats, nodes: Ints, kept: Floats, sides: int, side: int, forward: bool) -> Floats:
    """The scores of several rows."""
    scores, scratch = np.empty(len(nodes)), np.empty((2, kept.shape[1]))
    for i in range(len(nodes)):
        scores[i] = score_of(matrix[nodes[i]], kept, sides, side, forward, scratch)
    return scores


@kernel
def _teach(
    x: Floats, signs: Any, codes: Any, scores: Any, kept: Floats, every_round: bool, scratch: Floats
) -> bool:
    """Give a trial's labels to the problems that asked, mark in `codes` which learnt; whether one is due."""
    groups, problems, wanted = kept.shape[0], len(signs), False
    empty = True
    for j in range(x.shape[0]):
        if x[j] != 0.0:
            empty = False
            break
    if empty:
        return False
    labels = scratch[2]
    if groups < problems:
        if codes[0] == 0:
            return False
        for c in range(problems):
            labels[c] = signs[c]
            codes[c] = LEARNT
        learn_row(kept[0], x, labels[:problems], scratch)
        return due(kept[0])
    for c in range(problems):
        if codes[c] == 0:
            continue
        guess = 1 if scores[c] >= 0 else -1
        if every_round or guess != signs[c]:
            labels[0] = signs[c]
            learn_row(kept[c], x, labels[:1], scratch)
            codes[c] = LEARNT
            wanted = wanted or due(kept[c])
    return wanted


@kernel
def _teach_late(x: Floats, signs: Any, codes: Any, kept: Floats, every_round: bool, scratch: Floats) -> bool:
    """`_teach` for a label that came after other labels were learnt."""
    scores = scratch[3]
    if kept.shape[0] == len(signs):
        for c in range(len(signs)):
            scores[c] = score_row(x, kept[c, 2])
    return _teach(x, signs, codes, scores, kept, every_round, scratch)


@kernel
def _fill(matrix: Floats, nodes: Ints, first: int, picks: Ints, block: Floats) -> None:
    """Put the rows of the coming trials side by side; past the end, the last one again."""
    for lane in range(LANES):
        picks[lane] = nodes[min(first + lane, len(nodes) - 1)]
    for lane in range(0, LANES, 8):
        lay_out(matrix, picks, lane, block)
    for lane in range(LANES):
        x = matrix[picks[lane]]
        for i in range(len(x) // 8 * 8, len(x)):
            block[LANES * i + lane] = x[i]


@kernel
def _take_off(kept: Floats, block: Floats, lane: int, cross: Floats, forms: Floats) -> None:
    """Take the pending change of the inverse off the forms of the lanes from `lane` on."""
    combine(block, kept[1], lane, cross)
    scale = kept[0, PENDING]
    for b in range(lane, LANES):
        forms[b] -= scale * cross[b] * cross[b]


@kernel
def play_ridge(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    rules: Floats,
    settings: Ints,
    kept: Floats,
    margins: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Play from the cursor to the stop, or until an inverse is due for a refresh.

    rules = limits, gains, floors of the policy and the learner's own floors, one column per trial.
    settings = delay, budget, every_round, forward_score, own rule, policy sees variance; then the
    cursor: next trial, next label to learn, trials asked, stop.
    """
    delay, budget, every, forward_score = settings[0], settings[1], settings[2] != 0, settings[3] != 0
    own, sees = settings[4] != 0, settings[5] != 0
    total, problems = signs.shape
    groups, width = kept.shape[0], kept.shape[2]
    sides = problems // groups
    ahead = own or sees or not every  # blocks pay unless every trial changes the weights
    scratch = aligned(4 * max(width, 8 * problems)).reshape(4, -1)
    block = aligned(LANES * width)
    scores = aligned(problems * LANES).reshape(problems, LANES)
    forms = aligned(groups * LANES).reshape(groups, LANES)
    cross = aligned(LANES)
    picks = np.empty(LANES, dtype=np.int64)
    slack = aligned(groups * LANES).reshape(groups, LANES)  # stays 0 where the forms are exact
    sizes = aligned(LANES * width)
    short = aligned((LANES * (width + 1) + 4 * width * (width // 8 + 1)) // 2).view(np.float32)
    lane, wanted = LANES - 1, False
    while settings[6] < settings[9] and not wanted:
        t = settings[6]
        lane += 1
        if not ahead:
            lane = 0
            for c in range(problems):
                scores[c, 0] = score_row(matrix[nodes[t]], kept[c // sides, 2 + c % sides])
        elif lane == LANES:
            lane = 0
            _fill(matrix, nodes, t, picks, block)
            for c in range(problems):
                combine(block, kept[c // sides, 2 + c % sides], 0, scores[c])
            if own or sees:
                if not sees:
                    for k in range(block.shape[0]):
                        sizes[k] = abs(block[k])
                        short[k] = block[k]
                for g in range(groups):
                    if sees:
                        block_forms(tiles_of(kept[g], sides), width // 8, block, forms[g])
                    else:
                        screen(kept[g], sides, sizes, short, forms[g], slack[g], scratch)
                    _take_off(kept[g], block, 0, cross, forms[g])
        first, second = -np.inf, -np.inf
        for c in range(problems):
            margin = scores[c, lane]
            if forward_score:
                margin /= 1.0 + form_of(kept[c // sides], sides, matrix[nodes[t]], scratch)
            margins[t, c] = margin
            if margin > first:
                first, second = margin, first
            elif margin > second:
                second = margin
        if settings[8] < budget:
            asks = settings[8] == 0
            if not asks:
                sureness = abs(first) if problems == 1 else 0.5 * (first - second)
                limit = rules[0, t]
                spread = 0.0
                if sees:
                    form = max(forms[:, lane].max(), 0.0)
                    spread = form / (1.0 + form)
                    limit += rules[1, t] * np.sqrt(spread)
                if spread > rules[2, t] and sureness < limit:
                    for c in range(problems):
                        g = c // sides
                        if not own or above(
                            forms[g, lane],
                            slack[g, lane],
                            rules[3, t],
                            kept[g],
                            sides,
                            matrix[nodes[t]],
                            scratch,
                        ):
                            codes[t, c] = ASKED
                            asks = True
            else:
                codes[t, :] = ASKED
            if asks:
                settings[8] += 1
        settings[6] = t + 1
        if t >= delay:
            past = settings[7]
            settings[7] += 1
            x = matrix[nodes[past]]
            if delay == 0:
                wanted = _teach(x, signs[past], codes[past], margins[past], kept, every, scratch)
            else:
                wanted = _teach_late(x, signs[past], codes[past], kept, every, scratch)
            if ahead and lane < LANES - 1 and not wanted:
                for c in range(problems):
                    if codes[past, c] == LEARNT:
                        combine(block, kept[c // sides, 2 + c % sides], lane + 1, scores[c])
                        if (own or sees) and c % sides == 0:
                            _take_off(kept[c // sides], block, lane + 1, cross, forms[c // sides])
    if settings[6] == total:
        while settings[7] < total and not wanted:
            past = settings[7]
            settings[7] += 1
            wanted = _teach_late(matrix[nodes[past]], signs[past], codes[past], kept, every, scratch)

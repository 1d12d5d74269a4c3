"""The compiled game of the ridge learners: all classes in one pass, nothing allocated per trial.

Per class, in coordinates d, a score costs d products and a lesson 3d²/2: one pass over half of A⁻¹ for its
change and for A⁻¹x. Where the variance is needed, coming trials stand side by side in blocks, coordinate by
coordinate: r = xᵀA⁻¹x of a whole block reads the inverse once and costs d²/2 per trial, a lesson with
u = A⁻¹x_k takes (u·x_j)² / (1 + r_k) off r_j for d per trial left in the block, and the scores of the block
are computed side by side too, with the same additions in the same order as trial by trial: margins are the
same to the last bit. Where only a threshold matters, `ridge_screen` begins in single precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import AskingRule, wants_label
from zerokelvin.jit import kernel
from zerokelvin.learners.base.ties import length, settle
from zerokelvin.learners.ridge.ridge_screen import copy_short, largest_roots, screen, side_of, slacks
from zerokelvin.least_squares.growing_inverse import PENDING, due, form_of, learn_row, score_row, tiles_of
from zerokelvin.machine.lanes import LANES, aligned, borrow, combine, eight_dot, fetch, lay_out, row_dot
from zerokelvin.machine.tiles import block_forms

__all__ = [
    "ASKED",
    "DUE",
    "LEARNT",
    "NEXT",
    "STOP",
    "RidgeRules",
    "linear_score",
    "play_ridge",
    "score_of",
    "scores_of",
]


ASKED, LEARNT = 1, 2
"""What becomes of a trial in a problem; 0 where it was not asked about."""

NEXT, DUE, COUNT, STOP = range(4)
"""Where a cursor holds the next trial, the next label to learn, the trials asked, and where to stop."""


class RidgeRules(NamedTuple):
    """How a game is played.

    One number per trial each: `limits`, `gains` and `floors` of the policy, `bars` on the form r of the
    learner's own rule, `lengths` ‖x‖. Then whether that rule, `own_rule`, and a policy that looks at the
    variance, `sees_variance`, are there.
    """

    limits: Floats
    gains: Floats
    floors: Floats
    bars: Floats
    lengths: Floats
    delay: int
    budget: int
    every_round: bool
    forward_score: bool
    own_rule: bool
    sees_variance: bool


@kernel
def linear_score(x: Floats, weights: Floats) -> float:
    """The product w·x, 0 for a tie; `weights` is a whole row of a workspace."""
    return settle(score_row(x, weights), length(x) * _size(weights))


@kernel
def _size(weights: Floats) -> float:
    """The length of a whole row of a workspace."""
    return np.sqrt(eight_dot(weights, weights))


@kernel
def score_of(x: Floats, kept: Floats, sides: int, side: int, forward_score: bool, scratch: Floats) -> float:
    """The linear or forward score of a vector."""
    score = linear_score(x, kept[2 + side])
    if forward_score:
        score /= 1.0 + form_of(kept, sides, x, scratch)
    return score


@kernel
def scores_of(matrix: Floats, nodes: Ints, kept: Floats, sides: int, side: int, forward: bool) -> Floats:
    """`score_of` the rows `nodes` of the matrix (n, d), one number each; nothing is changed."""
    scores, scratch = np.full(len(nodes), np.nan), np.empty((2, kept.shape[1]))
    for i in range(len(nodes)):
        scores[i] = score_of(matrix[nodes[i]], kept, sides, side, forward, scratch)
    return scores


@kernel
def _lesson(signs: Any, codes: Any, margins: Floats, t: int, every_round: bool) -> bool:
    """Whether a problem that asked has something to learn from trial t."""
    found = False
    for c in range(signs.shape[1]):  # to the end: a branch that is hard to foresee costs more
        found |= (codes[t, c] != 0) & (every_round | ((margins[t, c] >= 0) != (signs[t, c] > 0)))
    return found


@kernel
def _teach(
    x: Floats, t: int, signs: Any, codes: Any, scores: Any, kept: Floats, every_round: bool, scratch: Floats
) -> bool:
    """Give the labels of trial t to the problems that asked, mark which learnt; whether one is due."""
    groups, problems, wanted = kept.shape[0], signs.shape[1], False
    empty = True
    for j in range(x.shape[0]):
        if x[j] != 0.0:
            empty = False
            break
    if empty:
        return False
    labels = scratch[2]
    if groups < problems:
        if codes[t, 0] == 0:
            return False
        for c in range(problems):
            labels[c] = signs[t, c]
            codes[t, c] = LEARNT
        learn_row(kept[0], x, labels[:problems], scratch)
        return due(kept[0])
    for c in range(problems):
        if codes[t, c] != 0 and (every_round or (scores[c] >= 0) != (signs[t, c] > 0)):
            labels[0] = signs[t, c]
            learn_row(kept[c], x, labels[:1], scratch)
            codes[t, c] = LEARNT
            wanted = wanted or due(kept[c])
    return wanted


@kernel
def _teach_late(
    x: Floats, t: int, signs: Any, codes: Any, kept: Floats, every_round: bool, scratch: Floats
) -> bool:
    """`_teach` for a label that came after other labels were learnt."""
    scores = scratch[3]
    if kept.shape[0] == signs.shape[1]:
        for c in range(signs.shape[1]):
            scores[c] = linear_score(x, kept[c, 2])
    return _teach(x, t, signs, codes, scores, kept, every_round, scratch)


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
def _take_off(kept: Floats, block: Floats, dimension: int, lane: int, cross: Floats, forms: Floats) -> None:
    """Take the pending change of the inverse off the forms of the lanes from `lane` on."""
    combine(block, dimension, kept[1], lane, cross)
    scale = kept[0, PENDING]
    for b in range(lane, LANES):
        forms[b] -= scale * cross[b] * cross[b]


@kernel
def play_ridge(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    rules: RidgeRules,
    cursor: Ints,
    kept: Floats,
    margins: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Play from the cursor to the stop, or until an inverse is due for a refresh.

    The cursor has `NEXT`, `DUE`, `COUNT` and `STOP`.
    """
    delay, every, own, sees = rules.delay, rules.every_round, rules.own_rule, rules.sees_variance
    total, problems = signs.shape
    matrix, kept, margins = borrow(matrix), borrow(kept), borrow(margins)  # slices of these are passed on
    signs, codes = borrow(signs), borrow(codes)
    d, groups, width = matrix.shape[1], kept.shape[0], kept.shape[2]
    sides = problems // groups
    apart = 1 if groups == problems else 0  # problem c is side c·(1 − apart) of group c·apart
    looks, rough = own or sees, own and not sees
    weights = kept.reshape(-1, width)  # of problem c in row c·stride + 2
    stride = kept.shape[1] if apart else 1
    room = aligned(4 * max(width, 8 * problems))
    scratch = borrow(room).reshape(4, -1)
    scores = aligned(problems * LANES).reshape(problems, LANES)
    block = aligned(LANES * width)
    forms = aligned(groups * LANES).reshape(groups, LANES)
    slack = aligned(LANES)  # stays 0 where the forms are exact
    cross = aligned(LANES)
    reach = LANES + 4 if looks else 8
    picks = np.empty(LANES, dtype=np.int64)
    short = aligned(LANES * (width + 1) // 2).view(np.float32)
    copies = aligned(groups * 2 * width * (width // 8 + 1)).view(np.float32).reshape(groups, -1)
    stamps, roots = np.full((groups, 1), -1.0), aligned(width)
    lane, wanted, unsure = LANES - 1, False, True
    sizes = np.zeros(problems)  # ‖w‖ of every problem
    for c in range(problems):
        sizes[c] = _size(weights[c * stride + 2])
    while cursor[NEXT] < cursor[STOP] and not wanted:
        # 1. Every `LANES` trials: their scores, and their forms r where a rule looks at them.
        t = cursor[NEXT]
        lane += 1
        fetch(matrix, nodes[min(t + reach, total - 1)])
        if lane == LANES and looks:
            lane = 0
            _fill(matrix, nodes, t, picks, block)
            for c in range(problems):
                combine(block, d, weights[c * stride + 2], 0, scores[c])
            if rough:
                if unsure:
                    largest_roots(kept, sides, roots, scratch[0, :width])
                    unsure = False
                slacks(block, roots, d, slack)
                for k in range(block.shape[0]):
                    short[k] = block[k]
                for g in range(groups):
                    copy_short(kept[g], sides, copies[g], stamps[g])
                    screen(copies[g], d, short, forms[g])
            elif sees:
                for g in range(groups):
                    block_forms(tiles_of(kept[g], sides), d, block, forms[g])
                    _take_off(kept[g], block, d, 0, cross, forms[g])
        # 2. The margins of this trial.
        for c in range(problems):
            if looks:
                margins[t, c] = scores[c, lane]
            else:
                margins[t, c] = row_dot(matrix, nodes[t], weights, c * stride + 2)
            margins[t, c] = settle(margins[t, c], rules.lengths[t] * sizes[c])
            if rules.forward_score:
                margins[t, c] /= 1.0 + form_of(kept[c * apart], sides, matrix[nodes[t]], scratch)
        # 3. Whether its label is asked for, by the policy and by each problem's own rule.
        spread = 0.0
        if sees:
            form = max(forms[:, lane].max(), 0.0)
            spread = form / (1.0 + form)
        rule = AskingRule(rules.limits[t], rules.gains[t], rules.floors[t])
        if wants_label(cursor[COUNT], rules.budget, margins[t], spread, rule):
            alike, asks = cursor[COUNT] == 0 or not own, False
            for c in range(problems):
                side = 1 if alike else side_of(forms[c * apart, lane], slack[lane], rules.bars[t])
                if side < 0:
                    unsure = True
                    form = form_of(kept[c * apart], sides, matrix[nodes[t]], scratch)
                    side = 1 if form > rules.bars[t] else 0
                if side > 0:
                    codes[t, c] = ASKED
                    asks = True
            cursor[COUNT] += asks
        cursor[NEXT] = t + 1
        # 4. The label that is due: learn it, and bring what was computed ahead up to it.
        if t >= delay:
            past = cursor[DUE]
            cursor[DUE] += 1
            if delay > 0:
                wanted = _teach_late(matrix[nodes[past]], past, signs, codes, kept, every, scratch)
            elif _lesson(signs, codes, margins, past, every):
                x = matrix[nodes[past]]
                wanted = _teach(x, past, signs, codes, margins[past], kept, every, scratch)
            else:
                continue
            for c in range(problems):
                if codes[past, c] == LEARNT:
                    sizes[c] = _size(weights[c * stride + 2])
            if looks and lane < LANES - 1 and not wanted:
                for c in range(problems):
                    if codes[past, c] == LEARNT:
                        combine(block, d, weights[c * stride + 2], lane + 1, scores[c])
                for g in range(groups):
                    if codes[past, g] == LEARNT:
                        _take_off(kept[g], block, d, lane + 1, cross, forms[g])
    if cursor[NEXT] == total:
        while cursor[DUE] < total and not wanted:
            past = cursor[DUE]
            cursor[DUE] += 1
            wanted = _teach_late(matrix[nodes[past]], past, signs, codes, kept, every, scratch)
    room[0] = 0.0  # used to the end, as scratch is only borrowed from it

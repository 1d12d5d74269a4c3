"""The compiled game of the ridge learners: all classes in one pass, nothing allocated per trial.

Where the variance is needed in every trial, r = xᵀA⁻¹x is computed for blocks of coming trials at once, which
reads the factorisation once for many of them, and corrected for the updates inside the block: with z = L⁻¹x,
an update at x_k takes (z_jᵀD⁻¹z_k)²/(1 + r_k) off r_j. Margins come from the weights, so that they are the
same to the last bit as when played trial by trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.linalg.ldl import dot, forward, forward_block, learn

__all__ = ["ASKED", "LEARNT", "play_ridge", "score_of", "scores_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LANES = 32
ASKED, LEARNT = 1, 2
"""What becomes of a trial in a problem; 0 where it was not asked about."""


@kernel
def score_of(x: Floats, factor: Floats, side: int, forward_score: bool, z: Floats) -> float:
    """The linear or forward score of a vector; `z` is scratch."""
    d = x.shape[0]
    score = dot(x, factor[d + side, :d])
    if forward_score:
        z[:d] = x
        score /= 1.0 + forward(factor, z, d)
    return score


@kernel
def scores_of(matrix: Floats, nodes: Ints, factor: Floats, side: int, forward_score: bool) -> Floats:
    """The scores of several rows."""
    scores, z = np.empty(len(nodes)), np.empty(matrix.shape[1])
    for i in range(len(nodes)):
        scores[i] = score_of(matrix[nodes[i]], factor, side, forward_score, z)
    return scores


@kernel
def _teach(x: Floats, signs: Any, codes: Any, factors: Floats, every_round: bool, scratch: Floats) -> None:
    """Give one trial's labels to the problems that asked, and mark in `codes` which learnt."""
    d, groups, problems = x.shape[0], factors.shape[0], len(signs)
    empty = True
    for j in range(d):
        if x[j] != 0.0:
            empty = False
            break
    if empty:
        return
    gain, z, labels = scratch[0, :d], scratch[1], scratch[2]
    if groups < problems:
        if codes[0] == 0:
            return
        for c in range(problems):
            labels[c] = signs[c]
            codes[c] = LEARNT
        learn(factors[0], x, labels[:problems], gain, z[: d + problems])
        return
    for c in range(problems):
        if codes[c] == 0:
            continue
        guess = 1 if dot(x, factors[c, d, :d]) >= 0 else -1
        if every_round or guess != signs[c]:
            labels[0] = signs[c]
            learn(factors[c], x, labels[:1], gain, z[: d + 1])
            codes[c] = LEARNT


@kernel
def _correct(z: Floats, inverse: Floats, taken: Floats, used: int, k: int, forms: Floats) -> None:
    """Take the update at lane k off the forms of the later lanes; `taken` keeps what was taken."""
    d, lanes = z.shape
    row = taken[used]
    row[:] = 0.0
    for i in range(d):
        zi = z[i]
        factor = zi[k] * inverse[i]
        for j in range(lanes):
            row[j] += factor * zi[j]
    for earlier in range(used):
        factor = taken[earlier, k]
        for j in range(lanes):
            row[j] -= factor * taken[earlier, j]
    scale = 1.0 / np.sqrt(1.0 + forms[k])
    for j in range(lanes):
        row[j] *= scale
    for j in range(k + 1, lanes):
        forms[j] = max(forms[j] - row[j] * row[j], 0.0)


@kernel
def play_ridge(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    rules: Floats,
    settings: Ints,
    factors: Floats,
    margins: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Play from the cursor to the stop.

    rules = limits, gains, floors of the policy and the learner's own floors, one column per trial.
    settings = delay, budget, every_round, forward_score, own rule, policy sees variance; then the
    cursor: next trial, next label to learn, trials asked, stop.
    """
    delay, budget, every, forward_score = settings[0], settings[1], settings[2] != 0, settings[3] != 0
    own, sees = settings[4] != 0, settings[5] != 0
    total, problems = signs.shape
    d, groups = matrix.shape[1], factors.shape[0]
    scratch = np.empty((3, d + problems + 1))
    z = np.empty((groups, d, LANES))
    inverse = np.empty((groups, d))
    forms = np.zeros((groups, LANES))
    taken = np.empty((groups, LANES, LANES))
    used = np.zeros(groups, dtype=np.int64)
    lane = LANES
    for t in range(settings[6], settings[9]):
        if (own or sees) and lane == LANES:
            for g in range(groups):
                for b in range(LANES):
                    x = matrix[nodes[min(t + b, total - 1)]]
                    for i in range(d):
                        z[g, i, b] = x[i]
                for i in range(d):
                    inverse[g, i] = 1.0 / factors[g, i, i]
                forward_block(factors[g], z[g], forms[g])
                used[g] = 0
            lane = 0
        x = matrix[nodes[t]]
        first, second = -np.inf, -np.inf
        for c in range(problems):
            g, side = (c, 0) if groups == problems else (0, c)
            margin = dot(x, factors[g, d + side])
            if forward_score:
                margin = score_of(x, factors[g], side, True, scratch[1])
            margins[t, c] = margin
            if margin > first:
                first, second = margin, first
            elif margin > second:
                second = margin
        if settings[8] < budget:
            wanted = settings[8] == 0
            if not wanted:
                sureness = abs(first) if problems == 1 else 0.5 * (first - second)
                limit = rules[0, t]
                spread = 0.0
                if sees:
                    form = forms[:, lane].max()
                    spread = form / (1.0 + form)
                    limit += rules[1, t] * np.sqrt(spread)
                if spread > rules[2, t] and sureness < limit:
                    for c in range(problems):
                        form = forms[c if groups == problems else 0, lane] if own else np.inf
                        if not own or form / (1.0 + form) > rules[3, t]:
                            codes[t, c] = ASKED
                            wanted = True
            else:
                codes[t, :] = ASKED
            if wanted:
                settings[8] += 1
        settings[6] = t + 1
        if t >= delay:
            due = settings[7]
            settings[7] += 1
            _teach(matrix[nodes[due]], signs[due], codes[due], factors, every, scratch)
            for g in range(groups):
                if lane >= LANES - 1 or codes[due, g] != LEARNT:
                    continue
                if delay > 0:
                    lane = LANES - 1  # the learnt node is not in this block: begin another
                else:
                    _correct(z[g], inverse[g], taken[g], used[g], lane, forms[g])
                    used[g] += 1
        if own or sees:
            lane += 1
    if settings[6] == total:
        for due in range(settings[7], total):
            _teach(matrix[nodes[due]], signs[due], codes[due], factors, every, scratch)
        settings[7] = total

"""Exactly uniform random order ideals, hence minimum cuts, by monotone coupling from the past.

One move picks a vertex and a coin: heads adds the vertex to the ideal if all its predecessors are in
it, tails removes it if none of its successors are. The uniform distribution is stationary, and a move
applied to two nested ideals leaves them nested. So the same moves are run from further and further in
the past, always ending now, on the empty and the full ideal; once the two meet, everything between
has met, and where they are now is an exact draw.

Reference: Propp and Wilson (1996), Exact sampling with coupled Markov chains, Section 3.3.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Bools, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.flow.static.ideals import InnerPart
from zerokelvin.jit import kernel

__all__ = ["sample_ideals"]

MOST_MOVES = 2**26


def sample_ideals(part: InnerPart, samples: int, rng: np.random.Generator) -> Bools:
    """Independent uniform ideals of a part, one mask per row.

    The number of moves is not bounded beforehand: a part in which the chain mixes very slowly is
    given up after 2^26 moves for one draw.

    >>> rng = np.random.default_rng(0)
    >>> chain = InnerPart(2, np.array([[0, 1]]), watched=0)
    >>> drawn = sample_ideals(chain, 3000, rng)
    >>> bool((drawn[:, 0] >= drawn[:, 1]).all()), round(float(drawn[:, 0].mean()), 1)
    (True, 0.7)
    """
    before = _rows(part.num, part.arcs[:, 1], part.arcs[:, 0])
    after = _rows(part.num, part.arcs[:, 0], part.arcs[:, 1])
    out = np.zeros((samples, part.num), dtype=np.bool_)
    if part.num == 0:
        return out
    usual = 4 * part.num
    for k in range(samples):
        moves = rng.integers(2 * part.num, size=usual)  # the newest first
        while not _meet(*before, *after, moves, out[k]):
            if len(moves) > MOST_MOVES:
                raise ParameterError(
                    f"sampling minimum cuts over {part.num} super-vertices does not settle; raise max_states."
                )
            moves = np.concatenate([moves, rng.integers(2 * part.num, size=len(moves))])
        usual = max(4 * part.num, len(moves) // 2)
    return out


def _rows(num: int, owners: Ints, others: Ints) -> tuple[Ints, Ints]:
    """CSR arrays (indptr, others) in which row v holds the `others` whose owner is v."""
    order = np.argsort(owners, kind="stable")
    return np.searchsorted(owners[order], np.arange(num + 1)), np.ascontiguousarray(others[order])


@kernel
def _meet(before_at: Ints, before: Ints, after_at: Ints, after: Ints, moves: Ints, result: Bools) -> bool:
    """Run the moves, oldest first, from the empty and the full ideal; whether they end alike."""
    low = np.zeros(len(result), dtype=np.bool_)
    high = np.ones(len(result), dtype=np.bool_)
    for t in range(len(moves) - 1, -1, -1):
        v = moves[t] >> 1
        if moves[t] & 1:
            in_low, in_high = True, True
            for k in range(before_at[v], before_at[v + 1]):
                in_low &= low[before[k]]
                in_high &= high[before[k]]
            low[v] |= in_low
            high[v] |= in_high
        else:
            in_low, in_high = False, False
            for k in range(after_at[v], after_at[v + 1]):
                in_low |= low[after[k]]
                in_high |= high[after[k]]
            low[v] &= in_low
            high[v] &= in_high
    for v in range(len(result)):
        result[v] = low[v]
        if low[v] != high[v]:
            return False
    return True

"""One trial of an online minimum cut in compiled code: guess a node, learn its label, or a whole game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bytes, Ints
from zerokelvin.flow.online.components import length
from zerokelvin.flow.online.cut_arrays import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    INVALID,
    LABEL,
    LISTED,
    MEMBER,
    MINUS,
    NONE,
    PARENT,
    PLUS,
    QUEUE,
    ROOT,
    ROSTER,
    ROSTER_COUNT,
    SEEN,
    SIDE,
    TOTAL,
    TOUCHES,
    VALUE,
    VIA,
    CutArrays,
    borrowed,
    note_arc,
    note_node,
)
from zerokelvin.flow.online.forests import change_side, grow
from zerokelvin.jit import inner_kernel, kernel

__all__ = ["LocalPart", "guess", "learn", "local_part", "play", "replace", "reveal"]


class LocalPart(NamedTuple):
    """A weakly connected part of the inner Picard–Queyranne graph.

    Attributes
    ----------
    vertices
        The row of each super-vertex's representative; that of the node asked about comes first.
    arcs
        The arcs between them, as pairs of positions in `vertices`, of shape (arcs, 2).
    """

    vertices: Ints
    arcs: Ints


@kernel
def play(s: CutArrays, order: Ints, labels: Ints, longest: bool) -> Bytes:
    """Guess and learn the nodes of `order`, whose labels stand in `labels`; the guesses."""
    s, guesses = borrowed(s), np.full(len(order), -1, dtype=np.int8)
    for t in range(len(order)):
        guesses[t] = guess(s, order[t], longest)
        learn(s, order[t], labels[t])
    return guesses


@kernel
def guess(s: CutArrays, v: int, longest: bool) -> int:
    """Label of v by its side, else by its path lengths, else by the labels seen more often."""
    where = s.nodes[v, SIDE]
    if where != INNER:
        return where
    start = length(s, 0, v, longest)
    if start == NONE:
        return 1 if s.tally[PLUS] >= s.tally[MINUS] else -1
    if start == 1:  # no path is shorter, so the other length need not be known
        return -1
    return -1 if start <= length(s, 1, v, longest) else 1


@kernel
def learn(s: CutArrays, v: int, y: int) -> None:
    """Take the label y of v; another label than before replaces the old one."""
    old = s.nodes[v, LABEL]
    if old == 0:
        reveal(s, v, y)
    elif old != y:
        replace(s, v, y)


@kernel
def reveal(s: CutArrays, v: int, y: int) -> None:
    """Learn the label y of the unlabelled node in row v: root it, grow its side, or let the cut rise."""
    s = borrowed(s)
    note_node(s, v)
    s.nodes[v, LABEL] = y
    s.tally[PLUS if y > 0 else MINUS] += 1
    if s.scratch[LISTED, v] == 0:
        s.scratch[LISTED, v] = 1
        s.scratch[ROSTER, s.tally[ROSTER_COUNT]] = v
        s.tally[ROSTER_COUNT] += 1
    where = s.nodes[v, SIDE]
    if where == y:
        s.nodes[v, PARENT] = ROOT
    elif where == INNER:
        grow(s, y, v)
    else:
        change_side(s, v, where)


@kernel
def replace(s: CutArrays, v: int, y: int) -> None:
    """Give a labelled node another label, or none (0): replay its connected component."""
    s = borrowed(s)
    nodes, tally = s.nodes, s.tally
    old = nodes[v, LABEL]
    if old == 0:
        return
    tally[PLUS if old > 0 else MINUS] -= 1
    note_node(s, v)
    nodes[v, LABEL] = 0
    count = _reset(s, v)
    part, known = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for i in range(count):
        part[i] = s.scratch[QUEUE, i]
        known[i] = nodes[part[i], LABEL]
        nodes[part[i], LABEL] = 0
        if known[i] != 0:
            tally[PLUS if known[i] > 0 else MINUS] -= 1
    known[0] = y  # of v itself, which `_reset` puts first
    for i in range(count):
        if known[i] != 0:
            reveal(s, part[i], known[i])


@inner_kernel
def _reset(s: CutArrays, v: int) -> int:
    """Take flow and sides out of v's connected component; its nodes are left in the queue."""
    indptr, arcs, residual, nodes, lengths, scratch, tally, _, _ = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    nodes[v, SEEN] = stamp
    queue[0] = v
    head, tail = 0, 1
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            tally[TOUCHES] += 1
            y = arcs[a, HEAD]
            if nodes[x, SIDE] < 0 and nodes[y, SIDE] >= 0:
                tally[VALUE] -= arcs[a, TOTAL] // 2
            note_arc(s, a)
            residual[a] = arcs[a, TOTAL] // 2
            if nodes[y, SEEN] != stamp:
                nodes[y, SEEN] = stamp
                queue[tail] = y
                tail += 1
    for i in range(tail):
        x = queue[i]
        note_node(s, x)
        nodes[x, SIDE] = INNER
        nodes[x, PARENT] = ROOT
        nodes[x, COMPONENT] = v
        nodes[x, MEMBER] = queue[(i + 1) % tail]
    lengths[v, 0] = INVALID
    lengths[v, 1] = INVALID
    return tail


@kernel
def local_part(s: CutArrays, v: int) -> LocalPart:
    """The inner super-vertices connected with that of the inner node in row v."""
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    top = nodes[v, COMPONENT]
    nodes[top, SEEN] = stamp
    nodes[top, VIA] = 0
    queue[0] = top
    head, tail = 0, 1
    found = [(0, 0)][:0]
    while head < tail:
        c = queue[head]
        head += 1
        x = c
        while True:
            for a in range(indptr[x], indptr[x + 1]):
                y = arcs[a, HEAD]
                b = nodes[y, COMPONENT]
                if nodes[y, SIDE] != INNER or b == c:
                    continue
                if nodes[b, SEEN] != stamp:
                    nodes[b, SEEN] = stamp
                    nodes[b, VIA] = tail
                    queue[tail] = b
                    tail += 1
                if residual[a] == 0:
                    found.append((nodes[c, VIA], nodes[b, VIA]))
            x = nodes[x, MEMBER]
            if x == c:
                break
    out = np.full((len(found), 2), -1)
    for k in range(len(found)):
        out[k, 0], out[k, 1] = found[k]
    return LocalPart(queue[:tail].copy(), out)

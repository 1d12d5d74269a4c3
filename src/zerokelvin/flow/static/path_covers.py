"""Theorem 8 as printed: one game on a Picard–Queyranne graph, bounded over its path covers.

A k-path cover P of a Picard–Queyranne graph without weights divides its arcs, each as often as edges stand
behind it, into k paths p_1, …, p_k from the source to the target. As long as no label raises the minimum cut,
the mistakes are at most (Herbster, Pasteris and Ghosh 2015, Theorem 8)

    fixed-paths(P)   Σ log₂|p_i|
    0-Ising          min over all covers P of Σ log₂|p_i|
    longest-path     max over all covers P of Σ log₂|p_i|

(the paper prints argmin and argmax for the two extremes). Both are found by going through the super-vertices
in order and keeping every way in which lengths can have arrived, as long as these are at most `max_states`.
Beyond, the least is that of the cover which takes the longest path first, and the largest is bounded by the
longest path through every arc out of the source or into the target, and, as all covers have the same number
E of arcs and the logarithm is concave, by k log₂(E/k).

`run.bound` of the learners goes further: over the sequence of games that was played, part by part, with
logarithms rounded down and with weights (`zerokelvin.learners.cuts.cut_bounds`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.flow.static.picard_queyranne import PicardQueyranne
from zerokelvin.graph import Measured

__all__ = ["least_path_cover", "most_path_cover", "theorem_8"]

CoverLengths = tuple[int, ...]
"""The length of every path of a cover, in arcs."""

Arrivals = tuple[tuple[int, CoverLengths], ...]
"""For some super-vertices the lengths of the paths that have arrived there."""

STRATEGIES = ("fixed-paths", "zero-ising", "longest-path")


def theorem_8(
    pq: PicardQueyranne,
    strategy: str,
    cover: Sequence[Sequence[int]] | None = None,
    max_states: int = 20_000,
) -> Bound:
    """The bound of Theorem 8 on the mistakes of one game, in which no label raises the minimum cut.

    Parameters
    ----------
    pq
        The Picard–Queyranne graph the game begins with, of a graph without weights.
    strategy
        ``"fixed-paths"``, ``"zero-ising"`` or ``"longest-path"``.
    cover
        The paths of fixed-paths, each a list of super-vertices from the source to the target; together they
        use every arc as often as it has edges.
    max_states
        How many ways of arrival are kept for the extremes to be exact.

    Examples
    --------
    >>> from zerokelvin.flow import picard_queyranne
    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([(i, i + 1) for i in range(8)])
    >>> theorem_8(picard_queyranne(line, {0: 0, 8: 1}), "longest-path").value
    3.0
    """
    if strategy not in STRATEGIES:
        raise ParameterError(
            f"strategy={strategy!r} has no bound in Theorem 8; known: {', '.join(STRATEGIES)}."
        )
    arcs = _arcs(pq)
    paths, edges = sum(n for (a, _), n in arcs.items() if a == pq.source), sum(arcs.values())
    terms = {"k": float(paths), "arcs": float(edges)}
    if strategy == "fixed-paths":
        if cover is None:
            raise ParameterError("fixed-paths plays on a cover; give it as lists of super-vertices.")
        value, kind = _checked(arcs, cover, pq.source, pq.target), "the cover given"
    else:
        least = strategy == "zero-ising"
        found = least_path_cover(pq, max_states) if least else most_path_cover(pq, max_states)
        value, kind = found.value, "the least cover" if least else "the largest cover"
    theorem = f"Theorem 8 for one game without a rise of the cut, {kind}, Herbster, Pasteris and Ghosh 2015"
    return Bound(value, theorem, terms)


def least_path_cover(pq: PicardQueyranne, max_states: int = 20_000) -> Measured:
    """The least Σ log₂|p_i| over all path covers, or, if these are too many, of the longest paths first."""
    arcs = _arcs(pq)
    ends = _arrivals(arcs, pq.num_super_vertices, max_states)
    if ends is not None:
        return Measured(min(map(_logs, ends)), True, "every cover")
    return Measured(_logs(_longest_first(arcs, pq)), False, "the longest path first")


def most_path_cover(pq: PicardQueyranne, max_states: int = 20_000) -> Measured:
    """The largest Σ log₂|p_i| over all path covers, or an upper bound where there are too many."""
    arcs = _arcs(pq)
    ends = _arrivals(arcs, pq.num_super_vertices, max_states)
    if ends is not None:
        return Measured(max(map(_logs, ends)), True, "every cover")
    start, end = pq.longest_from_source, pq.longest_to_target
    out = sum(n * math.log2(1 + end[b]) for (a, b), n in arcs.items() if a == pq.source)
    into = sum(n * math.log2(1 + start[a]) for (a, b), n in arcs.items() if b == pq.target)
    direct = arcs.get((pq.source, pq.target), 0)
    paths = sum(n for (a, _), n in arcs.items() if a == pq.source) - direct
    alike = paths * math.log2((sum(arcs.values()) - direct) / paths) if paths else 0.0
    return Measured(min(out, into, alike), False, "longest paths, and paths of equal length")


def _arcs(pq: PicardQueyranne) -> Counter[tuple[int, int]]:
    """Every arc with the number of edges behind it."""
    counts = np.rint(pq.arc_weights)
    if not np.allclose(pq.arc_weights, counts, rtol=0, atol=1e-9):
        raise ParameterError("Theorem 8 counts edges; take a graph without weights, or with whole ones.")
    pairs = map(tuple, pq.arcs.tolist())
    return Counter(dict(zip(pairs, counts.astype(int).tolist(), strict=True)))


def _logs(lengths: CoverLengths) -> float:
    """Σ log₂ of the lengths of the paths of a cover."""
    return math.fsum(math.log2(length) for length in lengths)


def _arrivals(arcs: Counter[tuple[int, int]], count: int, max_states: int) -> set[CoverLengths] | None:
    """The lengths of the paths of every cover, each sorted; None where more than `max_states` are under way.

    Super-vertices are numbered so that arcs lead upwards. A state says with which lengths paths have
    arrived at each of those still to come.
    """
    states: set[Arrivals] = {()}
    tried = 0
    for vertex in range(count - 1):
        heads = {head: n for (tail, head), n in sorted(arcs.items()) if tail == vertex}
        following: set[Arrivals] = set()
        for state in states:
            waiting = dict(state)
            lengths = Counter(waiting.pop(vertex, (0,) * sum(heads.values())))
            for share in _shares(sorted(lengths.items()), heads):
                tried += 1
                arrived = {v: list(there) for v, there in waiting.items()}
                for head, length, n in share:
                    arrived.setdefault(head, []).extend([length + 1] * n)
                following.add(tuple(sorted((v, tuple(sorted(there))) for v, there in arrived.items())))
                if len(following) > max_states or tried > 20 * max_states:
                    return None
        states = following
    return {state[0][1] if state else () for state in states}


def _shares(
    lengths: Sequence[tuple[int, int]], heads: dict[int, int]
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Every way to send so many paths of each length on to the heads: (head, length, how many)."""
    if not lengths:
        yield ()
        return
    length, count = lengths[0]
    for taken in _picks(tuple(heads.items()), count):
        left = {head: n - taken.get(head, 0) for head, n in heads.items()}
        for rest in _shares(lengths[1:], left):
            yield (*((head, length, n) for head, n in taken.items()), *rest)


def _picks(places: tuple[tuple[int, int], ...], count: int) -> Iterator[dict[int, int]]:
    """Every way to take `count` in all from heads that offer so many each: how many from each head."""
    if count == 0:
        yield {}
        return
    if sum(n for _, n in places) < count:
        return
    (head, most), others = places[0], places[1:]
    for n in range(min(most, count), -1, -1):
        for rest in _picks(others, count - n):
            yield {head: n, **rest} if n else rest


def _longest_first(arcs: Counter[tuple[int, int]], pq: PicardQueyranne) -> CoverLengths:
    """The lengths of a cover that takes away the longest path again and again."""
    left, found = arcs.copy(), []
    while any(n for (a, _), n in left.items() if a == pq.source):
        far, by = {pq.source: 0}, {}
        for (a, b), n in sorted(left.items()):
            if n and a in far and far[a] + 1 > far.get(b, -1):
                far[b], by[b] = far[a] + 1, a
        at, length = pq.target, 0
        while at != pq.source:
            left[by[at], at] -= 1
            at, length = by[at], length + 1
        found.append(length)
    return tuple(found)


def _checked(
    arcs: Counter[tuple[int, int]], cover: Sequence[Sequence[int]], source: int, target: int
) -> float:
    """Σ log₂|p_i| of a cover given as lists of super-vertices, which is refused if it is none."""
    used = Counter(step for path in cover for step in pairwise(path))
    ends = all(len(path) > 1 and path[0] == source and path[-1] == target for path in cover)
    if used != arcs or not ends:
        raise ParameterError(
            f"the paths are no cover: each must lead from {source} to {target}, and together they must use "
            "every arc as often as it has edges."
        )
    return math.fsum(math.log2(len(path) - 1) for path in cover)

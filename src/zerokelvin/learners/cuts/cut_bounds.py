"""A certificate for the minimum-cut learners: their mistakes, bounded along the trials that were played.

A game begins when both labels of a connected component are known, and a new one each time its minimum cut
rises (Herbster, Pasteris and Ghosh 2015, Sections 3.2 and 3.3). Replaying the labels, mistakes are at most

    components with a label + labels that made a cut rise + labels replaced + Σ_games Σ_parts B(part),

because a prediction that all minimum cuts agree on is wrong only if the cut rises. A part is a weakly
connected set of inner super-vertices when its first label comes; with s its source arcs, t its target arcs,
w their weights, ℓ the longest path that starts or ends with the arc, and w₀ the lightest arc,

    B = min( Σ_s w ⌊log₂ ℓ⌋ / w₀,  Σ_t w ⌊log₂ ℓ⌋ / w₀,  super-vertices,  labels given inside ).

Without weights the first two are at most k ⌊log₂ L⌋, the form of Theorem 8. The proof carries over to
weights: decompose the flow into weighted paths; a mistake on a super-vertex Z doubles a path into Z of
weight at least w₀, since it can go on along the longest path out of Z (docs/theory/zero-temperature.md).
For `shortest-path`, which has no such bound (Proposition 7), only the last two terms count; `zero-ising` and
`fixed-paths` put ⌊log₂⌋ of the part's minimum cuts and Σ ⌊log₂|p_i|⌋ over its paths in the place of the sums.
Nothing is assumed about weights, noise or repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.flow.online.components import length
from zerokelvin.flow.online.cut_arrays import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    LABEL,
    MEMBER,
    NONE,
    QUEUE,
    SEEN,
    SIDE,
    TOTAL,
    CutArrays,
)
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.flow.online.trials import learn
from zerokelvin.jit import kernel

__all__ = ["part_certificate", "path_certificate"]

PAPER = "Herbster, Pasteris and Ghosh 2015"

# slots of Replay.counts: first labels of a component, labels that made a cut rise, labels replaced, parts
# played, arcs on the longest path met
FIRST, RISES, REPLACED, PARTS, LONGEST = range(5)


class Replay(NamedTuple):
    """What a replay of labels has found.

    Attributes
    ----------
    counts
        How often each thing happened; the slots are named in this module.
    bounds
        The bound B of every part played, before it is compared with the labels given inside.
    given
        How many labels came into every part.
    """

    counts: Ints
    bounds: Floats
    given: Floats


class PartPrice(NamedTuple):
    """The bound on the mistakes of one part, the arcs on its longest path, and its super-vertices by row."""

    bound: float
    longest: int
    vertices: Ints


class Replayed(Protocol):
    """What a replay needs of a state: its minimum cut, and that it learns labels."""

    cut: OnlineCut

    def update(self, node: int, label: int) -> None:
        """Learn the label −1 or +1 of a node."""


def path_certificate(cut: OnlineCut, nodes: Ints, labels: Ints) -> Bound:
    """The certificate of a path strategy; `cut` is fresh, and used up by the replay."""
    longest = cut.paths == "longest"
    connected = np.empty(cut.graph.num_nodes, dtype=np.int64)
    connected[cut.rows(np.arange(cut.graph.num_nodes))] = cut.graph.components
    replay = _replay(cut.arrays, cut.rows(nodes), labels, connected, longest)
    theorem = (
        f"Theorem 8 over the games played, {PAPER}"
        if longest
        else f"every mistake absorbs a super-vertex, Proposition 5, {PAPER}"
    )
    return _add_up(replay, theorem)


def part_certificate(
    state: Replayed, trials: list[tuple[int, int]], price: Callable[[int], int], theorem: str
) -> Bound:
    """The certificate of a strategy whose parts are priced one by one.

    Parameters
    ----------
    state
        A fresh state of the strategy whose cut is not `close`; it learns the trials.
    price
        Bound on the mistakes of the part around a node, from the state as it is before the node's label.
    """
    cut = state.cut
    component = cut.graph.components
    counts = np.zeros(5, dtype=np.int64)
    played: list[list[int]] = []  # per part: its bound, labels given inside
    current: dict[int, list[int]] = {}  # super-vertex → its part in the present game
    for node, label in trials:
        known, side = cut.known_label(node), cut.side(node)
        if known or side != INNER:
            if label != (known or side):
                counts[REPLACED if known else RISES] += 1
                here = component[node]
                current = {own: part for own, part in current.items() if component[own] != here}
        elif cut.is_free(node):
            counts[FIRST] += 1
        else:
            own = cut.super_vertex(node)
            cost = price(node)
            if own not in current:
                played.append([cost, 0])
                part = _price(cut.arrays, own, True)
                counts[LONGEST] = max(counts[LONGEST], part.longest)
                current |= dict.fromkeys(part.vertices.tolist(), played[-1])
            current[own][1] += 1
        state.update(node, label)
    counts[PARTS] = len(played)
    bounds, given = np.array(played, dtype=np.float64).reshape(-1, 2).T
    return _add_up(Replay(counts, bounds, given), f"{theorem}, {PAPER}")


def _add_up(replay: Replay, theorem: str) -> Bound:
    """The certificate: what was counted, and of every part the lesser of its bound and its labels."""
    counts, bounds, given = replay
    inner = float(np.minimum(bounds, given).sum())
    terms = {
        "components with a label": float(counts[FIRST]),
        "rises of the cut": float(counts[RISES]),
        "labels replaced": float(counts[REPLACED]),
        "parts played": float(counts[PARTS]),
        "mistakes inside, by the theorem": float(bounds.sum()),
        "labels given inside": float(given.sum()),
        "mistakes inside": inner,
        "longest path": float(counts[LONGEST]),
    }
    return Bound(float(counts[:PARTS].sum()) + inner, theorem, terms)


@kernel
def _replay(s: CutArrays, order: Ints, labels: Ints, connected: Ints, longest: bool) -> Replay:
    """Learn the labels of the rows in `order`; ``connected`` holds the connected component of every row."""
    num = len(connected)
    game = np.zeros(num, dtype=np.int64)  # of every connected component
    payment = np.full(num, -1, dtype=np.int64)  # of every super-vertex, at its representative
    paid_in = np.full(num, -1, dtype=np.int64)
    counts = np.zeros(5, dtype=np.int64)
    bounds = [0.0][:0]
    used = [0][:0]
    for t in range(len(order)):
        v, y = order[t], labels[t]
        old, where = s.nodes[v, LABEL], s.nodes[v, SIDE]
        if old != 0:
            if old != y:
                counts[REPLACED] += 1
                game[connected[v]] += 1
        elif where != INNER:
            if where != y:
                counts[RISES] += 1
                game[connected[v]] += 1
        elif length(s, 0, v, longest) == NONE:
            counts[FIRST] += 1
        else:
            c = s.nodes[v, COMPONENT]
            now = game[connected[v]]
            if paid_in[c] != now:
                part = _price(s, c, longest)
                for k in range(len(part.vertices)):
                    payment[part.vertices[k]] = len(bounds)
                    paid_in[part.vertices[k]] = now
                bounds.append(part.bound)
                used.append(0)
                counts[LONGEST] = max(counts[LONGEST], part.longest)
            used[payment[c]] += 1
        learn(s, v, y)
    counts[PARTS] = len(bounds)
    prices, given = np.full(len(bounds), np.nan), np.full(len(bounds), np.nan)
    for k in range(len(bounds)):
        prices[k], given[k] = bounds[k], used[k]
    return Replay(counts, prices, given)


@kernel
def _price(s: CutArrays, top: int, longest: bool) -> PartPrice:
    """The bound B of the part around the inner super-vertex with representative `top`."""
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    nodes[top, SEEN] = stamp
    queue[0] = top
    head, tail = 0, 1
    lightest = np.int64(2**62)
    out_of_source, into_target = 0.0, 0.0
    reach = 0
    # visit the super-vertices breadth first; sum the weights of arcs from the source and to the target
    while head < tail:
        c = queue[head]
        head += 1
        start, end = length(s, 0, c, longest), length(s, 1, c, longest)
        reach = max(reach, start + end)
        x = c
        while True:
            for a in range(indptr[x], indptr[x + 1]):
                y = arcs[a, HEAD]
                weight = arcs[a, TOTAL] // 2
                if nodes[y, SIDE] != INNER:
                    if residual[a] > 0:
                        out_of_source += weight * np.floor(np.log2(end + 1.0))
                    else:
                        into_target += weight * np.floor(np.log2(start + 1.0))
                elif nodes[y, COMPONENT] == c:
                    continue
                elif nodes[nodes[y, COMPONENT], SEEN] != stamp:
                    nodes[nodes[y, COMPONENT], SEEN] = stamp
                    queue[tail] = nodes[y, COMPONENT]
                    tail += 1
                lightest = min(lightest, weight)
            x = nodes[x, MEMBER]
            if x == c:
                break
    bound = float(tail)
    if longest:
        bound = min(bound, np.floor(min(out_of_source, into_target) / lightest))
    return PartPrice(bound, reach, queue[:tail].copy())

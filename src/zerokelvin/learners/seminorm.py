"""Minimum p-seminorm interpolants on a graph, moved from one label to the next.

Minimise E(f) = (1/p) Σ w_e |f_i − f_j|^p over f that agrees with the labels, 1 < p ≤ 2. Labelled nodes cut
the problem in pieces: a new label at v changes f only in the *region* of v, the unlabelled nodes reached
from v over unlabelled ones.

*p = 2.* With h the harmonic function of the region that is 1 at v and 0 at the other labels, the new
interpolant is f + (y − f_v) h, whatever the labels are: one linear system per label, for all classes. It is
solved by conjugate gradients on the region; where they need too many steps (long paths, few labels), by
`zerokelvin.linalg.analyse` on the region with all other labels joined to one node.

*p < 2.* Newton's method from the old f on the smoothed energy (1/p) Σ w (d² + s²)^(p/2) with d = f_i − f_j,
exact along each direction; s shrinks as soon as it is what keeps the gap open.

*Certificate.* Any flow g that is conserved at the unlabelled nodes bounds the minimum from below,

    E ≥ Σ g_e d_e − (1/q) Σ w_e^(1−q) |g_e|^q,      1/p + 1/q = 1.

The flow w d (d² + s²)^(p/2−1) is nearly conserved; what is missing is routed along a breadth-first forest to
the nearest labels. `duality_gap` does this without using the solvers it judges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.linalg.solver import analyse

__all__ = ["Gap", "Region", "duality_gap", "find_region", "harmonic_response", "minimise"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

CG_STEPS = 400
NEWTON_STEPS = 300
FIRST_SMOOTHING, LAST_SMOOTHING = 0.1, 1e-12


class Gap(NamedTuple):
    """Value of an interpolant, a lower bound on the minimum, and the gap between them relative to it."""

    primal: float
    dual: float
    relative: float


class Region(NamedTuple):
    """The unlabelled nodes that a node's label can move, and where each stands among them (−1: outside)."""

    nodes: Ints
    place: Ints


def find_region(graph: Graph, labels: Bytes, node: int) -> Region:
    """The region of a node, without the node itself."""
    return Region(*_spread(graph.indptr, graph.indices, labels, node))


def harmonic_response(
    graph: Graph, labels: Bytes, node: int, region: Region, direct: bool, engine: str
) -> tuple[Floats, float, bool]:
    """The harmonic function of a region that is 1 at `node` and 0 at the other labels.

    Returns its values on the region, the conductance between the node and the other labels (0 if there
    are none), and whether conjugate gradients were enough.
    """
    values = np.zeros(len(region.nodes))
    arrays = (graph.indptr, graph.indices, graph.weights)
    if not _touches(arrays, labels, region.nodes, region.place, node):
        return np.ones(len(region.nodes)), 0.0, True
    swift = not direct and bool(_conjugate_gradients(arrays, region.nodes, region.place, node, values))
    if not swift:
        values = _joined_solve(graph, node, region, engine)
    return values, float(_conductance(arrays, region.place, node, values)), swift


def minimise(graph: Graph, labels: Bytes, f: Floats, node: int, p: float, tol: float) -> None:
    """Move f around a newly labelled node to the minimum, every part to a relative gap of `tol`."""
    arrays = (graph.indptr, graph.indices, graph.weights)
    done = np.zeros(graph.num_nodes, dtype=np.bool_)
    for start in graph.neighbors(node).tolist():
        if labels[start] == 0 and not done[start]:
            nodes, place = _part(graph.indptr, graph.indices, labels, start)
            done[nodes] = True
            edges, weights = _edges_of(*arrays, nodes, place)
            _minimise_part(f, nodes, place[edges], edges, weights, p, tol)


def duality_gap(graph: Graph, labels: Bytes, f: Floats, p: float) -> Gap:
    """Certify f as a minimum p-seminorm interpolant of the labels (0: none) on every labelled component."""
    reached = np.isin(graph.components, graph.components[labels != 0])
    nodes = np.flatnonzero(reached & (labels == 0))
    place = np.full(graph.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    edges, weights = _edges_of(graph.indptr, graph.indices, graph.weights, nodes, place)
    d, ends = f[edges[:, 0]] - f[edges[:, 1]], place[edges]
    routes, part = _routes(ends, len(nodes)), _parts(ends, len(nodes))[ends[:, 0]]
    best = np.full(len(nodes), -np.inf)  # by part: the smoothing that certifies most
    for smooth in [0.0] if p == 2 else [0.0, *(FIRST_SMOOTHING * 0.2**k for k in range(17))]:
        terms = _dual_terms(d, weights, ends, routes, p, smooth)
        best = np.maximum(best, np.bincount(part, terms, len(nodes)))
    primal, dual = float((weights * np.abs(d) ** p).sum() / p), float(best.sum()) if len(nodes) else 0.0
    both = (labels[graph.edges] != 0).all(axis=1)
    fixed = float(
        (graph.edge_weights * np.abs(f[graph.edges[:, 0]] - f[graph.edges[:, 1]]) ** p)[both].sum() / p
    )
    primal, dual = primal + fixed, dual + fixed
    floor = 1e-16 * float(graph.edge_weights.sum())  # an energy that is only rounding
    return Gap(primal, dual, max(primal - dual, 0.0) / primal if primal > floor else 0.0)


def _minimise_part(
    f: Floats, nodes: Ints, place: Ints, edges: Ints, weights: Floats, p: float, tol: float
) -> int:
    """Newton's method on unlabelled nodes that hang together; steps taken.

    `edges` are those with an end among the nodes, as rows (inside, other), `place` where both ends stand.
    """
    fixed = f[edges[place[:, 1] < 0, 1]]
    if fixed.min() == fixed.max():
        f[nodes] = fixed[0]
        return 0
    routes = _routes(place, len(nodes))
    smooth, polished = FIRST_SMOOTHING, False
    for step in range(NEWTON_STEPS):
        d = f[edges[:, 0]] - f[edges[:, 1]]
        primal = float((weights * np.abs(d) ** p).sum() / p)
        dual = float(_dual_terms(d, weights, place, routes, p, smooth).sum())
        near = primal - dual <= 0.1 * tol * primal
        if near and polished:
            return step
        polished = near  # one more step makes the flow conserved, so that any routing certifies it
        level = d * d + smooth * smooth
        pull = weights * d * level ** (p / 2 - 1)
        conductance = weights * level ** (p / 2 - 2) * ((p - 1) * d * d + smooth * smooth)
        force = _divergence(place, pull, len(nodes))
        move = _newton_direction(place, force, conductance)
        change = move[place[:, 0]] - np.where(place[:, 1] >= 0, move[place[:, 1]], 0.0)
        f[nodes] += _best_step(d, change, weights, p, smooth) * move
        if not near and np.abs(force).max() <= 1e-4 * np.abs(pull).max():  # the smoothing keeps the gap open
            smooth = max(0.2 * smooth, LAST_SMOOTHING)
    return NEWTON_STEPS


def _divergence(place: Ints, flow: Floats, count: int) -> Floats:
    """What flows out of every node on balance."""
    both = place[:, 1] >= 0
    out = np.bincount(place[:, 0], flow, count) - np.bincount(place[both, 1], flow[both], count)
    return out.astype(np.float64)


def _newton_direction(place: Ints, force: Floats, conductance: Floats) -> Floats:
    """Solve the weighted Laplacian of a region for the downhill direction."""
    i, j = place[:, 0], place[:, 1]
    both = j >= 0
    count = len(force)
    diagonal = np.bincount(i, conductance, count) + np.bincount(j[both], conductance[both], count)
    rows = np.concatenate([i[both], j[both], np.arange(count)])
    columns = np.concatenate([j[both], i[both], np.arange(count)])
    values = np.concatenate([-conductance[both], -conductance[both], diagonal])
    matrix = sp.csc_array((values, (rows, columns)), shape=(count, count))
    move: Floats = -splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(force)
    return move


def _joined_solve(graph: Graph, node: int, region: Region, engine: str) -> Floats:
    """The harmonic response through the Laplacian solvers: all other labels become one node."""
    edges, weights = _edges_of(graph.indptr, graph.indices, graph.weights, *region)
    count = len(region.nodes)
    local = region.place[edges]
    local = np.where(local >= 0, local, np.where(edges == node, count, count + 1))
    joined = Graph.from_edges(local, weights, num_nodes=count + 2)
    drive = np.zeros(count + 2)
    drive[count], drive[count + 1] = 1.0, -1.0
    x = analyse(joined, engine, tol=1e-10).solve(drive).value
    return (x[:count] - x[count + 1]) / (x[count] - x[count + 1])


@kernel
def _spread(indptr: Ints, indices: Ints, labels: Bytes, node: int) -> tuple[Ints, Ints]:
    """Breadth-first search from a node over unlabelled nodes."""
    n = len(labels)
    place = np.full(n, -1)
    found = np.empty(n, dtype=np.int64)
    count = 0
    at, head = node, 0
    while True:
        for arc in range(indptr[at], indptr[at + 1]):
            other = indices[arc]
            if labels[other] == 0 and place[other] < 0 and other != node:
                place[other] = count
                found[count] = other
                count += 1
        if head == count:
            return found[:count].copy(), place
        at = found[head]
        head += 1


@kernel
def _touches(arrays: tuple[Ints, Ints, Floats], labels: Bytes, nodes: Ints, place: Ints, node: int) -> bool:
    """Whether the region, or the node itself, borders on another labelled node."""
    indptr, indices, _ = arrays
    for k in range(-1, len(nodes)):
        at = node if k < 0 else nodes[k]
        for arc in range(indptr[at], indptr[at + 1]):
            other = indices[arc]
            if place[other] < 0 and other != node and labels[other] != 0:
                return True
    return False


@kernel
def _conductance(arrays: tuple[Ints, Ints, Floats], place: Ints, node: int, values: Floats) -> float:
    """The current out of the node when it is at 1 and the other labels at 0."""
    indptr, indices, weights = arrays
    total = 0.0
    for arc in range(indptr[node], indptr[node + 1]):
        other = place[indices[arc]]
        total += weights[arc] * (1.0 - (values[other] if other >= 0 else 0.0))
    return total


@kernel
def _conjugate_gradients(
    arrays: tuple[Ints, Ints, Floats], nodes: Ints, place: Ints, node: int, x: Floats
) -> bool:
    """Solve for the harmonic response on a region with Jacobi preconditioning; whether it converged."""
    indptr, indices, weights = arrays
    count, filled = len(nodes), 0
    for k in range(count):
        filled += indptr[nodes[k] + 1] - indptr[nodes[k]]
    starts, others, inner = (
        np.zeros(count + 1, dtype=np.int64),
        np.empty(filled, dtype=np.int32),
        np.empty(filled),
    )
    residual, scale = np.zeros(count), np.zeros(count)
    filled = 0
    for k in range(count):  # the region's own rows, so that the loop below reads memory in order
        for arc in range(indptr[nodes[k]], indptr[nodes[k] + 1]):
            scale[k] += weights[arc]
            other = place[indices[arc]]
            if indices[arc] == node:
                residual[k] += weights[arc]
            elif other >= 0:
                others[filled], inner[filled] = other, weights[arc]
                filled += 1
        starts[k + 1] = filled
    direction = residual / scale
    product = np.zeros(count)
    size = float(np.sum(residual * direction))
    goal = 1e-24 * size
    for _ in range(CG_STEPS):
        if size <= goal:
            return True
        curvature = 0.0
        for k in range(count):
            total = scale[k] * direction[k]
            for at in range(starts[k], starts[k + 1]):
                total -= inner[at] * direction[others[at]]
            product[k] = total
            curvature += total * direction[k]
        step, before, size = size / curvature, size, 0.0
        for k in range(count):
            x[k] += step * direction[k]
            residual[k] -= step * product[k]
            size += residual[k] * residual[k] / scale[k]
        for k in range(count):
            direction[k] = residual[k] / scale[k] + size / before * direction[k]
    return size <= goal


@kernel
def _edges_of(indptr: Ints, indices: Ints, weights: Floats, nodes: Ints, place: Ints) -> tuple[Ints, Floats]:
    count = 0
    for k in range(len(nodes)):
        count += indptr[nodes[k] + 1] - indptr[nodes[k]]
    edges = np.empty((count, 2), dtype=np.int64)
    found = np.empty(count)
    count = 0
    for k in range(len(nodes)):
        for arc in range(indptr[nodes[k]], indptr[nodes[k] + 1]):
            other = place[indices[arc]]
            if other < 0 or other > k:
                edges[count, 0], edges[count, 1], found[count] = nodes[k], indices[arc], weights[arc]
                count += 1
    return edges[:count].copy(), found[:count].copy()


@kernel
def _best_step(d: Floats, change: Floats, weights: Floats, p: float, smooth: float) -> float:
    """Minimise the smoothed energy Σ w ((d + t c)² + s²)^(p/2) over t ≥ 0 by bisection on its slope."""
    low, high = 0.0, 1.0
    while high < 1e6 and _slope(d, change, weights, p, smooth, high) < 0:
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = 0.5 * (low + high)
        if _slope(d, change, weights, p, smooth, middle) < 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _slope(d: Floats, change: Floats, weights: Floats, p: float, smooth: float, t: float) -> float:
    slope = 0.0
    for e in range(len(d)):
        x = d[e] + t * change[e]
        slope += weights[e] * change[e] * x * (x * x + smooth * smooth) ** (p / 2 - 1)
    return slope


@kernel
def _part(indptr: Ints, indices: Ints, labels: Bytes, start: int) -> tuple[Ints, Ints]:
    """The unlabelled nodes that hang together with one of them, and where each stands (−1: outside)."""
    n = len(labels)
    place = np.full(n, -1)
    found = np.empty(n, dtype=np.int64)
    place[start], found[0] = 0, start
    head, count = 0, 1
    while head < count:
        for arc in range(indptr[found[head]], indptr[found[head] + 1]):
            other = indices[arc]
            if labels[other] == 0 and place[other] < 0:
                place[other], found[count] = count, other
                count += 1
        head += 1
    return found[:count].copy(), place


@kernel
def _routes(place: Ints, count: int) -> tuple[Ints, Ints]:
    """A breadth-first forest from the fixed ends of edges: nodes in order, and the edge each came by."""
    starts = np.zeros(count + 1, dtype=np.int64)
    for e in range(len(place)):
        starts[place[e, 0] + 1] += 1
        if place[e, 1] >= 0:
            starts[place[e, 1] + 1] += 1
    starts = np.cumsum(starts)
    filled = starts[:-1].copy()
    rows = np.empty(starts[-1], dtype=np.int64)
    order, via = np.empty(count, dtype=np.int64), np.full(count, -1)
    found = 0
    for e in range(len(place)):
        i, j = place[e, 0], place[e, 1]
        rows[filled[i]] = e
        filled[i] += 1
        if j >= 0:
            rows[filled[j]] = e
            filled[j] += 1
        elif via[i] < 0:
            via[i], order[found] = e, i
            found += 1
    head = 0
    while head < found:
        node = order[head]
        head += 1
        for at in range(starts[node], starts[node + 1]):
            e = rows[at]
            other = place[e, 0] + place[e, 1] - node
            if place[e, 1] >= 0 and via[other] < 0:
                via[other], order[found] = e, other
                found += 1
    return order, via


@kernel
def _parts(place: Ints, count: int) -> Ints:
    """One of the nodes of its part, for every node."""
    leader = np.arange(count)
    for e in range(len(place)):
        if place[e, 1] >= 0:
            u, v = place[e, 0], place[e, 1]
            while leader[u] != u:
                leader[u] = leader[leader[u]]
                u = leader[u]
            while leader[v] != v:
                leader[v] = leader[leader[v]]
                v = leader[v]
            leader[u] = v
    for node in range(count):
        root = node
        while leader[root] != root:
            root = leader[root]
        leader[node] = root
    return leader


@kernel
def _dual_terms(
    d: Floats, weights: Floats, place: Ints, routes: tuple[Ints, Ints], p: float, smooth: float
) -> Floats:
    """What every edge adds to the dual value of the flow of differences d, made conserved.

    The flow is that of the smoothed energy, w d (d² + s²)^(p/2−1): where d is next to nothing, it still
    tells how much flows.
    """
    order, via = routes
    q = p / (p - 1)
    flow = np.empty(len(d))
    excess = np.zeros(len(order))
    for e in range(len(d)):
        level = d[e] * d[e] + smooth * smooth
        flow[e] = weights[e] * d[e] * level ** (p / 2 - 1) if level > 0 else 0.0
        excess[place[e, 0]] += flow[e]
        if place[e, 1] >= 0:
            excess[place[e, 1]] -= flow[e]
    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        e = via[node]
        if place[e, 0] == node:
            flow[e] -= excess[node]
            if place[e, 1] >= 0:
                excess[place[e, 1]] += excess[node]
        else:
            flow[e] += excess[node]
            excess[place[e, 0]] += excess[node]
    terms = np.empty(len(d))
    for e in range(len(d)):
        size = abs(flow[e])
        terms[e] = flow[e] * d[e] - size * (size / weights[e]) ** (q - 1) / q
    return terms

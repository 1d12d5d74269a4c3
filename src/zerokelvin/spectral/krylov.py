"""The largest eigenpairs of a (pseudo-)inverse, by block Krylov–Schur with a check that none is missing.

A block of vectors is multiplied at a time: solves of a block are cheaper per column. The basis is
orthogonalised in full, and restarted from its best Ritz vectors when it is full (Stewart 2001; Zhou and Saad
2008). What a Krylov space cannot contain are more copies of a repeated eigenvalue than the block has
vectors, and residuals do not tell: every pair that was found is right. So once all pairs have converged, a
fresh random block, orthogonal to them and to some more, is multiplied k times. Let θ be the smallest of the
eigenvalues found and (1 − ε)θ the last of those kept besides; then a missing one of at least θ grows against
the rest by the Chebyshev polynomial T_k(1 + 2ε/(1 − ε)) ≥ cosh(2k√ε), and k is taken so that it stands out
even where the random block holds only a hundredth of the part of it that is to be expected (Kuczyński and
Woźniakowski 1992). If the pairs have changed they converge anew and are checked again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.solve.solver import Solver

__all__ = ["SolvedPairs", "krylov_schur"]

ROOM = 1e9  # bytes that the basis may take; it holds a little over twice the pairs in any case
MAX_RESTARTS = 100
SMALLEST_GAP = 0.02  # the least ε that a check is planned for


class SolvedPairs(NamedTuple):
    """Eigenvalues, ascending, with their vectors as columns, and how many columns were solved for."""

    values: Floats
    vectors: Floats
    solves: int


class RitzPairs(NamedTuple):
    """Approximate eigenpairs of the pseudo-inverse M⁺ in a basis.

    Attributes
    ----------
    inverse
        The Ritz values θ, descending.
    rotation
        Their vectors v in the basis, as columns.
    left
        ‖M⁺v − θv‖ of each.
    worst
        The largest ‖Mv − v/θ‖ of those that are wanted.
    """

    inverse: Floats
    rotation: Floats
    left: Floats
    worst: float


def krylov_schur(solver: Solver, count: int, target: float, block: int) -> SolvedPairs:
    """The `count` smallest non-zero eigenvalues of a solver's operator, with their vectors.

    Parameters
    ----------
    solver
        The operator with an engine.
    count
        How many.
    target
        Bound on every ‖M v − σ v‖, kept with a margin of five.
    block
        Vectors multiplied at a time.
    """
    space = _Space(solver, count, block)
    kept = min(count + 2 * block, space.most - space.block)
    fresh = space.random()
    whole = space.available < count + 4 * block  # then all of them, and nothing can be missing
    restarts, looked = 0, 0
    known: Floats | None = None  # eigenvalues found, to be confirmed by `until` steps from a random block
    steps = until = 0
    while True:
        fresh = space.extend(fresh)
        steps += 1
        ended = space.used == space.available
        full = space.used + fresh.shape[1] > space.most
        early = steps < until or space.used < max(0 if until else 1.4 * count, looked + 2 * block)
        if (early or whole) and not (full or ended):
            continue
        looked = space.used
        inverse, rotation, left, worst = space.ritz()
        settled = worst <= 0.2 * target or ended or restarts >= MAX_RESTARTS
        if settled and (ended or steps >= until):
            same = known is not None and np.allclose(inverse[:count], known, rtol=1e-6, atol=0.0)
            if same or ended or restarts >= MAX_RESTARTS:
                return SolvedPairs(1 / inverse[:count], space.vectors(rotation[:, :count]), space.solves)
            known = inverse[:count]
            looked, steps = 0, 0
            good = int(np.argmax(np.append(left[count:] > 1e-3 * inverse[count:], True)))
            space.restart(inverse, rotation, min(count + min(good, 6 * block), space.most - space.block))
            gap = 1 - inverse[space.used - 1] / inverse[count - 1]
            grown = math.acosh(10 * math.sqrt(space.size / space.block))
            until = math.ceil(grown / (2 * math.sqrt(max(gap, SMALLEST_GAP))))
            fresh = space.random()
        elif full:
            restarts += 1
            looked = 0
            space.restart(inverse, rotation, kept)


class _Space:
    """An orthonormal basis of a Krylov space, and what the inverse of the operator is on it."""

    def __init__(self, solver: Solver, count: int, block: int) -> None:
        operator = solver.operator
        self.solver, self.operator, self.count = solver, operator, count
        self.size = operator.graph.num_nodes
        self.available = self.size - int(operator.singular.sum())
        self.block = min(block, self.available)
        roomy = min(6 * count, int(ROOM / (8 * self.size)))
        self.most = min(self.available, max(2 * count + 8 * block, roomy))
        self.basis = np.empty((self.size, self.most), order="F")
        self.product = np.zeros((self.most, self.most))
        self.used = self.solves = self.restarted = self.previous = 0
        self.rest, self.upper = np.empty((self.size, 0)), np.empty((0, 0))
        self.rng = np.random.default_rng(0)

    def random(self, wide: int | None = None, beside: Floats | None = None) -> Floats:
        """A random block orthogonal to the basis, and to another block."""
        count = min(self.block if wide is None else wide, self.available - self.used)
        fresh = self.operator.project(self.rng.standard_normal((self.size, count)))
        for _ in range(2):
            fresh = self._outside(fresh, beside)
        return fresh

    def _outside(self, vectors: Floats, beside: Floats | None = None) -> Floats:
        """An orthonormal basis of what vectors have outside the basis."""
        held = self.basis[:, : self.used]
        vectors = self.operator.project(vectors - held @ (held.T @ vectors))
        if beside is not None:
            vectors -= beside @ (beside.T @ vectors)
        return np.linalg.qr(vectors)[0]

    def extend(self, fresh: Floats) -> Floats:
        """Take a block into the basis; the next one is what its image has outside, filled up at random."""
        wide, used = fresh.shape[1], self.used + fresh.shape[1]
        self.basis[:, self.used : used] = fresh
        image = self.solver.solve(np.ascontiguousarray(fresh)).value
        self.solves += wide
        # only the last two blocks (just after a restart, all) are coupled; a full pass removes the rounding
        near = slice(0 if self.used == self.restarted else self.used - self.previous, used)
        held = self.basis[:, :used]
        along = np.zeros((used, wide))
        along[near] = self.basis[:, near].T @ image
        rest = image - self.basis[:, near] @ along[near]
        remainder = held.T @ rest
        rest -= held @ remainder
        along += remainder
        self.product[:used, used - wide : used] = along
        self.product[used - wide : used, :used] = along.T
        self.used, self.previous, self.rest = used, wide, self.operator.project(rest)
        following, self.upper = np.linalg.qr(self.rest)
        sizes, scale = np.abs(self.upper.diagonal()), np.abs(along).max()
        following = following[:, sizes > 1e-10 * scale][:, : self.available - used]
        if sizes.min() < 1e-5 * scale and following.shape[1]:  # so little was left that rounding shows
            following = self._outside(following)
        lost = min(wide, self.available - used) - following.shape[1]
        if lost > 0:  # the space is all but invariant: go on from somewhere else
            following = np.column_stack([following, self.random(lost, following)])
        return following

    def ritz(self) -> RitzPairs:
        """The Ritz pairs of the basis; `count` of them are wanted."""
        square = self.product[: self.used, : self.used]
        inverse, rotation = np.linalg.eigh((square + square.T) / 2)
        inverse, rotation = inverse[::-1], np.ascontiguousarray(rotation[:, ::-1])
        # M v − v/θ = −(1/θ)·M(M⁺v − θv), and M⁺v − θv lies in the span of what was left of the last block
        last = rotation[self.used - self.previous :]
        left = np.linalg.norm(self.upper @ last, axis=0)
        image = np.linalg.qr(self.operator.apply(np.ascontiguousarray(self.rest)))[1]
        lengths = np.linalg.norm(image @ last[:, : self.count], axis=0)
        return RitzPairs(inverse, rotation, left, float((lengths / inverse[: self.count]).max()))

    def vectors(self, rotation: Floats) -> Floats:
        """The approximate eigenvectors of the pairs found, one column each."""
        found: Floats = self.basis[:, : self.used] @ rotation
        return found

    def restart(self, inverse: Floats, rotation: Floats, kept: int) -> None:
        """Go on with the `kept` best Ritz vectors as the basis; `inverse` are their eigenvalues."""
        self.basis[:, :kept] = self.vectors(rotation[:, :kept])
        self.used = self.restarted = kept
        self.product[:] = 0.0
        self.product[np.arange(kept), np.arange(kept)] = inverse[:kept]

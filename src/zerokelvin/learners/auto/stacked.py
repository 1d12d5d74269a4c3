"""Fields of several experts behind each other in memory, so that one compiled call reads them all at a node.

To hand the dozen arrays of one expert to compiled code takes longer than to read its fields at a node of few
neighbours, and `auto` has fourteen such experts. Here those of one kind get common arrays with a row for each
expert, of which every expert keeps its row as its own: it learns, and is copied and saved, as it would be
alone. What is read is the same to the last bit.

An expert that has learnt something has to be copied into its row, which a large one is not: it is read alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation import read
from zerokelvin.learners.auto.experts import Expert
from zerokelvin.learners.auto.paired import PairArrays, PairedFields, PairedNode, relaxed_mean
from zerokelvin.learners.gaussian.diffusion_game import DiffusionGame

__all__ = ["Readers"]

MOST_BYTES = 1 << 26
"""What is copied at most, in bytes: a few hundredths of a second."""


class LocalStack(NamedTuple):
    """Fields by local relaxation: x and r (experts, classes, nodes), 1 / (d + e) and o (experts, nodes)."""

    x: Floats
    r: Floats
    inverse: Floats
    out: Floats


class PairStack(NamedTuple):
    """Pairs of fields, (experts, classes, nodes, 2), and what stands around them, (experts, nodes)."""

    pairs: Floats
    residual: Floats
    labels: Floats
    diagonal: Floats
    link: Floats
    root: Floats


class Readers:
    """Reads what all experts of a mixture say about a node."""

    def __init__(self, experts: Sequence[Expert]) -> None:
        local = [k for k, one in enumerate(experts) if not one.uses_attributes and _is_plain(one.game)]
        pairs = [k for k, one in enumerate(experts) if isinstance(one.game, PairedFields)]
        self._local = _stack_local([experts[k].game for k in local])
        self._pairs = _stack_pairs([experts[k].game for k in pairs])
        stacked = (local if self._local else []) + (pairs if self._pairs else [])
        self._places = np.array(local), np.array(pairs)
        self._alone = [(k, one) for k, one in enumerate(experts) if k not in stacked]

    def tell(self, node: int, values: Floats) -> None:
        """Fill in how much speaks for each class at a node, (experts, classes)."""
        local, pairs = self._places
        if self._local is not None:
            _read_local(*self._local, node, local, values)
        if self._pairs is not None:
            _read_pairs(self._pairs, node, pairs, values)
        for k, expert in self._alone:
            expert.tell(node, values[k])


def _is_plain(game: Any) -> bool:
    """Whether values are read from fields alone, without a constant."""
    return isinstance(game, DiffusionGame) and game.diffusion.terms.b == 0.0


def _too_large(arrays: Sequence[Floats], fresh: bool) -> bool:
    return not fresh and sum(array.nbytes for array in arrays) > MOST_BYTES


def _stack_local(games: Sequence[Any]) -> tuple[Any, LocalStack] | None:
    """Common arrays for fields on one graph; None where there are none, or too much would be copied."""
    fields = [game.diffusion for game in games]
    fresh = all(one.labels == 0 for one in fields)
    if not fields or _too_large(
        [array for one in fields for array in (one.relaxation.x, one.relaxation.r)], fresh
    ):
        return None
    shape, count = fields[0].relaxation.x.shape, len(fields)
    stack = LocalStack(
        np.zeros((count, *shape)),
        np.zeros((count, *shape)),
        np.stack([one.relaxation.rules.inverse for one in fields]),
        np.stack([one.system.out for one in fields]),
    )
    for k, one in enumerate(fields):
        if not fresh:
            stack.x[k], stack.r[k] = one.relaxation.x, one.relaxation.r
        one.move_to(stack.x[k], stack.r[k], stack.inverse[k])
    return fields[0].relaxation.csr, stack


def _stack_pairs(games: Sequence[Any]) -> PairStack | None:
    """The same for pairs of fields."""
    fresh = all(not game.arrays.labels.any() for game in games)
    if not games or _too_large([game.arrays.pairs for game in games], fresh):
        return None
    shape, count = games[0].arrays.pairs.shape, len(games)
    stack = PairStack(
        np.zeros((count, *shape)),
        np.zeros((count, *shape)),
        np.stack([game.arrays.labels for game in games]),
        np.stack([game.system.diagonal for game in games]),
        np.stack([game.system.link for game in games]),
        np.array([game.arrays.root for game in games]),
    )
    for k, game in enumerate(games):
        if not fresh:
            stack.pairs[k], stack.residual[k] = game.arrays.pairs, game.arrays.residual
        game.arrays = PairArrays(stack.pairs[k], stack.residual[k], stack.labels[k], game.arrays.root)
    return stack


@kernel
def _read_local(csr: Any, stack: LocalStack, node: int, places: Ints, values: Floats) -> None:
    x, r, inverse, out = stack
    for k in range(len(places)):
        for c in range(values.shape[1]):
            values[places[k], c] = out[k, node] * read(csr, inverse[k], x[k, c], r[k, c], node)


@kernel
def _read_pairs(stack: PairStack, node: int, places: Ints, values: Floats) -> None:
    pairs, residual, labels, diagonal, link, root = stack
    for k in range(len(places)):
        own = PairedNode(diagonal[k, node], link[k, node], root[k], labels[k, node])
        for c in range(values.shape[1]):
            first, second = residual[k, c, node, 0], residual[k, c, node, 1]
            values[places[k], c] = relaxed_mean(own, pairs[k, c, node, 0], first, second)

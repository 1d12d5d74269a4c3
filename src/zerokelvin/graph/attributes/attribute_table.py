"""The attributes of all nodes of a graph: a few coordinates for each, by rules fixed when they were given.

What is given becomes columns of numbers (`graph.attributes.encoded_columns`), every row of which is brought
to length 1: what counts is the direction, as in the cosine of two lists of words. Where there are more than
`MOST_COLUMNS` columns, coordinates in their leading directions take their place (the truncated singular
value decomposition of the rows, by a randomised range finder with four passes: Halko, Martinsson, Tropp
2011), and `left_out` says which share of the squares of the rows is lost; else nothing is. Rows of
coordinates have length 1 again, or 0 where nothing is known of a node.

A node that comes later is encoded by the same rules and directions. Attributes of a graph that has grown are
therefore made again from the first `fixed_on` rows (`fixed_on=`) and applied to all.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError
from zerokelvin.graph import convert
from zerokelvin.graph.attributes.encoded_columns import (
    FrameRules,
    MatrixRules,
    as_dense,
    frame_rules,
    matrix_rules,
)
from zerokelvin.threads import on_one_thread

__all__ = ["Attributes"]

MOST_COLUMNS = 512
"""Coordinates of a node: on Cora 512 directions of its 1,433 words predict as all of them do, 256 worse."""

MOST_CELLS = 1 << 26
"""Coordinates of all nodes together: half a gigabyte."""

OVERSAMPLED = 16
"""Directions that are looked for beside those wanted."""

NODE = "node"
"""The column of a frame that says whose row it is."""


@dataclass(frozen=True, eq=False)
class Attributes:
    """Attributes of nodes; made by `Attributes.of`.

    Attributes
    ----------
    rules
        What made numbers of what was given.
    encoded
        The columns of every node by these rules, (nodes, columns), rows of length 1 or 0.
    basis
        The leading directions, (columns, coordinates); None where the columns are the coordinates.
    rows
        The coordinates of every node, rows of length 1 or 0.
    fixed_on
        How many nodes there were when the rules were fixed.
    left_out
        The share of the squares of `encoded`, on those nodes, that the directions do not hold.

    Examples
    --------
    >>> table = Attributes.of([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], 3)
    >>> table.rows.tolist(), table.left_out
    ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], 0.0)
    """

    rules: MatrixRules | FrameRules
    encoded: sp.csr_array
    basis: Floats | None
    rows: Floats
    fixed_on: int
    left_out: float

    @classmethod
    def of(cls, table: Any, nodes: int, names: Any = None, fixed_on: int | None = None) -> Attributes:
        """Of a table with a row for each of so many nodes; see the module.

        Parameters
        ----------
        table
            A dense or sparse matrix, or a frame (pandas, polars, Arrow, or columns by name). The rows of a
            frame with a column ``node`` belong to the nodes named there, and nothing is known of others.
        nodes, names
            The number of nodes, and their names in order where they have some.
        fixed_on
            How many of the first nodes the rules come from: all, unless the graph has grown since.
        """
        if isinstance(table, Attributes):
            _require_rows(len(table.rows), nodes)
            return table
        given = _given(table, nodes, names)
        start = nodes if fixed_on is None else fixed_on
        first = _first(given, start)
        rules = frame_rules(first) if isinstance(given, dict) else matrix_rules(first)
        if not rules.columns:
            listed = ", ".join(map(repr, list(given)[:5])) or "there is none"
            raise GraphError(
                f"no column of the attributes ({listed}) says anything: no value and no word in them is that "
                "of two nodes; give numbers, categories or text."
            )
        encoded = _unit_rows(rules.encode(given))
        _require_rows(encoded.shape[0], nodes)
        basis = _leading_directions(encoded[:start], min(MOST_COLUMNS, max(1, MOST_CELLS // nodes)))
        whole = float(encoded[:start].power(2).sum())
        kept = whole if basis is None else float(((encoded[:start] @ basis) ** 2).sum())
        left_out = max(0.0, 1.0 - kept / whole) if whole else 0.0
        return cls(rules, encoded, basis, _coordinates(encoded, basis), start, left_out)

    @classmethod
    def of_encoded(
        cls,
        rules: MatrixRules | FrameRules,
        encoded: sp.csr_array,
        basis: Floats | None,
        fixed_on: int,
        left_out: float,
    ) -> Attributes:
        """Made before, and kept: the coordinates come out as they were."""
        wide = (len(rules.columns), MOST_COLUMNS)
        if encoded.shape[1] != wide[0] or (basis is not None and not _fits(basis.shape, wide)):
            raise ValueError(f"{encoded.shape[1]} columns do not fit the rules, or the directions")
        if basis is None and wide[0] > MOST_COLUMNS:
            raise ValueError("the directions are missing")
        if not 0 <= fixed_on <= encoded.shape[0]:
            raise ValueError(f"the rules come from {fixed_on} of {encoded.shape[0]} nodes")
        return cls(rules, encoded, basis, _coordinates(encoded, basis), fixed_on, left_out)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `encoded`."""
        return self.rules.columns

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the encoded columns and of how many nodes the rules come from."""
        digest = hashlib.sha256(b"zerokelvin attributes 1\0")
        digest.update(str((self.encoded.shape, self.fixed_on, self.columns)).encode())
        for array in (self.encoded.indptr, self.encoded.indices):
            digest.update(np.asarray(array, dtype=np.int64).tobytes())
        digest.update(self.encoded.data.tobytes())
        return digest.hexdigest()

    def taken(self, nodes: Ints) -> Attributes:
        """Those of some nodes, in this order."""
        return self._with(sp.csr_array(self.encoded[nodes]), np.ascontiguousarray(self.rows[nodes]))

    def extended(self, table: Any, nodes: int, names: Any = None) -> Attributes:
        """With those of `nodes` nodes more, by the rules of the start; None: nothing is known of them."""
        if table is None:
            more = sp.csr_array((nodes, len(self.columns)))
        else:
            given = _given(table, nodes, names)
            if isinstance(given, dict) != isinstance(self.rules, FrameRules):
                raise GraphError(
                    "attributes of new nodes come as those at the start did: a frame or a matrix."
                )
            more = _unit_rows(self.rules.encode(given))
            _require_rows(more.shape[0], nodes)
        both = sp.csr_array(sp.vstack([self.encoded, more]))
        return self._with(both, np.vstack([self.rows, _coordinates(more, self.basis)]))

    def shares(self, node: int, weights: Floats) -> dict[str, float]:
        """What each column of a node adds to the product of its row with `weights`, by its name."""
        own = self.encoded[[node]]
        back = weights if self.basis is None else self.basis @ weights
        held = own.toarray()[0] if self.basis is None else own.toarray()[0] @ self.basis
        length = float(np.linalg.norm(held)) or 1.0
        return {
            self.columns[int(j)]: float(x * back[j] / length)
            for j, x in zip(own.indices, own.data, strict=True)
        }

    def _with(self, encoded: sp.csr_array, rows: Floats) -> Attributes:
        return Attributes(self.rules, encoded, self.basis, rows, self.fixed_on, self.left_out)


def _given(table: Any, nodes: int, names: Any) -> Any:
    """A frame as its columns by name, in the order of the nodes, or the matrix as it is."""
    if isinstance(table, dict):
        frame = {str(name): list(cells) for name, cells in table.items()}
    elif convert.is_frame(table) and not sp.issparse(table):
        frame = convert.frame_columns(table)
    else:
        return table
    lengths = {len(cells) for cells in frame.values()}
    if len(lengths) != 1:
        raise GraphError("the columns of the attributes differ in length; give one value per node in each.")
    if NODE not in frame:
        return frame
    owners = frame.pop(NODE)
    place = {name: i for i, name in enumerate(range(nodes) if names is None else names)}
    spelled = {str(name): i for name, i in place.items()}
    at = [place.get(owner, spelled.get(str(owner), -1)) for owner in owners]
    found = [i for i in at if i >= 0]
    if len(set(found)) != len(found):
        raise GraphError("the attributes have two rows of one node; keep one of them.")
    if owners and not found:
        raise GraphError(f"no node is called {owners[0]!r}; the column 'node' of the attributes names nodes.")
    result = {}
    for name, cells in frame.items():
        column: list[Any] = [None] * nodes
        for i, cell in zip(at, cells, strict=True):
            if i >= 0:
                column[i] = cell
        result[name] = column
    return result


def _first(given: Any, count: int) -> Any:
    if isinstance(given, dict):
        return {name: cells[:count] for name, cells in given.items()}
    table: Any = given
    return sp.csr_array(table)[:count] if sp.issparse(given) else as_dense(given)[:count]


def _require_rows(found: int, nodes: int) -> None:
    if found != nodes:
        raise GraphError(f"attributes have {found} rows for {nodes} nodes; give one row per node.")


def _fits(shape: tuple[int, ...], wide: tuple[int, int]) -> bool:
    return len(shape) == 2 and shape[0] == wide[0] and 0 < shape[1] <= wide[1]


def _unit_rows(encoded: sp.csr_array) -> sp.csr_array:
    """Every row divided by its length."""
    lengths = np.sqrt(np.asarray(encoded.power(2).sum(axis=1)).ravel())
    result = sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ encoded)
    result.sort_indices()
    return result


def _coordinates(encoded: sp.csr_array, basis: Floats | None) -> Floats:
    """The rows in the leading directions, of length 1 again."""
    rows: NDArray[np.float64] = encoded.toarray() if basis is None else encoded @ basis
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths > 1e-9, lengths, 1.0))


@on_one_thread
def _leading_directions(encoded: sp.csr_array, most: int) -> Floats | None:
    """The leading right singular vectors, (columns, most), signs such that the largest entry is positive."""
    if encoded.shape[1] <= most:
        return None
    wanted = min(most + OVERSAMPLED, encoded.shape[0])
    start = np.random.default_rng(0).normal(size=(encoded.shape[1], wanted))
    found, _ = np.linalg.qr(encoded @ start)
    for _ in range(2):
        back, _ = np.linalg.qr(encoded.T @ found)
        found, _ = np.linalg.qr(encoded @ back)
    _, _, directions = np.linalg.svd((encoded.T @ found).T, full_matrices=False)
    basis = directions[:most].T
    signs = np.sign(basis[np.argmax(np.abs(basis), axis=0), np.arange(basis.shape[1])])
    return np.ascontiguousarray(basis * np.where(signs == 0, 1.0, signs))

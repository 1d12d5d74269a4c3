"""What a second-order learner sees of a node: a coordinate vector, or kernel values with other nodes.

`Coordinates` (primal) are the rows of a matrix: the rank-d embedding of a graph or the vectors of a
`Features`, with a constant column √b. `KernelPoints` (dual) hand out kernel values K + b between stored
points; a point is a node index of a graph or a vector. Both also take vectors never seen before where
the domain is a table of features.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.io.embeddings.embedding_folder import EmbeddedRows
from zerokelvin.kernels.inverses import SolverKernel
from zerokelvin.kernels.kernels import KernelColumns, Remembered, kernel_columns
from zerokelvin.learners.base.ties import lengths_of
from zerokelvin.resistance.effective import kernel_diagonal
from zerokelvin.spectral.embedding_features import laplacian_coordinates

__all__ = [
    "Coordinates",
    "FeatureColumns",
    "KernelPoints",
    "is_vector",
    "prepare_coordinates",
    "prepare_kernel",
]


PIECE = 1 << 16
"""Rows looked at together, so that a table in a file is never held whole."""

COPIED = 1 << 28
"""Bytes of an embedding that are copied for the sake of another constant column."""


def is_vector(node: Any) -> bool:
    """Whether a learner was handed a vector instead of a node index."""
    return isinstance(node, (np.ndarray, list, tuple))


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Rows of a matrix, and how a new vector becomes such a row."""

    matrix: Floats
    features: Features | None
    b: float

    @property
    def dimension(self) -> int:
        """Number of columns, the constant one included."""
        return self.matrix.shape[1]

    def vector(self, node: Any) -> Floats:
        """The coordinates of a node index or of a new vector."""
        if not is_vector(node):
            return self.matrix[node]
        if self.features is None:
            raise ParameterError("a graph's learner takes node indices; vectors need zk.Features.")
        return _with_constant(self.features.vector(node)[None, :], self.b)[0]

    @cached_property
    def lengths(self) -> Floats:
        """The norm of every row."""
        return lengths_of(self.matrix)

    @property
    def radius(self) -> float:
        """The largest norm of a row."""
        pieces = (self.matrix[start : start + PIECE] for start in range(0, len(self.matrix), PIECE))
        return math.sqrt(max((float((rows**2).sum(axis=1).max()) for rows in pieces), default=0.0))


def prepare_coordinates(graph: Graph | Features, rank: int, b: float, *, cache: bool = True) -> Coordinates:
    """The rank-`rank` embedding of a graph, or the vectors of a table with a linear kernel.

    The embedding of a large graph is read from the user's cache where it is known, unless `cache` is False.
    """
    if isinstance(graph, Features):
        if isinstance(graph, EmbeddedRows):
            return Coordinates(_rows_of(graph, b), graph, b)
        return Coordinates(_with_constant(graph.X, b), graph, b)
    return Coordinates(laplacian_coordinates(graph, rank, b, cache=cache), None, b)


class FeatureColumns:
    """The kernel of a table, one column at a time."""

    def __init__(self, features: Features, kernel: Any = "laplacian") -> None:
        if not (isinstance(kernel, str) and kernel == "laplacian"):
            raise ParameterError("features bring their own kernel; choose it in zk.Features(X, kernel=...).")
        self.features = features
        self.num_nodes = features.num_nodes

    def column(self, node: int) -> Floats:
        """The kernel of a row with every row."""
        return self.features.column(node)


class KernelPoints:
    """Kernel values between points, each stored as a row: a node index or a vector."""

    def __init__(
        self,
        columns: KernelColumns,
        features: Features | None,
        b: float,
        diagonal: Callable[[], Floats] | None = None,
    ) -> None:
        self.columns = columns
        self.features = features
        self.b = b
        self.width = 1 if features is None else features.dimension
        self.keeps = features is None
        self._diagonal = diagonal
        self._in_use: WeakValueDictionary[int, Floats] = WeakValueDictionary()

    def kept_column(self, node: int) -> Floats:
        """The column of a node, the same array for all who hold it at a time."""
        column = self._in_use.get(node)
        if column is None:
            column = self.columns.column(node)
            self._in_use[node] = column
        return column

    @cached_property
    def diagonal(self) -> Floats | None:
        """The kernel of every node with itself, where all of them cost no more than a few columns."""
        return None if self._diagonal is None else self._diagonal()

    def point(self, node: Any) -> Floats:
        """The row that stands for a node index or a vector."""
        if self.features is not None:
            return self.features.vector(node)
        if is_vector(node):
            raise ParameterError("a graph's learner takes node indices; vectors need zk.Features.")
        return np.array([float(node)])

    def cross(self, points: Floats, point: Floats) -> Floats:
        """The kernel of a point with each of several points."""
        if self.features is not None:
            return self.features.cross(points, point) + self.b
        column = self.columns.column(int(point[0]))
        return column[points[:, 0].astype(np.int64)] + self.b

    def norm(self, point: Floats) -> float:
        """The kernel of a point with itself, its squared norm."""
        if self.diagonal is not None:
            return float(self.diagonal[int(point[0])]) + self.b
        return float(self.cross(point[None, :], point)[0])

    def gram(self, points: Floats) -> Floats:
        """All kernel values between several points, exactly symmetric."""
        matrix = np.array([self.cross(points, point) for point in points]).reshape(len(points), -1)
        return 0.5 * (matrix + matrix.T)

    @property
    def table(self) -> Floats:
        """The points of the whole domain."""
        if self.features is not None:
            return self.features.X
        return np.arange(float(self.columns.num_nodes))[:, None]

    @property
    def radius(self) -> float:
        """The largest norm of a point of the domain."""
        return math.sqrt(max((self.norm(point) for point in self.table), default=0.0))


def prepare_kernel(graph: Graph | Features, kernel: Any, b: float, engine: str, tol: float) -> KernelPoints:
    """The kernel of a graph (its Laplacian's, or a matrix) or of a table of features."""
    if isinstance(graph, Features):
        return KernelPoints(FeatureColumns(graph, kernel), graph, b)
    columns = kernel_columns(graph, kernel, engine, tol)
    at_once = isinstance(kernel, str) and kernel == "laplacian" and _is_factored(columns)
    return KernelPoints(columns, None, b, (lambda: kernel_diagonal(graph)) if at_once else None)


def _is_factored(columns: KernelColumns) -> bool:
    """Whether columns come from a sparse factor, which gives the whole diagonal too."""
    source = columns.source if isinstance(columns, Remembered) else columns
    return isinstance(source, SolverKernel) and source.solver.engine == "direct"


def _rows_of(embedded: EmbeddedRows, b: float) -> Floats:
    """The rows of an embedding on disk: as they lie there, or with another constant if they fit in memory."""
    if b == embedded.constant:
        return embedded.X
    if embedded.X.nbytes > COPIED:
        raise ParameterError(
            f"b={b:g}, and the embedding of {embedded.num_nodes:,} rows was made with "
            f"b={embedded.constant:g}; give b={embedded.constant:g}, or embed again with --b {b:g}."
        )
    return _with_constant(embedded.X[:, 1:], b)


def _with_constant(rows: Floats, b: float) -> Floats:
    if b == 0:
        return np.ascontiguousarray(rows, dtype=np.float64)
    return np.ascontiguousarray(np.hstack([np.full((len(rows), 1), math.sqrt(b)), rows]))

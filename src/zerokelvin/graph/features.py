"""A table of feature vectors in place of a graph, with a kernel between vectors.

Learners that need only coordinates or a kernel (`perceptron`, `second-order`, `ollgc`, `sslgc`, `bbq`,
`gaussian`) take a `Features` wherever they take a graph: its rows are the nodes. They also take vectors that
are not in the table: a session as further rows (``session.add_nodes(1, attributes=[x])``), a state one at a
time (``state.margin(x)`` and ``state.update(x, y)`` with a one-dimensional array).

The kernel between two vectors is

    linear          x·y
    polynomial:D    (1 + x·y)^D
    gaussian:S      exp(−‖x − y‖² / 2S²)
    a function      k(A, x) giving the kernel of x with every row of A

(Cesa-Bianchi, Conconi, Gentile 2005, section 3.2). A table has no edges, so it has nothing of what a `Graph`
says about them, and whatever asks for that is told what to do instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.canonical import canonical_names
from zerokelvin.graph.domain import Domain, frozen_ints, spell_name
from zerokelvin.graph.extension import extend_names
from zerokelvin.graph.graph import Graph
from zerokelvin.registry import Registry

__all__ = ["Features"]

Kernel = Callable[[Floats, Floats], Floats]


class NoEdgesError(GraphError, AttributeError):
    """What a graph says about its edges was asked of a table of features."""


class Features(Domain):
    """Vectors as the rows of a table, with optional names and a kernel.

    Parameters
    ----------
    X
        Array of shape (rows, dimension); finite numbers. No rows at all is allowed: then every vector
        is new.
    names
        One hashable, distinct name per row; without them a row's name is its index.
    kernel
        ``"linear"``, ``"polynomial:DEGREE"``, ``"gaussian:WIDTH"`` or a function; see the module.

    Examples
    --------
    >>> table = Features([[0.0, 1.0], [3.0, 4.0]], kernel="polynomial:2")
    >>> table.column(1).tolist()
    [25.0, 676.0]
    >>> table
    Features(rows=2, dimension=2, kernel=polynomial:2)
    """

    X: Floats
    kernel: str | Kernel
    _function: Kernel

    def __init__(
        self, X: ArrayLike, names: Sequence[Hashable] | None = None, kernel: str | Kernel = "linear"
    ) -> None:
        table = np.array(X, dtype=np.float64, order="C")
        if table.ndim != 2 or table.shape[1] == 0:
            raise GraphError(f"features have shape {table.shape}; give one row of numbers per node.")
        if not np.isfinite(table).all():
            bad = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise GraphError(f"row {bad} of the features holds NaN or infinite values; fill or drop it.")
        table.setflags(write=False)
        spelled = canonical_names(names, len(table))
        vars(self).update(X=table, kernel=kernel, names=spelled, _function=_kernel(kernel))

    @property
    def num_nodes(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def num_edges(self) -> int:
        """Number of edges: 0, as a table has none."""
        return 0

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.X.shape[1]

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the plain inner product."""
        return isinstance(self.kernel, str) and self.kernel == "linear"

    @cached_property
    def components(self) -> Ints:
        """The component of every row: 0, as the kernel joins each row with each."""
        return frozen_ints(np.zeros(self.num_nodes))

    @cached_property
    def num_components(self) -> int:
        """Number of components: 1, also of a table without rows."""
        return 1

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of vectors, kernel and names; equal tables have equal hashes."""
        digest = hashlib.sha256(b"zerokelvin features 1\0")
        digest.update(str((self.X.shape, str(self.kernel))).encode())
        digest.update(self.X.tobytes())
        for name in self.names or ():
            digest.update(spell_name(name).encode() + b"\0")
        return digest.hexdigest()

    def vector(self, node: Any) -> Floats:
        """The row of a node index, or a new vector, checked."""
        if not isinstance(node, (np.ndarray, list, tuple)):
            return self.X[node]
        x = np.asarray(node, dtype=np.float64)
        if x.shape != (self.dimension,):
            raise ParameterError(
                f"a vector of shape {x.shape} does not fit features of {self.dimension} columns."
            )
        if not np.isfinite(x).all():
            raise ParameterError("a vector holds NaN or infinite values; every entry must be finite.")
        return x

    def extended(
        self,
        nodes: int | Iterable[Hashable] = (),
        edges: Any = (),
        weights: Any = None,
        attributes: Any = None,
    ) -> Features:
        """A copy with further rows, in which every old row keeps its index.

        Parameters
        ----------
        nodes
            Names of the new rows; without names, how many.
        edges, weights
            None: a table has no edges.
        attributes
            The vectors of the new rows, (new rows, dimension).

        Examples
        --------
        >>> table = Features([[0.0, 1.0], [3.0, 4.0]])
        >>> table.extended(1, attributes=[[5.0, 6.0]]).X[2].tolist()
        [5.0, 6.0]
        """
        if type(self) is not Features:
            raise GraphError(f"{type(self).__name__} is read from a file, so it takes no further rows.")
        if weights is not None or len(edges):
            raise NoEdgesError(
                "features have no edges, so none can be added; build a graph with knn_graph(X)."
            )
        new = extend_names(self, nodes)
        rows = np.asarray([] if attributes is None else attributes)
        if rows.shape != (len(new), self.dimension) and (new or rows.size):
            given = "none were given" if attributes is None else f"they have shape {rows.shape}"
            raise GraphError(
                f"{len(new)} new rows need vectors of {self.dimension} numbers each, and {given}; write "
                f"attributes=X with X of shape ({len(new)}, {self.dimension})."
            )
        if not new:
            return self
        names = (*(self.names or range(self.num_nodes)), *new)
        return Features(np.vstack([self.X, rows]), names, self.kernel)

    def unknown_name(self, name: Any) -> str:
        """The sentence that says that no row has this name; of a vector, how it becomes a row."""
        if isinstance(name, (np.ndarray, list)):
            return "a vector is no name of a row; add it first: session.add_nodes(1, attributes=[vector])."
        return super().unknown_name(name)

    def cross(self, points: Floats, x: Floats) -> Floats:
        """The kernel of a vector with each of several vectors."""
        values = np.asarray(self._function(points, x), dtype=np.float64)
        if values.shape != (len(points),):
            raise ParameterError(
                f"the kernel gave shape {values.shape} for {len(points)} vectors; give one each."
            )
        return values

    def column(self, node: int) -> Floats:
        """The kernel of a row with every row."""
        return self.cross(self.X, self.X[node])

    def require_positive(self, purpose: str) -> None:
        """Pass, whatever the purpose: a table has no weights that could be negative."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and (hasattr(Graph, name) or name in Graph.__annotations__):
            raise NoEdgesError(
                f"features are made of points and have no edges, hence no '{name}'; build a graph with "
                "knn_graph(X), or take a learner for vectors (perceptron, second-order, ollgc, sslgc, bbq, "
                "gaussian)."
            )
        raise AttributeError(f"'Features' has no attribute '{name}'")

    def __repr__(self) -> str:
        name = self.kernel if isinstance(self.kernel, str) else getattr(self.kernel, "__name__", "function")
        return f"Features(rows={self.num_nodes}, dimension={self.dimension}, kernel={name})"


FEATURE_KERNELS: Registry[Callable[[float], Kernel]] = Registry("kernel")
"""By name, what makes the kernel of a number (0 where it has none)."""


def _kernel(kernel: str | Kernel) -> Kernel:
    """The function of a kernel's name, or the function given."""
    if callable(kernel):
        return kernel
    try:
        make, number = FEATURE_KERNELS.parse(str(kernel))
    except ParameterError as problem:
        raise ParameterError(f"{problem} A function is a kernel too.") from None
    return make(number or 0.0)


@FEATURE_KERNELS.add("linear")
def _linear_kernel(number: float) -> Kernel:  # noqa: ARG001 - it has none
    return lambda points, x: points @ x


@FEATURE_KERNELS.add("polynomial", "DEGREE")
def _polynomial_kernel(number: float) -> Kernel:
    if not (number.is_integer() and number >= 1):
        raise ParameterError(f"kernel 'polynomial:{number:g}' needs a whole number of at least 1.")
    degree = int(number)
    return lambda points, x: (1.0 + points @ x) ** degree


@FEATURE_KERNELS.add("gaussian", "WIDTH")
def _gaussian_kernel(number: float) -> Kernel:
    if not (np.isfinite(number) and number > 0):
        raise ParameterError(f"kernel 'gaussian:{number:g}' needs a positive, finite width.")
    return lambda points, x: np.exp(-((points - x) ** 2).sum(axis=1) / (2 * number**2))

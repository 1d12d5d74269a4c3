"""The smallest non-trivial eigenpairs of a Laplacian, by block Krylov–Schur on its inverse.

The eigenvectors of L that belong to the smallest eigenvalues σ > 0 are those of L⁺ that belong to the
largest 1/σ, and few applications of L⁺ (solves, on whatever engine suits the graph) tell them apart;
`zerokelvin.spectral.krylov` also makes sure that no copy of a repeated eigenvalue is missing.

Every pair is checked by its true residual ‖L v − σ v‖. Signs are fixed: the largest entry of a vector
(of nearly equal ones, the first) is positive.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.solve.engines import check_engine
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solution import StagnationWarning
from zerokelvin.solve.solver import analyse
from zerokelvin.spectral.krylov import krylov_schur
from zerokelvin.threads import on_one_thread

__all__ = ["Eigenpairs", "smallest_eigenpairs"]

DENSE_SPECTRUM = 1500  # nodes up to which the whole spectrum is cheaper
RESOLVED = 1e-13  # of the largest degree: below it, an eigenvalue of the whole spectrum is rounding


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in ascending order and their eigenvectors.

    Attributes
    ----------
    values
        σ_1 ≤ … ≤ σ_d, the null vectors' zeros left out.
    vectors
        (n, d), orthonormal columns.
    residual
        The largest ‖L v − σ v‖.
    solves
        Right-hand sides solved.
    engine
        The engine that solved them, or ``dense``.
    converged
        Whether the residual is within the tolerance; a warning was given where it is not.
    """

    values: Floats
    vectors: Floats
    residual: float
    solves: int
    engine: str
    converged: bool = True


@on_one_thread
def smallest_eigenpairs(
    graph: Graph,
    count: int,
    *,
    normalized: bool = False,
    tol: float = 1e-8,
    engine: str = "auto",
    block: int = 8,
) -> Eigenpairs:
    """The `count` smallest non-trivial eigenpairs of L, or of Lₙ.

    Non-trivial: one zero per component (per balanced component of a signed graph) is left out.

    Parameters
    ----------
    graph
        The graph.
    count
        d, at most the number of non-trivial eigenvalues.
    normalized
        Take D^(−1/2) L D^(−1/2) in place of L.
    tol
        Bound on every ‖L v − σ v‖, relative to the mean degree where that is below 1, and not below
        rounding, 1e-13 of the largest degree.
    engine
        The engine for the solves, as in `analyse`.
    block
        Vectors multiplied at a time.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> smallest_eigenpairs(line, 2).values.round(6).tolist()
    [1.0, 3.0]
    """
    operator = Operator(graph, normalized=normalized)
    available = graph.num_nodes - int(operator.singular.sum())
    check_engine(engine)
    whole: Any = count
    if not isinstance(whole, (int, np.integer)) or not 1 <= count <= available:
        raise ParameterError(
            f"count={count} must lie between 1 and {available}, all non-trivial eigenvalues."
        )
    if graph.num_nodes <= DENSE_SPECTRUM or 4 * count > graph.num_nodes:
        values, vectors = _dense_spectrum(operator, count)
        solves, name = 0, "dense"
        if values[0] <= RESOLVED * float(operator.matrix.diagonal().max()):
            raise GraphError(
                f"the smallest eigenvalue of the Laplacian, {values[0]:.1e}, is lost in rounding; edge "
                "weights differ too much in size, so rescale or drop the smallest ones."
            )
    else:
        solver = analyse(graph, engine, normalized=normalized, tol=min(1e-10, tol * 1e-3))
        values, vectors, solves = krylov_schur(solver, count, _target(operator, tol), block)
        name = solver.engine
    vectors = _fix_signs(vectors)
    worst = float(np.linalg.norm(operator.apply(vectors) - vectors * values, axis=0).max())
    converged = worst <= _target(operator, tol)
    if not converged:
        warnings.warn(
            f"an eigenpair has residual {worst:.1e}, above tol={tol:g}; raise tol or the solver's accuracy.",
            StagnationWarning,
            stacklevel=2,
        )
    return Eigenpairs(values, vectors, worst, solves, name, converged)


def _target(operator: Operator, tol: float) -> float:
    if operator.normalized or operator.graph.num_edges == 0:
        return tol
    degrees = operator.graph.degrees
    return max(tol * min(1.0, float(degrees.mean())), RESOLVED * float(degrees.max()))


def _dense_spectrum(operator: Operator, count: int) -> tuple[Floats, Floats]:
    """Per component, so that no null vector mixes with an eigenvector of a small eigenvalue."""
    components = operator.graph.components
    order = np.argsort(components, kind="stable")
    values, vectors = [], []
    for component, nodes in enumerate(np.split(order, np.cumsum(np.bincount(components))[:-1])):
        found, basis = np.linalg.eigh(operator.matrix[nodes][:, nodes].toarray())
        start = int(operator.singular[component])
        padded = np.zeros((len(components), min(count, len(nodes) - start)))
        padded[nodes] = basis[:, start : start + padded.shape[1]]
        values.append(found[start : start + padded.shape[1]])
        vectors.append(padded)
    together, columns = np.concatenate(values), np.concatenate(vectors, axis=1)
    smallest = np.argsort(together, kind="stable")[:count]
    return together[smallest], columns[:, smallest]


def _fix_signs(vectors: Floats) -> Floats:
    sizes = np.abs(vectors)
    first = np.argmax(sizes >= sizes.max(axis=0) * (1 - 1e-6), axis=0)
    return vectors * np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)

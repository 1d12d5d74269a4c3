"""Online ridge regression, the mean of a Gaussian process, on a graph kernel: every label is used.

With K' = K + b·11ᵀ and noise μ, the margin of a node i and its variance given the labelled nodes S are

    m(i) = k_i(S)ᵀ (K'_SS + μI)⁻¹ y,      v(i) = K'_ii − k_i(S)ᵀ (K'_SS + μI)⁻¹ k_i(S).

All classes share the covariance. Two engines:

- *push*, for K = (L + εI)⁻¹ and (Lₙ + εI)⁻¹, the former also with weights scaled to a mean degree of 4, which
  is the default and does not depend on their unit: by Woodbury's identity m solves (L + εI + D_S/μ) m = D_S
  y/μ, a sparse system that one more label changes at one node only. Local relaxation follows it
  (`zerokelvin.kernels.relaxation`): no n × n matrix, memory O(E + n·classes), every mean within a certified
  error. With (L + εI)⁻¹ the values of the classes are the chances that a walk from i is stopped at a node of
  that class, and b spreads the rest by a class prior (`zerokelvin.learners.gaussian.diffusion`).
- *exact*, for any kernel up to 20,000 nodes, and for those too on small graphs of many edges, where relaxing
  takes longer (`System.is_slow`): a Cholesky factor that grows with the labels
  (`zerokelvin.learners.gaussian.exact_gaussian`); on feature vectors, those of a table and new ones, too
  (`zerokelvin.learners.gaussian.vector_gaussian`).

A label that comes again is one more noisy observation.

Bound. Online ridge regression satisfies Σ_t (y_t − m_t)² / (1 + v_t/μ) = min_f Σ_t (y_t − f_t)² + μ‖f‖²
(Zhdanov and Kalnishkan 2013, Theorem 1), and v_t ≤ X² = max K'_ii. With two classes a mistake means
(y_t − m_t)² ≥ 1 for the ±1 targets; with more, one-hot targets have Σ_c (y_c − m_c)² ≥ ½ where a wrong class
leads. With an error of at most δ in a lead and a comparator that k labels contradict, mistakes are at most

    (1 + X²/μ) (μ‖u‖² + 4k) / (1 − δ)²                 two classes,  ‖u‖² ≤ 4Φ + εn for (L + εI)⁻¹,
    2 (1 + X²/μ) (μ Σ_c ‖u_c‖² + 2k) / (1 − δ)²        more classes, Σ_c ‖u_c‖² ≤ 2Φ + εn, Φ all cut edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.kernels import KernelColumns, has_unit, kernel_columns
from zerokelvin.learners.base import Game, Learner, columns_of, learner
from zerokelvin.learners.base.multiclass import Valued
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT, Covariance
from zerokelvin.learners.gaussian.diffusion import Diffusion, contradiction, targets_of
from zerokelvin.learners.gaussian.diffusion_game import DiffusionGame
from zerokelvin.learners.gaussian.exact_gaussian import ExactGame, comparators, ridge_bound
from zerokelvin.learners.gaussian.field_system import System, is_relaxed, system_of
from zerokelvin.learners.gaussian.influence import Influence
from zerokelvin.learners.gaussian.vector_covariance import VectorCovariance
from zerokelvin.learners.gaussian.vector_gaussian import VectorGame, with_kernel

__all__ = ["Gaussian", "GaussianGame"]


DEFAULT_KERNEL = "relative-regularized:0.1"
OWN = (DEFAULT_KERNEL, "regularized:0.1")
"""On `Features` these stand for the table's own kernel; the second was the default of saved sessions."""

LOCAL = (DEFAULT_KERNEL, "normalized:0.1")
"""What to take on a large graph; the second is local on every one."""


class GaussianGame(DiffusionGame):
    """Regression by local relaxation, which knows variances and what a label is worth."""

    def __init__(self, diffusion: Diffusion) -> None:
        super().__init__(diffusion)
        self.influence = Influence(diffusion)

    def variance(self, node: int) -> float:
        """The predictive variance of a node, its noise left out."""
        diffusion = self.diffusion
        precision, b = diffusion.terms.precision, diffusion.terms.b
        column = diffusion.column(node)
        spread = float(column[node])
        if b > 0:
            counts = diffusion.counts.sum(axis=0)
            seen = np.flatnonzero(counts)
            left = 1.0 - float(precision * (counts[seen] @ column[seen]))
            spread += left**2 * diffusion.prior_weight() / precision
        return max(float(spread), 0.0)

    def lead_error(self, node: int) -> float:
        """How far the margin of a node may be from the exact one, directly and through β."""
        spread = self.diffusion.labels * self.diffusion.prior_weight()  # how far β depends on the values
        further = 1.0 + len(self.diffusion.counts) * (min(1.0, spread) + 2 * spread)
        return super().lead_error(node) * further

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What a label of `node` is worth to the nodes that wait: influence over lead."""
        return self.influence.value(node, waiting)

    def most_valued(
        self, nodes: Ints, waiting: NDArray[np.bool_], above: float, most: int | None = None
    ) -> Valued:
        """The nodes of the largest value; influences are kept while nothing has changed for them."""
        return self.influence.most_valued(nodes, waiting, above, most)

    def twin(self, kept: bool = False) -> Game:
        """A game on other fields at the same place; the influences computed so far serve both."""
        if kept:
            return super().twin(kept)
        other = GaussianGame(self.diffusion.twin())
        other.influence.kept = self.influence.kept
        return other

    def _vessel(self) -> Callable[[], GaussianGame]:
        begin, influences = super()._vessel(), self.influence.kept

        def again() -> GaussianGame:
            game = cast(GaussianGame, begin())
            game.influence.kept = influences
            return game

        return again

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound of the module, one for all classes together."""
        rows = np.array(labels)
        diffusion, system = self.diffusion, self.diffusion.system
        precision, b = diffusion.terms.precision, diffusion.terms.b
        error = self.lead_error(int(np.argmax(system.out)))
        norms = [system.norm(target) for target in comparators(rows)]
        radius = system.radius + float(b)
        against = contradiction(diffusion.counts, targets_of(rows))
        return ridge_bound(norms, radius, 1.0 / precision, against, error)


@learner("gaussian")
@dataclass(frozen=True)
class Gaussian(Learner):
    """Online ridge / Gaussian-process regression on a graph kernel; see the module.

    Parameters
    ----------
    kernel
        ``"relative-regularized:EPS"`` for (4L/d̄ + EPS·I)⁻¹ with the mean degree d̄, ``"regularized:EPS"`` for
        (L + EPS·I)⁻¹, which depends on the unit of the weights, ``"normalized:EPS"`` for (Lₙ + EPS·I)⁻¹, or
        whatever `zerokelvin.kernels.kernel_columns` takes (``"relative-heat:T"``, a matrix, …). On `Features`
        the default stands for the table's own kernel; ``"linear"``, ``"polynomial:D"``, ``"gaussian:S"`` or a
        function takes its place.
    mu
        Noise: how far a label may be from the mean at its node.
    b
        Weight of the constant 11ᵀ, which carries the class prior. The default lets it decide only
        where the graph says nothing; with 1 it competes with the graph (Cora's error .154 becomes .170).
        On vectors with a linear kernel it is the intercept, which wants a weight like 1.
    engine
        ``"push"`` relaxes locally where the kernel allows it, EPS is not below 10⁻⁴ of the mean degree (of 1
        where normalized), and factors are not much cheaper, as they are on small graphs with many edges;
        ``"exact"`` or an engine of `zerokelvin.kernels.kernel_columns` factorises, as `Features` always do.
    tol
        Certified error of the values by local relaxation; relative residual of columns otherwise.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Gaussian().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [state.margin(node) > 0 for node in range(4)]
    [False, False, True, True]
    >>> state.variance(1) > state.variance(0)
    True
    """

    purpose: ClassVar[str] = "smooth labels, with a variance at every node and the value of every label"
    choose: ClassVar[str] = "neighbours mostly agree, and you want to know where the learner is unsure"
    cost: ClassVar[str] = (
        "a local relaxation around each label for the default engine, which stops at its tolerance"
    )

    kernel: Any = DEFAULT_KERNEL
    mu: float = 0.3
    b: float = 1e-8
    engine: str = "push"
    tol: float = 0.02

    has_variance: ClassVar[bool] = True
    has_value: ClassVar[bool] = True
    takes_features: ClassVar[bool] = True
    variants: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"kernel": "normalized:0.1", "b": 1.0},
        {"engine": "exact"},
    )

    def __post_init__(self) -> None:
        for name, least in (("mu", "positive"), ("tol", "positive"), ("b", "at least 0")):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 or (value == 0 and least == "at least 0"))):
                raise ParameterError(f"{name}={value} must be a finite number, {least}.")

    def needs_whole(self) -> str:
        """Where it factorises: with another engine or kernel than those of local relaxation."""
        symmetric = isinstance(self.kernel, str) and parse_kernel(self.kernel).kernel.is_symmetric
        local = self.engine == "push" and symmetric and is_relaxed(self.kernel)
        return "" if local else f"kernel={self.kernel!r} with engine={self.engine!r} takes columns"

    def unit_matters(self) -> str:
        """With a kernel in units of the weights."""
        return f"so does the kernel {self.kernel}" if has_unit(self.kernel) else ""

    def prepare(self, graph: Graph | Features) -> System | KernelColumns | Features:
        """The kernel of the graph, shared by all classes and shuffles; `Features` with theirs."""
        if isinstance(graph, Features):
            own = isinstance(self.kernel, str) and self.kernel in OWN
            return graph if own else with_kernel(graph, self.kernel)
        graph.require_positive("gaussian")
        symmetric = isinstance(self.kernel, str) and parse_kernel(self.kernel).kernel.is_symmetric
        system = system_of(graph, self.kernel) if symmetric else None
        local = system is not None and self.engine == "push" and system.is_local
        if system is not None and local and (isinstance(graph, PackedGraph) or not system.is_slow):
            return system
        if isinstance(graph, PackedGraph):
            raise ParameterError(
                f"kernel={self.kernel!r} reaches too far for local relaxation, and '{graph.source}' is "
                "packed; give a larger EPS, or read it all with graph.in_memory()."
            )
        self._require_room(graph, system)
        engine = "auto" if self.engine in ("push", "exact") else self.engine
        return kernel_columns(graph, self.kernel, engine, min(self.tol, 1e-8))

    def _require_room(self, graph: Graph, system: System | None) -> None:
        """Refuse a kernel that needs columns on a large graph, and name one that does not."""
        if graph.num_nodes <= EXACT_LIMIT:
            return
        if system is not None and system.is_local:
            remedy = 'leave out engine, or give engine="push"'
        else:
            local = [kernel for kernel in LOCAL if _is_local(graph, kernel)]
            remedy = f'use kernel="{local[0]}", which works locally on this graph'
        raise ParameterError(
            f"kernel={self.kernel!r} with engine={self.engine!r} needs a column per label here, too much for "
            f"{graph.num_nodes} nodes (limit {EXACT_LIMIT}); {remedy}."
        )

    def start_game(self, graph: Graph | Features, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game on one covariance."""
        prepared = self.prepare(graph) if prepared is None else prepared
        count = columns_of(classes)
        if isinstance(prepared, Features):
            return VectorGame(VectorCovariance(prepared, count, self.mu, self.b))
        if isinstance(prepared, System):
            return GaussianGame(Diffusion(prepared, count, 1.0 / self.mu, self.b, self.tol / prepared.unit))
        return ExactGame(Covariance(prepared, count, self.mu, self.b))


def _is_local(graph: Graph, kernel: str) -> bool:
    system = system_of(graph, kernel)
    return system is not None and system.is_local

"""The engines of conjugate gradients preconditioned with an approximate Cholesky factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.solve.engines.approximate_factor import approximate_factor
from zerokelvin.solve.engines.engine import CoreEngine, engine
from zerokelvin.solve.engines.iterative import Iterative
from zerokelvin.solve.layout import Core

__all__ = ["ApproximateCholesky", "with_two_samples"]


@engine("approximate")
@dataclass(frozen=True)
class ApproximateCholesky(CoreEngine):
    """Conjugate gradients preconditioned with a randomised approximate Cholesky factor.

    Parameters
    ----------
    samples
        1 (AC) or 2 (AC2) sampled edges per eliminated edge.
    seed
        Seed of the factor's random choices.
    max_iterations
        Most iterations per solve.
    """

    samples: int = 1
    seed: int = 0
    max_iterations: int = 2_000

    def __post_init__(self) -> None:
        if self.samples not in (1, 2):
            raise ParameterError(f"samples={self.samples} must be 1 or 2.")

    @property
    def name(self) -> str:
        """Named after the samples where they are two."""
        return "approximate" if self.samples == 1 else "approximate-2"

    def prepare(self, core: Core) -> Iterative:
        """The core with an approximate Cholesky factor as its preconditioner."""
        factor = approximate_factor(core, np.random.default_rng(self.seed), self.samples)
        return Iterative(core, factor, self.max_iterations)


@engine("approximate-2")
def with_two_samples() -> ApproximateCholesky:
    """Approximate Cholesky with two sampled edges per eliminated edge (AC2)."""
    return ApproximateCholesky(samples=2)

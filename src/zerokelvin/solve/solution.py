"""What a solve returns, and the warnings it may give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["STATUSES", "ScalingWarning", "Solution", "SolverWarning", "StagnationWarning", "Status"]

Status = Literal["converged", "stagnated", "ill-scaled"]

STATUSES: tuple[Status, ...] = ("converged", "ill-scaled", "stagnated")
"""From best to worst; the worst column's is a block's."""


class SolverWarning(UserWarning):
    """A linear solve is less accurate than was asked for."""


class StagnationWarning(SolverWarning):
    """The residual stopped falling before it reached the tolerance."""


class ScalingWarning(SolverWarning):
    """Weights differ so much in size that digits are lost."""


@dataclass(frozen=True)
class Solution:
    """The answer to M x = b with everything known about it.

    Attributes
    ----------
    value
        x, of the shape of b; orthogonal to the null vectors where M is singular.
    residual
        The true relative residual ‖b − M x‖ / ‖b‖, after b is projected off the null vectors; the
        worst column's of a block.
    iterations
        Iterations of the slowest column, 0 for engines that do not iterate.
    status
        ``converged``: the residual is at most the tolerance (for elimination of leaves, which has no
        subtraction to lose digits in, always); ``stagnated``: it is not; ``ill-scaled``: it is, but weights
        differ so much that the estimated error of x itself is large.
    """

    value: NDArray[np.float64]
    residual: float
    iterations: int
    status: Status

"""What the bounds of ridge regression read of one binary problem, in coordinates or in dual variables.

The trials seen and learnt (`TrialLog`), the parameters, and two numbers of what was learnt: the squared
losses before each trial, and Σ ln(1 + λ_i/a).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.asking.variance import variance_floors
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.trial_log import TrialLog

__all__ = ["RidgeFit"]


class RidgeFit(TrialLog, ABC):
    """One binary problem of ridge regression.

    `a` is the ridge; `every_round` learns from every label; `kappa` makes it ask only where the variance
    is above t^−κ; `forward_score` divides the score by 1 + r; `theorem` is what bounds it by default, one of
    those of `zerokelvin.learners.ridge.ridge_bounds`.
    """

    source: Coordinates | KernelPoints

    def __init__(
        self,
        a: float,
        every_round: bool = False,
        kappa: float | None = None,
        forward_score: bool = False,
        theorem: str = "best",
    ) -> None:
        super().__init__()
        self.a = a
        self.every_round = every_round
        self.kappa = kappa
        self.forward_score = forward_score
        self.theorem = theorem

    @abstractmethod
    def variance(self, node: Any) -> float:
        """The variance r_t, which includes the node itself; below 1."""

    @abstractmethod
    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""

    @abstractmethod
    def log_determinant(self) -> float:
        """Σ ln(1 + λ_i/a), λ_i the eigenvalues of Σ x xᵀ (or of the Gram matrix) over the learnt trials."""

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether r_t > t^−κ; always, without a κ."""
        if self.kappa is None:
            return True
        number = self.trials if trial is None else trial
        return self.variance(node) > float(variance_floors(self.kappa, np.array([number]))[0])

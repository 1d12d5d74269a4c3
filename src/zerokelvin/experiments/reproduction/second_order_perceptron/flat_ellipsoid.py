"""Figures 2.1 and 2.2: what is hardest for the perceptron, and a flat ellipsoid that others make use of."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.array_types import Floats, Ints
from zerokelvin.experiments.report.chart import curves, plane
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.graph.features import Features

__all__ = ["FlatEllipsoid", "LongInstances"]


def flat_points(
    count: int, gamma: float, rng: np.random.Generator, *, far: float = 0.0
) -> tuple[Floats, Ints]:
    """Points at ±γ from the hyperplane and at most 1 long, the share `far` at the very ends; their labels."""
    labels = np.where(rng.integers(2, size=count) == 1, 1, -1)
    reach = np.sqrt(1 - gamma**2)
    along = rng.uniform(-reach, reach, size=count)
    ends = rng.random(count) < far
    along[ends] = np.where(along[ends] >= 0, reach, -reach)
    return np.column_stack([along, gamma * labels]), labels


@claim("second-order/figure-2.2")
class FlatEllipsoid(Claim):
    """The degenerate case of Figure 2.2."""

    title: ClassVar[str] = "Flat ellipsoid: a bound near 2 where the perceptron's is R²/γ²"
    place: ClassVar[str] = "Section 2, Figure 2.2, equations (2.1)–(2.3)"
    says: ClassVar[str] = (
        "On two lines at margin γ the whitened perceptron makes at most 1 + (R²T − γ²T)/(Σ‖x‖² − γ²T) "
        "mistakes, which tends to 2 as all norms approach R, independent of γ; the perceptron's bound is "
        "R²/γ²."
    )
    tolerance: ClassVar[str] = (
        "The whitened perceptron stays within the formula at every γ; with all norms at R the formula is 2 "
        "to 10⁻⁶; the perceptron makes more mistakes at the smallest γ than either second-order learner."
    )
    cost: ClassVar[float] = 4.0

    def measure(self, lab: Laboratory) -> Found:
        """Margins from wide to thin; then all points at the ends."""
        count = lab.pick(2000, 400)
        kinds: dict[str, tuple[str, dict[str, Any]]] = {
            "perceptron": ("perceptron", {"b": 0.0}),
            "whitened": ("second-order", {"variant": "whitened", "b": 0.0}),
            "second-order, a = 0.01": ("second-order", {"a": 0.01, "b": 0.0}),
        }
        made: dict[str, list[tuple[float, float]]] = {
            name: [] for name in (*kinds, "R²/γ²", "whitened bound")
        }
        checks = []
        for gamma in (0.2, 0.1, 0.05, 0.02):
            points, labels = flat_points(count, gamma, np.random.default_rng(lab.seed))
            norms = (points**2).sum(axis=1)
            limit = 1 + (norms.max() * count - gamma**2 * count) / (norms.sum() - gamma**2 * count)
            for name, (learner, params) in kinds.items():
                (game,) = lab.play(
                    f"flat ellipsoid, γ = {gamma}", Features(points), labels, learner, bound=False, **params
                )
                made[name].append((gamma, game.mistakes))
            made["R²/γ²"].append((gamma, norms.max() / gamma**2))
            made["whitened bound"].append((gamma, float(limit)))
            whitened = made["whitened"][-1][1]
            checks.append(Check.at_most(f"whitened, γ = {gamma}", float(limit), whitened))
        ends, _ = flat_points(count, 0.1, np.random.default_rng(lab.seed), far=1.0)
        norms = (ends**2).sum(axis=1)
        tight = 1 + (norms.max() - 0.01) * count / (norms.sum() - 0.01 * count)
        checks.append(Check.close("the formula with all norms at R", 2.0, float(tight), 1e-6, 6))
        for name in ("whitened", "second-order, a = 0.01"):
            ahead = made["perceptron"][-1][1] - made[name][-1][1]
            checks.append(Check.at_least(f"perceptron − {name}, γ = 0.02", 1, ahead))
        points, labels = flat_points(160, 0.1, np.random.default_rng(lab.seed))
        shown = [(x, 3 * y, int(s < 0), f"label {s:+d}") for (x, y), s in zip(points, labels, strict=True)]
        pictures = (
            plane(
                "The scattering of Figure 2.2",
                shown,
                ("label +1", "label −1"),
                caption="γ = 0.1; heights × 3.",
            ),
            curves(
                f"{count:,} points",
                "margin, γ",
                "mistakes",
                made,
                log_x=True,
                log_y=True,
                dashed=["R²/γ²", "whitened bound"],
            ),
        )
        return Found(tuple(checks), pictures)


@claim("second-order/figure-2.1")
class LongInstances(Claim):
    """The hard instances of Figure 2.1."""

    title: ClassVar[str] = "Long instances near the boundary turn the perceptron away from its target"
    place: ClassVar[str] = "Section 2, Figure 2.1"
    says: ClassVar[str] = (
        "Where x_t has maximal length R and lies on the margin, almost orthogonal to u, the additive rule "
        "makes w_{t+1} farther from u than w_t was; vectors of large norm and small projection on u are the "
        "hardest for the perceptron, which makes at most (R/γ)² mistakes."
    )
    tolerance: ClassVar[str] = (
        "At every γ the angle to u grows in the step that is drawn; with all points of length R in 20 "
        "dimensions and at ±γ the mean number of mistakes grows as γ falls, and never exceeds (R/γ)²."
    )

    def measure(self, lab: Laboratory) -> Found:
        """The step that is drawn, at several margins; then games on the sphere."""
        checks, turned = [], []
        before = np.array([0.3, 1.0])  # w_t; the target u is (0, 1)
        for gamma in (0.2, 0.1, 0.05, 0.02):
            long = np.array([np.sqrt(1 - gamma**2), -gamma])
            state = learners.make("perceptron", b=0.0).start(
                Features(np.array([-before, long, [1.0, 0.0], [0.0, 1.0]]))
            )
            state.update(0, -1)  # from zero weights to w_t
            wrong = state.margin(1) >= 0
            state.update(1, -1)
            after = np.array([state.margin(2), state.margin(3)])
            checks.append(Check.holds(f"x_t is predicted wrong, γ = {gamma}", "yes", _yes(wrong), wrong))
            checks.append(Check.at_least(f"degrees from u, γ = {gamma}", _angle(before), _angle(after)))
            turned.append((gamma, _angle(after)))
        count = lab.pick(2000, 400)
        made: list[tuple[float, float]] = []
        allowed: list[tuple[float, float]] = []
        for gamma in (0.4, 0.2, 0.1, 0.05):
            points, labels = _long_points(count, gamma, np.random.default_rng(lab.seed))
            games = lab.play(
                f"sphere, γ = {gamma}", Features(points), labels, "perceptron", seeds=lab.seeds(5, 3), b=0.0
            )
            mistakes = [game.mistakes for game in games]
            checks.append(Check.at_most(f"mistakes, γ = {gamma}", 1 / gamma**2, max(mistakes)))
            if made:
                checks.append(
                    Check.at_least(f"mean mistakes, γ = {gamma}", made[-1][1], float(np.mean(mistakes)))
                )
            made.append((gamma, float(np.mean(mistakes))))
            allowed.append((gamma, 1 / gamma**2))
        pictures = (
            curves(
                "Degrees between the weights and the target",
                "margin, γ",
                "degrees",
                {"after the step": turned, "before": [(gamma, _angle(before)) for gamma, _ in turned]},
                log_x=True,
            ),
            curves(
                f"{count:,} points of length R",
                "margin, γ",
                "mistakes",
                {"mean mistakes": made, "(R/γ)²": allowed},
                log_x=True,
                log_y=True,
                dashed=["(R/γ)²"],
            ),
        )
        return Found(tuple(checks), pictures)


def _long_points(count: int, gamma: float, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Points of length 1 in 20 dimensions at ±γ from the hyperplane, their labels."""
    labels = np.where(rng.integers(2, size=count) == 1, 1, -1)
    across = rng.normal(size=(count, 19))
    across *= np.sqrt(1 - gamma**2) / np.linalg.norm(across, axis=1, keepdims=True)
    return np.column_stack([gamma * labels, across]), labels


def _angle(weights: Floats) -> float:
    """Degrees between weights and the target (0, 1)."""
    return float(np.degrees(np.arctan2(abs(weights[0]), weights[1])))


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"

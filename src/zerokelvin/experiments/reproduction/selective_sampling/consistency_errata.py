"""Errata of local and global consistency, as claims that do not hold as printed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.games import play
from zerokelvin.graph import Graph, cut

__all__ = ["CutNorm", "LabelComplexity"]


@claim("ollgc-sslgc/erratum-lemma-3")
class CutNorm(Claim):
    """With labels −1 and +1 fᵀLf = 4Φ, not 2Φ as Lemma 3 has it."""

    title: ClassVar[str] = "Lemma 3 counts every cut edge twice; Corollary 5 fails as printed"
    place: ClassVar[str] = "Lemma 3, Corollary 5"
    says: ClassVar[str] = "‖u‖² = fᵀLf = 2Φ(f); and mistakes ≤ (μ/2)‖u‖² + … with γ the comparator's error."
    tolerance: ClassVar[str] = (
        "Holds as printed if fᵀLf = 2Φ on one edge with labels −1, +1, and no game exceeds Corollary 5."
    )
    erratum: ClassVar[bool] = True

    def measure(self, lab: Laboratory) -> Found:
        """One edge, labels −1 and +1."""
        edge = Graph.from_edges([(0, 1)])
        f = np.array([-1, 1])
        energy = float(f @ edge.laplacian() @ f)
        state = learners.make("ollgc", rank=None, b=0.0, mu=0.1).start(edge)
        mistakes = 0
        for node in (0, 1):
            mistakes += int((state.margin(node) >= 0) != (f[node] > 0))
            state.update(node, int(f[node]))
        return Found(
            (
                Check.close("fᵀLf on one cut edge, 2Φ", 2 * cut(edge, f), energy, 1e-9, 0),
                Check.at_most("mistakes with μ = 0.1, where u interpolates: (μ/2)·4", 0.2, mistakes),
            ),
            notes=(
                "Mended: fᵀLf = 4Φ; mistakes ≤ min μ‖u‖² + Σ(u·m − y)² + γ Σ ln(1 + λ/μ), γ of the learner.",
            ),
        )


@claim("ollgc-sslgc/erratum-theorem-7")
class LabelComplexity(Claim):
    """The label complexity is proved for bbq, not for sslgc."""

    title: ClassVar[str] = "Theorem 7 does not bound the questions of SSLGC"
    place: ClassVar[str] = "Theorem 7, label complexity"
    says: ClassVar[str] = "The number of queries is at most T^κ d ln(1 + N/(μd))."
    tolerance: ClassVar[str] = "Holds as printed if SSLGC stays within on two nodes labelled +1 forever."
    erratum: ClassVar[bool] = True

    def measure(self, lab: Laboratory) -> Found:
        """Two joined nodes shown in turn."""
        edge, trials, kappa = Graph.from_edges([(0, 1)]), lab.pick(5000, 1000), 0.4
        checks = []
        for name in ("sslgc", "bbq"):
            run = play(
                edge, [1, 1], name, order=[0, 1] * (trials // 2), classes=[-1, 1], kappa=kappa, b=2.0, mu=1.0
            )
            limit = trials**kappa * 2 * np.log1p(run.queries * 3 / 2)  # with ‖m‖² ≤ 3 put in
            maker = Check.at_most if name == "sslgc" else _only_shown
            checks.append(maker(f"{name}: labels asked in {trials:,} trials", float(limit), run.queries))
        return Found(
            tuple(checks), notes=("sslgc is never wrong here, so it never updates and goes on asking.",)
        )


def _only_shown(what: str, limit: float, measured: float) -> Check:
    return Check.shown(what, f"at most {limit:,.0f}", f"{measured:,}")

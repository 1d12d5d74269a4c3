"""Bounds (1), (15) and (16) against the mistakes made, with and without label noise (sections 2 and 4)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, brief, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state, random_orders
from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.graph import generators

__all__ = ["LabelNoise", "PerceptronBounds"]

FORMS: dict[str, tuple[str, dict[str, float]]] = {
    "(1)": ("1", {"b": 0.0}),
    "(16)": ("16", {"b": 1.0}),
    "(15), b = c = 1": ("4.2", {"b": 1.0, "c": 1.0}),
    "(5), norms as met": ("2.1", {"b": 1.0}),
}


def _examples(lab: Laboratory) -> dict[str, generators.LabelledGraph]:
    size = lab.pick(4, 1)
    return {
        "barbell": generators.barbell(8 * size),
        "noisy barbell": generators.noisy_barbell(8 * size),
        "thick barbell": generators.thick_barbell(8 * size, 6),
        "three clusters": generators.three_clusters(8 * size, 6),
        "flower": generators.flower(8, 20 * size),
        "octopus": generators.balanced_octopus(4 * size, 4),
        "line": generators.line(32 * size),
        "grid": generators.grid(4 * size, 4 * size),
        "double lollipop": generators.double_lollipop(32 * size),
    }


@claim("graph-perceptron/bounds")
class PerceptronBounds(Claim):
    """No game of the perceptron makes more mistakes than its bounds allow."""

    title: ClassVar[str] = "Bounds (1), (5), (15), (16) against mistakes"
    place: ClassVar[str] = "Theorems 2.1 and 4.2, equations (1), (15), (16)"
    says: ClassVar[str] = "The mistakes of the perceptron are at most (1), (5), (15) and (16), in any order."
    tolerance: ClassVar[str] = "No order tried, an adversary's included, has more mistakes than any of them."

    def measure(self, lab: Laboratory) -> Found:
        """Random orders and an adversary, on every graph of the papers."""
        checks, rows = [], []
        series: dict[str, list[Any]] = {name: [] for name in FORMS}
        raw = []
        for graph_name, example in _examples(lab).items():
            graph, labels = example.graph, np.asarray(example.labels)
            cells = [graph_name, str(graph.num_nodes)]
            for form, (theorem, params) in FORMS.items():
                learner = learners.make("perceptron", **params)
                prepared = learner.prepare(graph)
                games = [
                    play_state(learner, graph, labels, order, prepared)
                    for order in random_orders(graph.num_nodes, lab.seeds(5, 2))
                ]
                bounds = [state.bound(labels, theorem=theorem) for _, state in games]
                over = [m for (m, _), b in zip(games, bounds, strict=True) if not b.allows(m)]
                most = hunt(learner, graph, labels, lab.seed)
                limit = max(b.value for b in bounds)
                if theorem != "2.1":  # known before the game, so it speaks of the adversary's order too
                    over += [most] if most > limit * (1 + 1e-9) else []
                worst = max(*(m for m, _ in games), most)
                checks.append(
                    Check.holds(
                        f"{form}, {graph_name}", f"at most {brief(limit)}", f"{worst} at worst", not over
                    )
                )
                series[form].append(
                    (max(worst, 1), limit, f"{graph_name}: {worst} made, {brief(limit)} allowed")
                )
                cells += [f"{worst}", brief(limit)]
                raw.append({"graph": graph_name, "bound": form, "mistakes": worst, "value": limit})
            rows.append(tuple(cells))
        heads = [head for form in FORMS for head in (f"mistakes {form}", f"bound {form}")]
        table = Table(
            "Most mistakes, and what is allowed",
            ("graph", "nodes", *heads),
            tuple(rows),
            numbers=tuple(range(1, 2 + len(heads))),
        )
        chart = curves(
            "How close the bounds come",
            "mistakes, worst order",
            "bound",
            series,
            log_x=True,
            log_y=True,
            loose=True,
            diagonal="bound = mistakes",
        )
        return Found(tuple(checks), (chart,), (table,), rows=tuple(raw))


@claim("graph-perceptron/label-noise")
class LabelNoise(Claim):
    """The relative mistake bound under label noise."""

    title: ClassVar[str] = "Label noise costs two mistakes per lie, and no more"
    place: ClassVar[str] = "Theorem 2.1, equation (5)"
    says: ClassVar[str] = (
        "Mistakes ≤ 2|M_A ∩ M_u| + ‖u‖²X²/2 + √(…), for every labelling u, with labels that contradict u."
    )
    tolerance: ClassVar[str] = "Holds in every noisy game; without noise (5) is ‖u‖²X² to rounding."

    def measure(self, lab: Laboratory) -> Found:
        """Rates of noise on a barbell whose nodes come several times."""
        m = lab.pick(20, 6)
        example = generators.barbell(m)
        checks, made, allowed = [], [], []
        for rate in lab.pick((0.0, 0.05, 0.1, 0.2, 0.3), (0.0, 0.2)):
            games = lab.play(
                f"barbell of {m}",
                example.graph,
                example.labels,
                "perceptron",
                seeds=lab.seeds(5, 2),
                settings={"label_noise": rate, "repeats": 3},
            )
            worst = max(games, key=lambda game: game.mistakes / (game.bound or np.inf))
            if worst.bound is not None:
                checks.append(Check.at_most(f"mistakes, noise {rate:.0%}", worst.bound, worst.mistakes))
            made.append((rate, float(np.mean([g.mistakes for g in games]))))
            allowed.append((rate, float(np.mean([g.bound or np.nan for g in games]))))
        chart = curves(
            f"Barbell of two {m}-cliques, every node three times",
            "share of false labels",
            "mistakes",
            {"mean mistakes": made, "bound (5)": allowed},
            dashed=["bound (5)"],
        )
        return Found(tuple(checks), (chart,))

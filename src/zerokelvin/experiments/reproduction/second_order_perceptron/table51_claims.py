"""Table 5.1 over many draws, and every variant of the second-order perceptron against its theorem."""

from __future__ import annotations

from typing import Any, ClassVar

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves, plane
from zerokelvin.experiments.report.claim import Check, Claim, Found, brief, claim
from zerokelvin.experiments.report.experiment_values import experiment_values
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.experiments.reproduction.second_order_perceptron.table51 import PAPER, Table51, draw_points
from zerokelvin.graph.features import Features

__all__ = ["LargeRidge", "ManyDraws", "PseudoinverseScores", "Variants"]


@claim("second-order/table-5.1")
class ManyDraws(Claim):
    """Table 5.1, over draws of the data."""

    title: ClassVar[str] = "Table 5.1 over many draws"
    place: ClassVar[str] = "Section 5, Table 5.1, Figure 5.1"
    says: ClassVar[str] = (
        "Test mistakes on 3,000 points after two passes over 9,000, mean of 5 orders of one draw "
        "(deviation); the second-order perceptron outperforms the perceptron, on data set 2 by far."
    )
    tolerance: ClassVar[str] = (
        "Each mean within one printed standard deviation, the draw being unknown; at least twice as few "
        "mistakes on data set 1 with a = 1 and 10, five times on data set 2; the perceptron's two means "
        "within a factor of 1.5."
    )
    differs: ClassVar[str] = (
        "The paper measured one draw, which is not printed, and means of one draw differ: by a standard "
        "deviation of 1.1 from draw to draw over 20. Over 20 draws only a = 50 on data set 1 is outside, 9.6 "
        "where 14.0 ± 4.4 is printed; the two draws of the short form stray further."
    )
    cost: ClassVar[float] = 240.0

    def measure(self, lab: Laboratory) -> Found:
        """The experiment table5.1, figure by figure."""
        experiment = Table51(seed=lab.seed, draws=lab.pick(20, 2), shuffles=lab.pick(5, 2), figures=False)
        values = experiment_values(lab, experiment)
        checks = []
        series: dict[str, list[Any]] = {"paper": [], "ours": []}
        rows = []
        for name in PAPER:
            for number in (1, 2):
                found = values["learners"][name][f"data_set_{number}"]
                what = f"{name}, data set {number}"
                checks.append(
                    Check.close(what, found["paper"], found["test_mistakes"], found["paper_std"], 1)
                )
                place = len(series["paper"]) + 1
                spread = f"{what}: {found['paper']:.1f} ± {found['paper_std']:.1f}"
                series["paper"].append((place, found["paper"], spread))
                ours = f"{what}: {found['test_mistakes']:.1f}, over draws ± {found['std_over_draws']:.1f}"
                series["ours"].append((place, found["test_mistakes"], ours))
                rows.append({"learner": name, "data_set": number, **found})
        for name in ("second-order, a = 1", "second-order, a = 10"):
            for number, least in ((1, 2.0), (2, 5.0)):
                fewer = values["learners"][name][f"data_set_{number}"]["times_fewer"]
                checks.append(Check.at_least(f"{name}, data set {number}: times fewer", least, fewer))
        first, second = (values["learners"]["perceptron"][f"data_set_{k}"]["test_mistakes"] for k in (1, 2))
        checks.append(Check.between("perceptron, set 2 over set 1", 1 / 1.5, 1.5, second / max(first, 1e-9)))
        chart = curves(
            "Test mistakes, rows of Table 5.1 in turn on data sets 1 and 2",
            "cell of the table",
            "mistakes",
            series,
            loose=True,
            caption="Perceptron, a = 1, 10, 50; odd cells data set 1, even cells data set 2.",
        )
        return Found(tuple(checks), (chart, *_data_charts(lab)), rows=tuple(rows))


def _data_charts(lab: Laboratory) -> list[dict[str, Any]]:
    """Figure 5.1: the two coordinates that matter."""
    charts = []
    for axis in (0, 1):
        table, labels = draw_points(axis, 0.135, lab.seed)
        shown = [
            (x, y, int(s < 0), f"label {s:+d}")
            for (x, y), s in zip(table.X[:250, :2], labels[:250], strict=True)
        ]
        title = f"Figure 5.1, data set {axis + 1}: the two coordinates that matter"
        charts.append(plane(title, shown, ("label +1", "label −1"), caption="250 of 12,000 points."))
    return charts


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "perceptron": ("perceptron", {"b": 0.0}),
    "fixed, a = 1": ("second-order", {"a": 1.0, "b": 0.0}),
    "fixed, a = 10": ("second-order", {"a": 10.0, "b": 0.0}),
    "fixed, a = 50": ("second-order", {"a": 50.0, "b": 0.0}),
    "increasing, c = 0.1": ("second-order", {"variant": "increasing", "c": 0.1, "b": 0.0}),
    "pseudoinverse": ("second-order", {"variant": "pseudoinverse", "b": 0.0}),
    "whitened": ("second-order", {"variant": "whitened", "b": 0.0}),
}


@claim("second-order/variants")
class Variants(Claim):
    """Every variant of the second-order perceptron beside the bound of its theorem."""

    title: ClassVar[str] = "Every variant, beside the bound of its theorem"
    place: ClassVar[str] = "Theorems 3.1, 4.1, 4.2 and equation (2.1)"
    says: ClassVar[str] = (
        "Mistakes while training are bounded by Theorem 3.1 (fixed a), 4.1 (a_k = cR²k), 4.2 "
        "(pseudoinverse) and (2.1) (whitened)."
    )
    tolerance: ClassVar[str] = "No game exceeds its bound."
    cost: ClassVar[float] = 40.0

    def measure(self, lab: Laboratory) -> Found:
        """One pass over the first points of both data sets."""
        count = lab.pick(2000, 300)
        checks, rows = [], []
        series: dict[str, list[Any]] = {name: [] for name in VARIANTS}
        for axis in (0, 1):
            table, labels = draw_points(axis, 0.135, lab.seed)
            part, signs = Features(table.X[:count]), labels[:count]
            for name, (learner, params) in VARIANTS.items():
                games = lab.play(
                    f"data set {axis + 1}", part, signs, learner, seeds=lab.seeds(3, 1), **params
                )
                worst = max(games, key=lambda game: game.mistakes)
                what, limit = f"{name}, data set {axis + 1}", worst.bound
                told = "says nothing" if limit is None else brief(limit)
                rows.append((what, str(worst.mistakes), told, worst.theorem or ""))
                if limit is not None:
                    checks.append(Check.at_most(what, limit, worst.mistakes))
                    text = f"data set {axis + 1}: {worst.mistakes} made, {told} allowed"
                    series[name].append((worst.mistakes, limit, text))
        table_shown = Table(
            f"One pass over {count:,} points, worst of the orders",
            ("variant", "mistakes", "bound", "theorem"),
            tuple(rows),
            numbers=(1, 2),
        )
        chart = curves(
            "Bounds of the variants",
            "mistakes",
            "bound",
            {name: points for name, points in series.items() if points},
            loose=True,
            log_y=True,
            log_x=True,
            diagonal="bound = mistakes",
        )
        return Found(tuple(checks), (chart,), (table_shown,))


@claim("second-order/large-a")
class LargeRidge(Claim):
    """The limits of the parameter a."""

    title: ClassVar[str] = "As a grows it becomes the perceptron; dual and primal agree"
    place: ClassVar[str] = "Section 3, after Theorem 3.1; Theorem 3.3"
    says: ClassVar[str] = (
        "In the limit a → ∞ the second-order perceptron becomes the perceptron; it can be run in dual "
        "variables with the same predictions."
    )
    tolerance: ClassVar[str] = "With a = 10⁹, and in dual variables, the same mistakes trial by trial."
    cost: ClassVar[float] = 4.0

    def measure(self, lab: Laboratory) -> Found:
        """Mistakes in one order with a = 10⁹ beside the perceptron's, and in both forms with a = 1."""
        count = lab.pick(600, 200)
        table, labels = draw_points(1, 0.135, lab.seed)
        part, signs = Features(table.X[:count]), labels[:count]

        def wrong(learner: str, **params: Any) -> list[int]:
            state = learners.make(learner, b=0.0, **params).start(part)
            missed = []
            for node in range(count):
                if (state.margin(node) >= 0) != (signs[node] > 0):
                    missed.append(node)
                state.update(node, int(signs[node]))
            return missed

        plain, large = wrong("perceptron"), wrong("second-order", a=1e9)
        primal, dual = wrong("second-order", a=1.0), wrong("second-order", a=1.0, form="dual")
        return Found(
            (
                Check.holds(
                    "a = 10⁹ and the perceptron", f"{len(plain)} mistakes", f"{len(large)}", plain == large
                ),
                Check.holds(
                    "primal and dual, a = 1", f"{len(primal)} mistakes", f"{len(dual)}", primal == dual
                ),
            )
        )


@claim("second-order/erratum-pseudoinverse")
class PseudoinverseScores(Claim):
    """The current instance matters with the pseudoinverse."""

    title: ClassVar[str] = "Leaving the current instance out does change the pseudoinverse's predictions"
    place: ClassVar[str] = "Section 3, page 8"
    says: ClassVar[str] = (
        "Predicting with or without the current instance gives the same predictions; this is true even for "
        "the algorithm with pseudoinverse."
    )
    tolerance: ClassVar[str] = (
        "Holds as printed if both give the same sign after one mistake on (1, 0), y = −1."
    )
    erratum: ClassVar[bool] = True

    def measure(self, lab: Laboratory) -> Found:
        """The counter-example of two vectors, and with a fixed a the same two."""
        checks = []
        for name, params in (("pseudoinverse", {"variant": "pseudoinverse"}), ("fixed, a = 1", {"a": 1.0})):
            margins = []
            for score in ("forward", "linear"):
                state = learners.make("second-order", b=0.0, score=score, **params).start(
                    Features([[1.0, 0.0], [1.0, 1.0]])
                )
                state.update(0, -1)
                margins.append(float(state.margin(1)))
            forward, linear = margins
            same = (forward >= 0) == (linear >= 0)
            shown = f"forward {brief(forward)}, linear {brief(linear)}"
            checks.append(Check.holds(f"{name}: the sign at (1, 1)", "the same", shown, same))
        note = (
            "After a mistake on (1, 0) the instance (1, 1) lies outside the span; Theorem 4.2 holds for both."
        )
        return Found(
            (checks[0], Check.shown(checks[1].what, checks[1].printed, checks[1].measured)), notes=(note,)
        )

"""Every registered learner on many graphs: a heat map of errors, and how close each bound comes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves, heat_map
from zerokelvin.experiments.report.claim import Check, Claim, Found, brief, claim
from zerokelvin.experiments.report.laboratory import GameRecord, Laboratory
from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.graph import Graph, generators

__all__ = ["BoundOfEveryLearner", "LearnersOnGraphs", "closeness_table"]

SLOW = (
    "halving",
    "interpolation",
    "llgc",
    "second-order",
    "zero-ising",
    "random",
)  # not on the larger graphs
SETTINGS: dict[str, dict[str, Any]] = {"second-order": {"rank": 100}}


def _problems(lab: Laboratory) -> dict[str, tuple[Graph, Any]]:
    names = lab.pick(
        ("cora", "polblogs", "airports_usa", "email_eu_core", "imdb_wiki", "optdigits"), ("polblogs",)
    )
    found: dict[str, tuple[Graph, Any]] = {}
    for name in names:
        problem = lab.problem(name)
        found[name] = (problem.graph, problem.labels)
    size = lab.pick(3, 1)
    for name, example in (
        ("two moons", generators.two_moons(100 * size, np.random.default_rng(lab.seed))),
        ("grid", generators.grid(8 * size, 8 * size)),
        ("tree", generators.tree(2, 6)),
    ):
        found[name] = (example.graph, np.asarray(example.labels))
    return found


@claim("beyond/learners-by-graphs")
class LearnersOnGraphs(Claim):
    """The error of every learner on every kind of graph, as a heat map."""

    title: ClassVar[str] = "Which learner? Every learner on many graphs"
    place: ClassVar[str] = "Beyond the papers"
    says: ClassVar[str] = "No paper compares these learners."
    tolerance: ClassVar[str] = "On no real graph is `auto` behind the best single learner by more than 0.02."
    data: ClassVar[tuple[str, ...]] = (
        "cora",
        "polblogs",
        "airports_usa",
        "email_eu_core",
        "imdb_wiki",
        "optdigits",
    )
    cost: ClassVar[float] = 200.0

    def measure(self, lab: Laboratory) -> Found:
        """Random orders, every label told, defaults."""
        problems = _problems(lab)
        names = [name for name in learners.names() if name != "halving"]
        values: list[list[float | None]] = []
        raw: list[dict[str, Any]] = []
        for name in names:
            row: list[float | None] = []
            for graph_name, (graph, labels) in problems.items():
                if name in SLOW and graph.num_nodes > 1500:
                    row.append(None)
                    continue
                games = lab.play(
                    graph_name,
                    graph,
                    labels,
                    name,
                    seeds=lab.seeds(2, 1),
                    bound=False,
                    **SETTINGS.get(name, {}),
                )
                row.append(float(np.mean([g.error_multiclass for g in games])))
                raw.append({"graph": graph_name, "learner": name, "error_multiclass": row[-1]})
            values.append(row)
        checks = []
        for graph_name in problems:
            errors = {row["learner"]: row["error_multiclass"] for row in raw if row["graph"] == graph_name}
            best = min(error for name, error in errors.items() if name != "auto")
            if graph_name not in ("two moons", "grid", "tree"):
                gap = errors["auto"] - best
                checks.append(Check.at_most(f"{graph_name}: auto − best single learner", 0.02, gap))
        order = sorted(range(len(names)), key=lambda i: np.mean([v for v in values[i] if v is not None]))
        chart = heat_map(
            "Multi-class error, every label told",
            [names[i] for i in order],
            list(problems),
            [values[i] for i in order],
            caption="Darker is worse within a column; the best is bold; – where it is too slow.",
        )
        return Found(tuple(checks), (chart,), rows=tuple(raw))


@claim("beyond/closeness")
class BoundOfEveryLearner(Claim):
    """How close each theorem gets, and on which graphs."""

    title: ClassVar[str] = "How close each theorem gets"
    place: ClassVar[str] = "All papers"
    says: ClassVar[str] = "Each theorem is an upper bound on mistakes."
    tolerance: ClassVar[str] = "No game exceeds a bound whose assumptions hold."
    data: ClassVar[tuple[str, ...]] = ("polblogs", "cora")
    cost: ClassVar[float] = 90.0

    def measure(self, lab: Laboratory) -> Found:
        """Graphs of the papers and one real graph, every learner, its own bound."""
        size = lab.pick(3, 1)
        examples: dict[str, tuple[Graph, Any]] = {
            name: (example.graph, np.asarray(example.labels))
            for name, example in {
                "barbell": generators.barbell(10 * size),
                "three clusters": generators.three_clusters(8 * size, 5),
                "octopus": generators.balanced_octopus(4, 3 + size),
                "double lollipop": generators.double_lollipop(32 * size),
                "line": generators.line(40 * size),
                "tree": generators.tree(2, 5),
                "grid": generators.grid(6 * size, 6 * size),
            }.items()
        }
        for name in lab.pick(("polblogs", "cora"), ()):
            problem = lab.problem(name)
            examples[name] = (problem.graph, problem.labels)
        games: list[GameRecord] = []
        for graph_name, (graph, labels) in examples.items():
            for name in learners.names():
                if (name in SLOW and graph.num_nodes > 1500) or (
                    name == "halving" and graph_name not in ("line", "tree")
                ):
                    continue
                params: dict[str, Any] = {"k": 4} if name == "halving" else SETTINGS.get(name, {})
                games += lab.play(graph_name, graph, labels, name, seeds=lab.seeds(2, 1), **params)
        held = [g for g in games if g.bound_holds and g.bound is not None]
        over = [g for g in held if g.mistakes > (g.bound or 0) * (1 + 1e-9) + 1e-9]
        check = Check.at_most(f"games over a bound that holds, of {len(held)}", 0, len(over))
        series: dict[str, list[Any]] = {}
        for g in held:
            text = f"{g.graph}: {g.mistakes} made, {brief(g.bound or 0)} proven"
            series.setdefault(g.learner, []).append((max(g.mistakes, 0.7), g.bound, text))
        chart = curves(
            "Bound against mistakes",
            "mistakes",
            "proven bound",
            series,
            loose=True,
            log_x=True,
            log_y=True,
            diagonal="bound = mistakes",
        )
        return Found((check,), (chart,), (closeness_table(games),), rows=())


def closeness_table(games: list[GameRecord]) -> Table:
    """Each learner on each graph: bound over mistakes where it says something, the closest first."""
    names, graphs = sorted({g.learner for g in games}), list(dict.fromkeys(g.graph for g in games))
    rows = []
    for name in names:
        cells, ratios = [], []
        for graph in graphs:
            mine = [g for g in games if g.learner == name and g.graph == graph]
            useful = [g for g in mine if g.bound_holds and g.bound is not None and g.bound < g.trials]
            if not mine:
                cells.append("–")
            elif not useful:
                cells.append("says nothing" if any(g.bound_holds for g in mine) else "none")
            else:
                ratio = float(np.mean([(g.bound or 0) / max(g.mistakes, 1) for g in useful]))
                ratios.append(ratio)
                cells.append(f"{ratio:.1f}×")
        rows.append((-len(ratios), float(np.mean(ratios)) if ratios else np.inf, (name, *cells)))
    rows.sort(key=lambda row: row[:2])
    return Table(
        "Proven bound over mistakes made, the closest first",
        ("learner", *graphs),
        tuple(row for _, _, row in rows),
        numbers=tuple(range(1, len(graphs) + 1)),
        notes=(
            "says nothing: the bound is not below the number of trials; none: no bound holds in this game.",
        ),
    )

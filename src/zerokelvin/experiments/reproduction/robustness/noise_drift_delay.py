"""Robustness: what label noise, drift and delay do to the learners, in one picture.

Every node of a labelled graph is played once in random order, every label is revealed, and one thing at a
time goes wrong:

- *noise*: each revealed label is another class with a given probability, independently;
- *drift*: two classes drawn at random change places, a given number of times, evenly spread over the game;
  every cut stays as it was, so only memory is put to the test. Played as it is, and with forgetting
  (`zerokelvin.learners.wrappers.forgetting`) on a window of a tenth of the trials;
- *delay*: each label arrives a given number of trials late.

The error is the share of trials whose predicted class is not the true one of the moment, noise left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.labelled_problem import Problem, load_problem
from zerokelvin.experiments.reproduction.reproduction import (
    Experiment,
    Picture,
    Progress,
    Report,
    Table,
    experiment,
)
from zerokelvin.games import play
from zerokelvin.games.labels import Labelling, encode_labels
from zerokelvin.learners import make
from zerokelvin.sweeps.cells import SweepCell
from zerokelvin.sweeps.game_cells import labels_hash
from zerokelvin.sweeps.places import Once, Threads, cores
from zerokelvin.sweeps.result_store import KeptResult

__all__ = ["LEARNERS", "PANELS", "Cell", "Panel", "Robustness", "measure_error"]

LEARNERS = ("perceptron", "pounce", "longest-path", "propagation", "gaussian", "auto")


class Panel(NamedTuple):
    """One thing that goes wrong: the argument of `play`, what to call it, how far it goes."""

    name: str
    argument: str
    title: str
    axis: str
    values: tuple[float, ...]
    fast: tuple[float, ...]
    forgets: bool = False


PANELS = (
    Panel(
        "noise", "label_noise", "Label noise", "Chance that a revealed label is wrong",
        (0.0, 0.05, 0.1, 0.2, 0.3, 0.4), (0.0, 0.2),
    ),
    Panel(
        "drift", "drift", "Drift", "Times two classes change places",
        (0, 1, 2, 4, 8, 16), (0, 4), forgets=True,
    ),
    Panel("delay", "delay", "Delay", "Trials that a label is late", (0, 30, 100, 300, 1000), (0, 100)),
)  # fmt: skip


class Cell(NamedTuple):
    """One game to play: learner, argument of `play` with its value, window (0: none), seed."""

    learner: str
    argument: str
    value: float
    window: int
    seed: int


@experiment("robustness")
@dataclass(frozen=True)
class Robustness(Experiment):
    """Six learners under label noise, drift with and without forgetting, and delayed labels.

    Parameters
    ----------
    data
        One data set by name or path; Cora by default. Its largest component is played.
    shuffles
        Random orders; 5 by default (1 with `fast`).
    """

    data: tuple[str, ...] = ("cora",)
    shuffles: int | None = None

    def __post_init__(self) -> None:
        if len(self.data) != 1:
            raise ParameterError(f"robustness is measured on one data set, not {len(self.data)}; name one.")
        if self.shuffles is not None and self.shuffles < 1:
            raise ParameterError(f"shuffles={self.shuffles} must be at least 1.")

    def run(self, progress: Progress | None = None) -> Report:
        """Play every learner under every kind and size of noise, drift and delay."""
        tell = progress or (lambda *_: None)
        name = self.data[0]
        loaded = load_problem(
            name, component="largest", progress=lambda *at: tell(f"{name}: downloading", *at)
        )
        problem = Problem(Path(name).stem, loaded.graph, loaded.labels, loaded.left_out)
        labelling = encode_labels(problem.graph, problem.labels)
        trials = len(labelling.known)
        window = max(1, trials // 10)
        shuffles = (1 if self.fast else 5) if self.shuffles is None else self.shuffles
        errors = self._play(problem, labelling, window, shuffles, tell)
        panels = {p.name: _values(p, self._points(p), window, shuffles, self.seed, errors) for p in PANELS}
        values: dict[str, Any] = {
            "settings": {
                "data": problem.name, "nodes": problem.graph.num_nodes, "edges": problem.graph.num_edges,
                "classes": len(labelling.classes), "trials": trials, "window": window,
                "shuffles": shuffles, "seed": self.seed,
            },
            "panels": panels,
        }  # fmt: skip
        pictures = (Picture("robustness", lambda: _draw(values)),) if self.figures else ()
        return Report(self.name, tuple(_tabulate(p, values) for p in PANELS), values, pictures)

    def _points(self, panel: Panel) -> tuple[float, ...]:
        return panel.fast if self.fast else panel.values

    def _play(
        self, problem: Problem, labelling: Labelling, window: int, shuffles: int, tell: Progress
    ) -> dict[Cell, float]:
        """The error of every game, each played once; where nothing goes wrong it serves all panels."""
        cells = dict.fromkeys(
            _cell(learner, panel, value, forgotten, self.seed + i)
            for panel in PANELS
            for value in self._points(panel)
            for forgotten in ((0, window) if panel.forgets else (0,))
            for learner in LEARNERS
            for i in range(shuffles)
        )
        about = {"graph": problem.graph.content_hash, "labels": labels_hash(labelling)}
        parts = [
            SweepCell(
                self.key(**about, **cell._asdict()),
                cell,
                (cell.learner, cell.window > 0, cell.argument == "delay"),
            )
            for cell in cells
        ]
        kept = self.parts(CellStage(problem, labelling), parts, tell, otherwise=Threads(cores()))
        return {cell: one.result["error"] for cell, one in zip(cells, kept, strict=True)}


@dataclass(frozen=True, eq=False)
class CellStage:
    """Plays one game after the other on a graph; each learner is prepared once."""

    problem: Problem
    labelling: Labelling
    ready: Once = field(default_factory=lambda: Once(len(LEARNERS)))

    def compute(self, cell: Cell) -> KeptResult:
        """The share of wrong predictions in one game with noise, drift or delay."""
        prepared = self.ready.get(cell.learner, lambda: make(cell.learner).prepare(self.problem.graph))
        return KeptResult({"error": measure_error(self.problem, self.labelling, cell, prepared)})


def measure_error(problem: Problem, labelling: Labelling, cell: Cell, prepared: Any = None) -> float:
    """Play one game; the share of trials whose predicted class is not the true one of the moment."""
    options: dict[str, Any] = {
        cell.argument: cell.value if cell.argument == "label_noise" else int(cell.value)
    }
    if cell.window:
        options["forget"] = cell.window
    run = play(problem.graph, labelling, cell.learner, seed=cell.seed, prepared=prepared, **options)
    truth: NDArray[np.int64] = labelling.codes[run.nodes] if cell.argument == "label_noise" else run.codes
    return float((run.predicted != truth).mean())


def _cell(learner: str, panel: Panel, value: float, window: int, seed: int) -> Cell:
    """A game by what it plays: with nothing wrong, the same for all panels."""
    return Cell(learner, panel.argument if value else "delay", float(value), window, seed)


def _values(
    panel: Panel,
    points: tuple[float, ...],
    window: int,
    shuffles: int,
    seed: int,
    errors: dict[Cell, float],
) -> dict[str, Any]:
    """The points of a panel with the mean error and deviation over the orders, by learner."""

    def series(learner: str, forgotten: int) -> dict[str, list[float]]:
        found = np.array(
            [
                [errors[_cell(learner, panel, value, forgotten, seed + i)] for i in range(shuffles)]
                for value in points
            ]
        )
        spread = found.std(axis=1, ddof=1) if shuffles > 1 else np.zeros(len(found))
        return {"error": found.mean(axis=1).tolist(), "std": spread.tolist()}

    values: dict[str, Any] = {"values": list(points), "errors": {name: series(name, 0) for name in LEARNERS}}
    if panel.forgets:
        values["errors_forgetting"] = {name: series(name, window) for name in LEARNERS}
    return values


def _tabulate(panel: Panel, values: dict[str, Any]) -> Table:
    """The errors of a panel as a table: learners down, its points across."""
    found, settings = values["panels"][panel.name], values["settings"]
    rows: list[tuple[str, ...]] = []
    spreads = [0.0]
    for key, suffix in (("errors", ""), ("errors_forgetting", ", forgetting")):
        for name, series in found.get(key, {}).items():
            rows.append((f"{name}{suffix}", *(f"{error:.3f}" for error in series["error"])))
            spreads += series["std"]
    notes = []
    if settings["shuffles"] > 1:
        notes.append(f"Standard deviations over the orders are at most {max(spreads):.3f}.")
    if panel.forgets:
        notes.append(
            f"forgetting: the latest {settings['window']:,} to {2 * settings['window']:,} answers count."
        )
    games = f"mean of {settings['shuffles']} orders" if settings["shuffles"] > 1 else "one order"
    what = f"{settings['data']}, {settings['trials']:,} trials, {games}"
    return Table(
        f"{panel.title}: error by {panel.axis[0].lower()}{panel.axis[1:]} ({what})",
        ("learner", *(f"{value:g}" for value in found["values"])),
        tuple(rows),
        numbers=tuple(range(1, len(found["values"]) + 1)),
        notes=tuple(notes),
    )


def _draw(values: dict[str, Any]) -> Any:
    from zerokelvin.experiments.reproduction.robustness.robustness_figure import draw_robustness

    return draw_robustness(values, PANELS)

"""Coverage: how often the limit on the labels that go out wrong is never below the truth.

Jobs on ten data sets are recorded, and 1,000 sessions with random checks of their own replayed on them
(`recorded_sessions`). A session counts as covered if the limit at 95 % was at or above the truth *every time*
it was looked at, which is every five answers; at least 95 % of the sessions must be. The binomial limit,
looked at in the same way, shows what the guarantee is for: it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.experiments.labelled_problem import Problem, load_problem
from zerokelvin.experiments.reproduction.remaining_error.recorded_sessions import (
    Recording,
    ReplayedSession,
    record,
    replay,
)
from zerokelvin.experiments.reproduction.reproduction import Experiment, Progress, Report, Table, experiment
from zerokelvin.graph import generators, knn_graph
from zerokelvin.sweeps.cells import SweepCell
from zerokelvin.sweeps.result_store import KeptResult

__all__ = ["CONFIDENCE", "GuaranteeCoverage"]

CONFIDENCE = 0.95
TARGET = 0.05
REAL = ("digits", "cora", "airports_usa", "email_eu_core", "polblogs", "optdigits")
DRAWN = ("moons", "noisy-moons", "blocks", "blurred-blobs")
LEARNERS = ("nearest", "propagation")
ANSWERS = 80


@experiment("guarantee")
@dataclass(frozen=True)
class GuaranteeCoverage(Experiment):
    """The limit of session.guarantee(0.95) against the truth in 1,000 sessions over ten data sets.

    Parameters
    ----------
    data
        Data sets by name or path, or of moons, noisy-moons, blocks and blurred-blobs, which are drawn; all
        ten by default, where a file that is not there is left out and named.
    draws
        Sessions on every data set; 100 by default (20 with `fast`, on the four that are drawn).
    """

    data: tuple[str, ...] = ()
    draws: int | None = None

    def __post_init__(self) -> None:
        if self.draws is not None and self.draws < 1:
            raise ParameterError(f"draws={self.draws} must be at least 1.")

    def run(self, progress: Progress | None = None) -> Report:
        """Record jobs on every data set and replay sessions with checks on them."""
        tell = progress or (lambda *_: None)
        draws = self.draws or (20 if self.fast else 100)
        names = self.data or (DRAWN if self.fast else REAL + DRAWN)
        cells: dict[str, SweepCell] = {}
        missing: list[str] = []
        for at, name in enumerate(names):
            tell("Reading", at, len(names))
            try:
                problem = _problem(name, self.seed)
            except DataError:
                if self.data:
                    raise
                missing.append(name)
                continue
            truth = repr(np.asarray(problem.labels).tolist())
            key = self.key(graph=problem.graph.content_hash, labels=truth, seed=self.seed, at=at, draws=draws)
            cells[name] = SweepCell(key, (name, self.seed, at, draws))
        kept = self.parts(CoverageStage(), list(cells.values()), tell, "Recording and replaying")
        found = {name: one.result for name, one in zip(cells, kept, strict=True)}
        values = {
            "settings": {"confidence": CONFIDENCE, "target": TARGET, "sessions": draws, "seed": self.seed},
            "data": found,
            "missing": missing,
        }
        return Report(self.name, (_table(found, missing),), values)


class CoverageStage:
    """Records jobs on a data set, and replays sessions with checks of their own on them."""

    def compute(self, task: tuple[str, int, int, int]) -> KeptResult:
        """The figures of the sessions on one data set."""
        name, seed, at, draws = task
        problem = _problem(name, seed)
        recordings = _record(problem, seed)
        return KeptResult(
            _figures(
                problem,
                [replay(recordings[k % len(recordings)], seed + 1000 * at + k) for k in range(draws)],
            )
        )


def _record(problem: Problem, seed: int) -> list[Recording]:
    """Two recordings of each learner at the problem, with the seeds `seed` and `seed` + 1."""
    truth = np.asarray(problem.labels, dtype=np.int64)
    answers = min(ANSWERS, len(truth) // 3)
    return [
        record(problem.graph, truth, learner, answers, seed + k) for learner in LEARNERS for k in range(2)
    ]


def _problem(name: str, seed: int) -> Problem:
    """A data set of which every node has a label, as a number."""
    rng = np.random.default_rng(seed)
    if name == "moons":
        drawn = generators.two_moons(600, rng)
        return Problem(name, drawn.graph, (drawn.labels > 0).astype(np.int64))
    if name == "noisy-moons":
        drawn = generators.two_moons(800, rng)
        return Problem(name, drawn.graph, (drawn.labels > 0) ^ (rng.random(800) < 0.03))
    if name == "blocks":
        drawn = generators.planted_partition([200, 150, 100, 50], 0.1, 0.01, rng)
        return Problem(name, drawn.graph, drawn.labels)
    if name == "blurred-blobs":
        codes = rng.integers(5, size=1000)
        points = rng.normal(size=(1000, 3)) + 2.5 * rng.normal(size=(5, 3))[codes]
        return Problem(name, knn_graph(points, 8), codes)
    loaded = load_problem(name)
    known = ~np.ma.getmaskarray(loaded.labels)
    _, codes = np.unique(np.asarray(loaded.labels)[known], return_inverse=True)
    graph = loaded.graph.subgraph(np.flatnonzero(known))
    return Problem(name, graph, codes, loaded.left_out)


def _figures(problem: Problem, sessions: Sequence[ReplayedSession]) -> dict[str, Any]:
    reached = [one.reached for one in sessions if one.reached is not None]
    return {
        "nodes": problem.graph.num_nodes,
        "sessions": len(sessions),
        "covered": sum(one.covered for one in sessions),
        "binomial_covered": sum(one.naive_covered for one in sessions),
        "median_limit": float(np.median([one.limit for one in sessions])),
        "median_error": float(np.median([one.error for one in sessions])),
        "reached": len(reached),
        "median_answers": float(np.median(reached)) if reached else None,
    }


def _table(found: dict[str, dict[str, Any]], missing: Sequence[str]) -> Table:
    """One row for each data set, and one for all."""
    rows = [
        (
            name,
            f"{row['nodes']:,}",
            f"{row['sessions']:,}",
            f"{row['covered'] / row['sessions']:.1%}",
            f"{row['binomial_covered'] / row['sessions']:.1%}",
            f"{row['median_limit']:.1%}",
            f"{row['median_error']:.1%}",
            "–" if row["median_answers"] is None else f"{row['median_answers']:.0f}",
        )
        for name, row in found.items()
    ]
    total = sum(row["sessions"] for row in found.values())
    if total:
        covered, binomial = (
            f"{sum(row[key] for row in found.values()) / total:.1%}"
            for key in ("covered", "binomial_covered")
        )
        rows.append(("all", "", f"{total:,}", covered, binomial, "", "", ""))
    notes = [
        "covered: the limit was never below the truth, looked at every five answers up to 200.",
        "binomial: the same of a limit that holds at one fixed time only.",
        f"answers: median over the sessions that came to a limit of {TARGET:.0%} or less.",
    ]
    if missing:
        notes.append(f"Not found here, and left out: {', '.join(missing)}.")
    columns = (
        "data",
        "nodes",
        "sessions",
        "covered",
        "binomial",
        "limit",
        "wrong",
        f"answers to {TARGET:.0%}",
    )
    return Table(
        f"Coverage of session.guarantee({CONFIDENCE})", columns, tuple(rows), tuple(range(1, 8)), tuple(notes)
    )

"""Many games on one embedded graph, on all cores.

The embedding is computed once, at the largest rank wanted, and cut to the columns a game needs: its
columns come in the order of the eigenvalues, so the first d are the rank-d embedding. Its rows are a table of
features, the constant column √b among them, so learners play on it with b = 0. The graph is connected, as in
the papers: a table has no components for which a class prior could be wanted.

Games run in threads (the inner loops release the interpreter lock); each is a pure function of its seed, so
their number and order of finishing change nothing. The first game of every kind runs alone, so that
compilation does not race.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.experiments.labelled_problem import Problem
from zerokelvin.games import Run, play
from zerokelvin.games.labels import Labelling, encode_labels, to_signs
from zerokelvin.graph.features import Features
from zerokelvin.learners import Learner
from zerokelvin.spectral.embedding_features import laplacian_coordinates
from zerokelvin.sweeps.cells import SweepCell, sweep
from zerokelvin.sweeps.game_cells import labels_hash
from zerokelvin.sweeps.places import Once, Threads, Workplace, cores
from zerokelvin.sweeps.result_store import KeptResult, ResultStore, code_version

__all__ = ["EmbeddedGame", "EmbeddedGraph", "Job", "embed", "play_alone", "play_jobs"]

POINTS = 60  # points on a curve
REPEATS, ENOUGH = 15, 0.3  # games, and seconds, after which a time is taken


@dataclass(frozen=True, eq=False)
class EmbeddedGraph:
    """A labelled graph with its embedding, ready for games.

    Row i of `features` is what node i of the graph is embedded as; `seconds` is what the embedding took.
    """

    problem: Problem
    labelling: Labelling
    features: Features = field(repr=False)
    seconds: float

    @property
    def trials(self) -> int:
        """Nodes with a label: the trials of a game."""
        return len(self.labelling.known)

    def cut(self, rank: int) -> Features:
        """The first `rank` columns of the embedding, which are the embedding of that rank."""
        whole = self.features
        return whole if rank >= whole.dimension else Features(whole.X[:, :rank], whole.names)


@dataclass(frozen=True)
class Job:
    """One game to play: a learner without a constant of its own (b = 0), a rank, an order, when to ask."""

    learner: Learner
    rank: int
    seed: int
    policy: str = "always"


@dataclass(frozen=True, eq=False)
class EmbeddedGame:
    """Figures of a finished game, and its curves at about 60 rounds: error rate and labels asked so far."""

    error_binary: float
    error_multiclass: float
    queries: float
    queried_nodes: int
    seconds: float
    rounds: NDArray[np.int64] = field(repr=False)
    errors_so_far: Floats = field(repr=False)
    queries_so_far: Floats = field(repr=False)


def embed(problem: Problem, rank: int, b: float) -> EmbeddedGraph:
    """Compute the embedding of a problem's graph, never read from the cache: its time is reported."""
    graph = problem.graph
    began = time.perf_counter()
    rows = laplacian_coordinates(graph.by_name, rank, b, cache=False)[graph.name_ranks]
    seconds = time.perf_counter() - began
    return EmbeddedGraph(problem, encode_labels(graph, problem.labels), Features(rows, graph.names), seconds)


def play_jobs(
    arena: EmbeddedGraph,
    jobs: Sequence[Job],
    progress: Callable[[int, int], None] | None = None,
    place: Workplace | None = None,
    store: ResultStore | None = None,
) -> list[EmbeddedGame]:
    """Play all jobs, in threads or at `place`, and give their games in the order of the jobs."""
    about = {
        "kind": "embedded game",
        "graph": arena.features.content_hash,
        "labels": labels_hash(arena.labelling),
        "code": code_version(),
    }
    cells = [
        SweepCell(
            about | {"learner": repr(job.learner), "rank": job.rank, "seed": job.seed, "policy": job.policy},
            job,
            type(job.learner),
        )
        for job in jobs
    ]

    def tell(_: str, done: int, total: int | None) -> None:
        if progress is not None:
            progress(done, total or 0)

    kept = sweep(JobStage(arena), cells, place or Threads(cores()), store or ResultStore(None), tell)
    return [EmbeddedGame(**(one.result | dict(one.arrays))) for one in kept]


@dataclass(frozen=True, eq=False)
class JobStage:
    """Plays jobs on an embedded graph; what a learner prepares at a rank is made once."""

    arena: EmbeddedGraph
    ready: Once = field(default_factory=lambda: Once(64))

    def compute(self, job: Job) -> KeptResult:
        """The figures of one game, and its curves."""
        table = self.arena.cut(job.rank)
        prepared = self.ready.get(_kind(job), lambda: job.learner.prepare(table))
        return _game(_play(self.arena, job, table, prepared))


def play_alone(arena: EmbeddedGraph, job: Job, shares: Sequence[float] = (1.0,)) -> Floats:
    """Processor seconds of the first `shares` of a game's rounds, with no other game at the same time.

    Each is the best of up to 15 repeats, fewer where they take long: what else the machine does adds
    to a time, through its caches, and never takes from it.
    """
    table = arena.cut(job.rank)
    ready = job.learner.prepare(table)
    order = _play(arena, job, table, ready).order
    seconds = np.zeros(len(shares))
    for i, share in enumerate(shares):
        part = order[: max(1, round(share * len(order)))]
        tried: list[float] = []
        while len(tried) < REPEATS and (not tried or sum(tried) < ENOUGH):
            tried.append(_play(arena, job, table, ready, part).processor_seconds)
        seconds[i] = min(tried)
    return seconds


def _kind(job: Job) -> tuple[type[Learner], int]:
    """What jobs have in common that share what their learner prepares: it does not depend on μ or κ."""
    return type(job.learner), job.rank


def _play(
    arena: EmbeddedGraph, job: Job, table: Features, ready: Any, order: NDArray[np.generic] | None = None
) -> Run:
    """Play a job on its table of coordinates; `ready` is what its learner prepared, `order` what to play."""
    return play(
        table,
        arena.labelling,
        job.learner,
        order=order,
        seed=job.seed,
        policy=job.policy,
        prepared=ready,
    )


def _game(run: Run) -> KeptResult:
    """The figures of a run; its curves are means over the binary problems, the class prior included."""
    count = len(run.classes)
    predicted = np.where(run.margins >= 0, 1, -1)
    predicted[run.guessed] = to_signs(run.predicted[run.guessed], count)
    wrong = (predicted != to_signs(run.codes, count)).mean(axis=1)
    rounds = np.unique(np.linspace(1, run.trials, min(POINTS, run.trials)).round().astype(np.int64))
    figures = {
        "error_binary": float(run.error_binary),
        "error_multiclass": float(run.error_multiclass),
        "queries": float(run.queries),
        "queried_nodes": int(run.queried_nodes),
        "seconds": run.seconds,
    }
    curves = {
        "rounds": rounds,
        "errors_so_far": np.cumsum(wrong)[rounds - 1] / rounds,
        "queries_so_far": np.cumsum(run.asked.mean(axis=1))[rounds - 1],
    }
    return KeptResult(figures, curves)

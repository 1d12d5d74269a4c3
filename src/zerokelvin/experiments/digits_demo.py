"""The two jobs on real data: handwritten digits that arrive one at a time, and the same digits to label.

The 1,797 digits that come with scikit-learn (8 × 8 pixels, ten classes; Alpaydin and Kaynak 1998)
become a graph in which every digit is joined to its 10 nearest others, weighted by exp(−d²/2σ²) with
σ = 12; it is connected. `auto` plays it

- as a stream, twice in the same order: asking for a label only when its value is large (policy
  ``value:0.4``), and asking always;
- as a data set to label: 60 answers to its own questions, the most valuable first, beside 140 answers for
  digits drawn at random, five times.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.labelling import LabellingJob, label_at_random, label_by_value
from zerokelvin.games import Run, play
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.io import load_dataset
from zerokelvin.io.writable import writable_folder

__all__ = ["NEIGHBORS", "POLICY", "Demo", "learned_mistakes", "play_demo", "save_pictures"]

NEIGHBORS = 10  # what `knn_graph` takes by default
BANDWIDTH = 12.0
POLICY = "value:0.4"
ANSWERS = 60
RANDOM_ANSWERS = 140
DRAWS = 5
EVERY = 10  # answers by value between two counts of the right labels
RANDOM_EVERY = 20
FEWEST = 50
PICTURES = ("curves.png", "labels.png", "graph.png")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Demo:
    """What was played: two games over the same digits in the same order, and two ways to label them.

    In `asking` a label is asked for when unsure, in `always` always; `by_value` answers what the learner
    asks, each of `at_random` answers for other digits drawn at random.
    """

    graph: Graph
    points: NDArray[np.float64] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)
    asking: Run
    always: Run
    by_value: LabellingJob
    at_random: tuple[LabellingJob, ...]
    policy: str = POLICY

    def random_right(self, answers: int) -> float:
        """How many of all digits had the right label after so many random answers, the mean of the draws."""
        return float(np.mean([job.right_after(answers) for job in self.at_random]))

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return {
            "data": "digits",
            "nodes": self.graph.num_nodes,
            "edges": self.graph.num_edges,
            "classes": len(self.asking.classes),
            "learner": self.asking.learner.name,
            "params": self.asking.learner.params(),
            "asking": _figures(self.asking, self.policy),
            "always": _figures(self.always, "always"),
            "labelling": {
                "by_value": self.by_value.as_dict(),
                "at_random": [job.as_dict() for job in self.at_random],
            },
        }


def play_demo(nodes: int | None = None, seed: int = 0, progress: Progress | None = None) -> Demo:
    """Play the demonstration.

    Parameters
    ----------
    nodes
        Use this many digits, drawn at random; all by default.
    seed
        Decides the draws, the order and every coin.
    progress
        Called with (what is being done, steps done, steps in all).

    Examples
    --------
    >>> demo = play_demo(nodes=200)
    >>> demo.asking.trials == demo.always.trials == demo.graph.num_nodes
    True
    """
    data = load_dataset("digits")
    points, labels = np.asarray(data.points, dtype=np.float64), data.labels
    total = len(points)
    count = total if nodes is None else nodes
    if not FEWEST <= count <= total:
        raise ParameterError(f"nodes={count} must lie between {FEWEST} and {total}, the digits there are.")
    drawn = np.sort(np.random.default_rng(seed).permutation(total)[:count])
    whole = knn_graph(points[drawn], NEIGHBORS, weights="heat", bandwidth=BANDWIDTH)
    graph, kept = whole.largest_component()
    points, labels = points[drawn][kept], labels[drawn][kept]
    learner = learners.make("auto")
    prepared = learner.prepare(graph)

    def steps(task: str) -> Callable[[int, int], None] | None:
        return None if progress is None else (lambda done, all_: progress(task, done, all_))

    def game(policy: str, task: str) -> Run:
        return play(graph, labels, learner, seed=seed, policy=policy, prepared=prepared, progress=steps(task))

    asking = game(POLICY, "Playing, asking when unsure")
    always = game("always", "Playing, asking always")
    by_value = label_by_value(graph, labels, ANSWERS, EVERY, seed, steps("Labelling, by value"))
    counts = [*range(RANDOM_EVERY, RANDOM_ANSWERS, RANDOM_EVERY), len(by_value.nodes)]
    at_random = _random_jobs(graph, labels, counts, seed, steps("Labelling, at random"))
    return Demo(graph, points, labels, asking, always, by_value, at_random)


def save_pictures(
    demo: Demo, folder: str | os.PathLike[str], seed: int = 0, progress: Progress | None = None
) -> list[Path]:
    """Draw the games, the labelling and the graph into `folder`, made if missing; returns the three files."""
    from zerokelvin.experiments.figures.labelling_figure import draw_labelling
    from zerokelvin.experiments.plots import draw_curves, draw_outcomes, lay_out, save

    tell = progress or (lambda *_: None)
    base = writable_folder(folder, *PICTURES)
    base.mkdir(parents=True, exist_ok=True)
    asking, always, total = demo.asking, demo.always, demo.graph.num_nodes
    share = f"{100 * asking.queried_nodes / total:.0f} %"
    tell("Drawing", 0, 4)
    curves = draw_curves(
        {"asking when unsure": [asking], "asking always": [always]},
        f"Asking for {share} of the labels: {asking.mistakes} mistakes; asking for all: {always.mistakes}",
        {"proven bound, asking always": always.bound.value} if always.bound.holds else None,
    )
    tell("Drawing", 1, 4)
    job = demo.by_value
    reached = f"{100 * job.right[-1] / total:.1f} % of {total:,} labels right"
    labelled = draw_labelling(
        {"answering its questions": [job], "answers at random": demo.at_random},
        f"{len(job.nodes)} answers to its questions: {reached}",
    )
    tell("Drawing", 2, 4)
    places = lay_out(demo.points, seed)
    tell("Drawing", 3, 4)
    right = f"{100 * (1 - asking.error_multiclass):.1f} %"
    graph = draw_outcomes(
        asking,
        places,
        f"{total:,} handwritten digits: {right} predicted right, {share} of the labels asked for",
    )
    files = [
        save(figure, base / name) for figure, name in zip((curves, labelled, graph), PICTURES, strict=True)
    ]
    tell("Drawing", 4, 4)
    return files


def learned_mistakes(run: Run) -> int:
    """Mistakes on nodes whose label was asked for: those a mistake bound limits."""
    return int((run.mistaken & run.asked.any(axis=1)).sum())


def _random_jobs(
    graph: Graph,
    labels: NDArray[np.int64],
    counts: list[int],
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[LabellingJob, ...]:
    """The labelling job with answers at random, `DRAWS` times."""
    rng, jobs = np.random.default_rng(seed), []
    for draw in range(DRAWS):
        nodes = rng.permutation(graph.num_nodes)[:RANDOM_ANSWERS]
        jobs.append(label_at_random(graph, labels, nodes, counts, seed))
        if progress is not None:
            progress(draw + 1, DRAWS)
    return tuple(jobs)


def _figures(run: Run, policy: str) -> dict[str, Any]:
    """The figures of one game as plain values for JSON."""
    return {
        "policy": policy,
        "trials": run.trials,
        "mistakes": run.mistakes,
        "mistakes_when_asked": learned_mistakes(run),
        "error_multiclass": run.error_multiclass,
        "error_binary": run.error_binary,
        "queried_nodes": run.queried_nodes,
        "seconds": run.seconds,
        "bound": run.bound.as_dict(),
    }

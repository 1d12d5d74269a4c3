"""The main job on real data: handwritten digits that arrive one at a time.

The 1,797 digits that come with scikit-learn (8 × 8 pixels, ten classes; Alpaydin and Kaynak 1998)
become a graph in which every digit is joined to its 5 nearest others, weighted by exp(−d²/2σ²) with
σ = 12. The perceptron plays the largest component twice in the same order: asking for a label only
when its margin is small (policy ``margin:0.1``), and asking always.
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
from zerokelvin.games import Run, play
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.io import load_dataset
from zerokelvin.io.writable import writable_folder

__all__ = ["NEIGHBORS", "POLICY", "Demo", "learned_mistakes", "play_demo", "save_pictures"]

NEIGHBORS = 5
BANDWIDTH = 12.0
POLICY = "margin:0.1"
FEWEST = 50
PICTURES = ("curves.png", "graph.png")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Demo:
    """Two games over the same digits in the same order: one asks when unsure, the other always."""

    graph: Graph
    points: NDArray[np.float64] = field(repr=False)
    labels: NDArray[np.int64] = field(repr=False)
    asking: Run
    always: Run
    policy: str = POLICY

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
        }


def play_demo(nodes: int | None = None, seed: int = 0, progress: Progress | None = None) -> Demo:
    """Play the demonstration.

    Parameters
    ----------
    nodes
        Use this many digits, drawn at random; all by default.
    seed
        Decides the draw, the order and every coin.
    progress
        Called with (what is being done, trials done, trials in all).

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
    learner = learners.make("perceptron", b=0.1)
    prepared = learner.prepare(graph)

    def game(policy: str, task: str) -> Run:
        report = None if progress is None else (lambda done, all_: progress(task, done, all_))
        return play(graph, labels, learner, seed=seed, policy=policy, prepared=prepared, progress=report)

    asking = game(POLICY, "Playing, asking when unsure")
    return Demo(graph, points, labels, asking, game("always", "Playing, asking always"))


def save_pictures(
    demo: Demo, folder: str | os.PathLike[str], seed: int = 0, progress: Progress | None = None
) -> list[Path]:
    """Draw the cumulative curves and the graph into `folder`, made if missing; returns the two files."""
    from zerokelvin.experiments.plots import draw_curves, draw_outcomes, lay_out, save

    tell = progress or (lambda *_: None)
    base = writable_folder(folder, *PICTURES)
    base.mkdir(parents=True, exist_ok=True)
    asking, always, total = demo.asking, demo.always, demo.graph.num_nodes
    share = f"{100 * asking.queried_nodes / total:.0f} %"
    tell("Drawing", 0, 3)
    curves = draw_curves(
        {"asking when unsure": [asking], "asking always": [always]},
        f"Asking for {share} of the labels: {asking.mistakes} mistakes; asking for all: {always.mistakes}",
    )
    tell("Drawing", 1, 3)
    places = lay_out(demo.points, seed)
    tell("Drawing", 2, 3)
    right = f"{100 * (1 - asking.error_multiclass):.1f} %"
    graph = draw_outcomes(
        asking,
        places,
        f"{total:,} handwritten digits: {right} predicted right, {share} of the labels asked for",
    )
    files = [save(figure, base / name) for figure, name in zip((curves, graph), PICTURES, strict=True)]
    tell("Drawing", 3, 3)
    return files


def learned_mistakes(run: Run) -> int:
    """Mistakes on nodes whose label was asked for: those a mistake bound limits."""
    return int((run.mistaken & run.asked.any(axis=1)).sum())


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

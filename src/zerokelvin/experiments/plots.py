"""Pictures: cumulative curves of games, and a graph coloured by what happened at each node.

Everything is drawn on figures of its own, without global state and without a display, in the style of
`zerokelvin.plot.style`; outcomes differ in colour, shape and size.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.games import Run
from zerokelvin.graph import Graph
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.writable import writable_file
from zerokelvin.plot.style import BLUE, INK, SKY, VERMILION, draw_curves_on, layout

__all__ = ["draw_curves", "draw_outcomes", "lay_out", "save"]


SUFFIXES = (".png", ".svg", ".pdf")


def draw_curves(
    games: Mapping[str, Sequence[Run]], title: str = "", bounds: Mapping[str, float] | None = None
) -> Figure:
    """Mistakes and questions so far against trials: a line per name, the mean over its games.

    Where a name has several games, a band shows the span from the lowest to the highest. Each of `bounds`
    is a broken line over the mistakes, with what it limits written on it.
    """
    figure = Figure(figsize=(9.6, 4.2), dpi=110, layout=layout())
    left, right = figure.subplots(1, 2)
    for axes, what, heading in (
        (left, "cumulative_mistakes", "Mistakes so far"),
        (right, "cumulative_queries", "Labels asked for so far"),
    ):
        draw_curves_on(axes, games, what, heading, bounds if axes is left else None)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=11)
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    return figure


def draw_outcomes(run: Run, positions: ArrayLike, title: str = "") -> Figure:
    """The graph of a game, each node coloured by what happened when it came (last, if it came again).

    `positions` has one row (x, y) per node. The name of each class stands on its middle.
    """
    places = np.asarray(positions, dtype=np.float64)
    graph, asked, wrong = run.graph, np.zeros(run.graph.num_nodes, bool), np.zeros(run.graph.num_nodes, bool)
    asked[run.nodes], wrong[run.nodes] = run.asked.any(axis=1), run.mistaken
    quiet = np.zeros(graph.num_nodes, bool)
    quiet[run.nodes] = True
    quiet &= ~asked & ~wrong
    figure = Figure(figsize=(8.4, 7.6), dpi=110, layout=layout())
    axes = figure.subplots()
    if isinstance(graph, Graph):
        axes.add_collection(_edge_lines(graph, places))
    size = float(np.clip(24_000 / graph.num_nodes, 6, 60))
    layers: tuple[tuple[NDArray[np.bool_], str, dict[str, Any]], ...] = (
        (quiet, "right, without asking", {"s": 0.8 * size, "color": SKY, "linewidths": 0}),
        (asked, "label asked for", {"s": 1.3 * size, "color": BLUE, "linewidths": 0}),
        (
            wrong,
            "wrong, asked or not",
            {"s": 2.6 * size, "color": VERMILION, "marker": "x", "linewidths": 1.6},
        ),
    )
    for chosen, label, style in layers:
        count = f"{label} ({int(chosen.sum()):,})"
        axes.scatter(*places[chosen].T, label=count, zorder=2 + (chosen is wrong), **style)
    for name, (x, y) in _class_places(run, places).items():
        halo = [withStroke(linewidth=4, foreground="white")]
        axes.text(
            x, y, str(name), fontsize=17, fontweight="bold", color=INK, ha="center", va="center",
            path_effects=halo, zorder=5,
        )  # fmt: skip
    axes.set_axis_off()
    axes.margins(0.02)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=11, markerscale=1.3)
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    return figure


def lay_out(points: ArrayLike, seed: int = 0) -> Floats:
    """Two coordinates per point that keep near points near (t-SNE, started from the principal axes).

    On one thread: the steps are so short that threads wait for each other, which on a busy machine took three
    times the processor time. `angle` 0.8 instead of 0.5 takes a quarter less, for a divergence of 0.832
    instead of 0.823 on the digits.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    values = np.asarray(points, dtype=np.float64)
    perplexity = min(30.0, (len(values) - 1) / 3)
    model = TSNE(init="pca", random_state=seed, perplexity=perplexity, max_iter=500, angle=0.8, n_jobs=1)
    with threadpool_limits(1):
        places: Floats = model.fit_transform(values).astype(np.float64)
    return places


def save(figure: Figure, path: PathLike) -> Path:
    """Write a figure as png, svg or pdf, told by the suffix, whole or not at all."""
    final = Path(path)
    check_picture(final)
    with replacing(final) as draft, rc_context({"svg.hashsalt": "zerokelvin"}):  # fixed ids in svg files
        figure.savefig(draft, format=final.suffix.lower()[1:], metadata=_metadata(final))
    return final


def check_picture(path: PathLike) -> None:
    """Refuse a file name no picture can be written to, before work is put into it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(f"'{path}' is no picture file; end its name in {', '.join(SUFFIXES)}.")
    writable_file(path)


def _metadata(path: Path) -> dict[str, Any]:
    """No dates, so that the same game gives the same file."""
    return (
        {} if path.suffix.lower() == ".png" else {"Date" if path.suffix == ".svg" else "CreationDate": None}
    )


def _edge_lines(graph: Graph, places: Floats) -> LineCollection:
    return LineCollection(
        list(places[graph.edges]), colors="#9a9a9a", linewidths=0.5, alpha=0.28, zorder=1, rasterized=True
    )


def _class_places(run: Run, places: Floats) -> dict[Hashable, tuple[float, float]]:
    """For each class the position of its node nearest to the class's median."""
    found: dict[Hashable, tuple[float, float]] = {}
    if len(run.classes) > 20:
        return found
    for code, name in enumerate(run.classes):
        members = places[np.unique(run.nodes[run.codes == code])]
        if len(members):
            distance = np.abs(members - np.median(members, axis=0)).sum(axis=1)
            x, y = members[int(np.argmin(distance))]
            found[name] = (float(x), float(y))
    return found

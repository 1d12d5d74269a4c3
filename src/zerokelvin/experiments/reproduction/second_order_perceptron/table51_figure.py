"""Figure 5.1 of the second-order perceptron (Cesa-Bianchi, Conconi, Gentile 2005): the plane that matters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

from zerokelvin.graph.features import Features
from zerokelvin.plot.style import BLUE, INK, VERMILION, plain_style

__all__ = ["draw_plane"]

SHOWN = 1500


def draw_plane(sets: Sequence[tuple[Features, NDArray[np.int64]]]) -> Figure:
    """The first points of each data set in the dominant and the next coordinate."""
    figure = Figure(figsize=(9.6, 4.0), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12))
    for i, (axes, (table, labels)) in enumerate(zip(figure.subplots(1, 2), sets, strict=True)):
        points, signs = table.X[:SHOWN], labels[:SHOWN]
        for sign, colour, marker in ((-1, BLUE, "o"), (1, VERMILION, "^")):
            chosen = points[signs == sign]
            axes.scatter(
                chosen[:, 0],
                chosen[:, 1],
                s=9,
                color=colour,
                marker=marker,
                linewidths=0,
                alpha=0.7,
                label=f"label {sign:+d}".replace("-", "−"),
            )
        line = axes.axvline if i == 0 else axes.axhline
        line(0, color=INK, linewidth=1.2)
        axes.set_title(f"Data set {i + 1}: {SHOWN:,} of its points", loc="left", fontsize=11.5, color=INK)
        axes.set_xlabel("Coordinate 1, variance 8", color=INK)
        axes.set_ylabel("Coordinate 2, variance 1", color=INK)
        axes.set_aspect("equal")
        axes.set_xlim(-10, 10)
        axes.set_ylim(-6.5, 6.5)
        plain_style(axes, lines=False)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=11)
    figure.suptitle(
        "The separating line crosses the long axis, or runs along it",
        fontsize=13,
        color=INK,
        fontweight="bold",
    )
    return figure

"""The picture of `zerokelvin reproduce robustness`: error under noise, drift and delay, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from zerokelvin.plot.style import GREEN, GREY, INK, ORANGE, SKY, VERMILION, plain_style

__all__ = ["draw_robustness"]

PURPLE = "#CC79A7"
STYLES = {
    "perceptron": (GREY, "v"),
    "pounce": (ORANGE, "^"),
    "longest-path": (GREEN, "s"),
    "propagation": (SKY, "D"),
    "gaussian": (PURPLE, "o"),
    "auto": (VERMILION, "*"),
}


def draw_robustness(values: Mapping[Any, Any], panels: Sequence[Any]) -> Figure:
    """One panel for each thing that goes wrong; dashed where the learner forgets."""
    settings = values["settings"]
    figure = Figure(figsize=(14.2, 5.4), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1))
    for axes, panel in zip(figure.subplots(1, len(panels), sharey=True), panels, strict=True):
        found = values["panels"][panel.name]
        for name, series in found["errors"].items():
            _line(axes, found["values"], series, name, forgets=False)
        for name, series in found.get("errors_forgetting", {}).items():
            _line(axes, found["values"], series, name, forgets=True)
        _finish(axes, panel, found["values"])
    figure.axes[0].set_ylim(bottom=0)  # shared by all, so after the last line is drawn
    figure.axes[0].set_ylabel("Wrong predictions, share of all trials", color=INK)
    handles = [
        Line2D([], [], color=c, marker=m, markersize=7, linewidth=2, label=n) for n, (c, m) in STYLES.items()
    ]
    window = settings["window"]
    dashed = f"dashed: forgets all but the latest {window:,} to {2 * window:,} answers"
    handles.append(Line2D([], [], color=INK, linewidth=1.6, linestyle=(0, (4, 2)), label=dashed))
    figure.legend(handles=handles, loc="outside lower center", ncols=7, frameon=False, fontsize=10.5)
    orders = (
        f"mean of {settings['shuffles']} random orders" if settings["shuffles"] > 1 else "one random order"
    )
    figure.suptitle(
        f"What noise, drift and delay cost: {settings['data'].capitalize()}, {settings['trials']:,} trials, "
        f"{settings['classes']} classes, {orders}",
        fontsize=13,
        color=INK,
        fontweight="bold",
    )
    return figure


def _line(axes: Axes, points: Sequence[float], series: Mapping[str, Any], name: str, forgets: bool) -> None:
    """Draw the errors of a learner over the points of a panel; dashed where it forgets."""
    colour, marker = STYLES[name]
    axes.plot(
        np.arange(len(points)),
        series["error"],
        color=colour,
        marker=marker,
        markersize=8 if marker == "*" else 5.5,
        markerfacecolor="white" if forgets else colour,
        linewidth=1.5 if forgets else 2.2,
        linestyle=(0, (4, 2)) if forgets else "-",
        zorder=3 if name == "auto" else 2,
    )


def _finish(axes: Axes, panel: Any, points: Sequence[float]) -> None:
    """Title, ticks and style of a panel."""
    axes.set_title(panel.title, loc="left", fontsize=12, color=INK)
    axes.set_xlabel(panel.axis, color=INK)
    axes.set_xticks(np.arange(len(points)), [f"{value:g}" for value in points])
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    plain_style(axes)

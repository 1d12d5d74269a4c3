"""The style of all pictures: colours, axes, curves with their last values, broken lines for bounds.

The colours are those of Okabe and Ito (2008), told apart by colour-blind readers; what matters also differs
in shape, in line or in words, so that a picture can be read in print. Nothing here has global state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

__all__ = [
    "CLASSES",
    "LINES",
    "MARKERS",
    "count_axes",
    "draw_curves_on",
    "layout",
    "plain_style",
]

BLUE, ORANGE, SKY, VERMILION, GREEN = "#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#009E73"
LINES = (BLUE, ORANGE, GREEN, VERMILION)
STROKES = ("-", "--", ":")
PURPLE, YELLOW = "#CC79A7", "#F0E442"
CLASSES = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, YELLOW)
MARKERS = "os^DvPX"
INK, GREY = "#333333", "#8a8a8a"


def layout() -> ConstrainedLayoutEngine:
    """A layout engine for figures, with room around panels and legends."""
    return ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1)


def draw_curves_on(
    axes: Axes,
    games: Mapping[str, Sequence[Any]],
    what: str,
    heading: str,
    bounds: Mapping[str, float] | None = None,
) -> None:
    """A curve for every name, the mean over its runs of the attribute `what`, and the span of several.

    Each of `bounds` is a broken line with what it limits written on it.
    """
    ends, last = [], 1
    for i, (name, runs) in enumerate(games.items()):
        curves = np.array([getattr(run, what) for run in runs], dtype=np.float64)
        colour, trials = LINES[i % len(LINES)], np.arange(1, curves.shape[1] + 1)
        style = STROKES[i // len(LINES) % len(STROKES)]
        label = _caption(name, len(runs))
        axes.plot(trials, curves.mean(axis=0), color=colour, linestyle=style, linewidth=2.2, label=label)
        if len(runs) > 1:
            axes.fill_between(
                trials, curves.min(axis=0), curves.max(axis=0), color=colour, alpha=0.2, linewidth=0
            )
        ends.append((float(curves[:, -1].mean()), colour))
        last = max(last, len(trials))
    count_axes(axes, heading)
    if bounds:
        _draw_bounds(axes, bounds, last)
    _label_ends(axes, ends, last)


def plain_style(axes: Axes, lines: bool = True) -> None:
    """No frame but grey axes on the left and below, and pale horizontal lines behind what is drawn."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=INK)
    if lines:
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
        axes.set_axisbelow(True)


def count_axes(axes: Axes, heading: str) -> None:
    """Title and style of a panel whose axes are counts from 0 on, trials on the horizontal one."""
    axes.set_title(heading, loc="left", fontsize=11.5, color=INK)
    axes.set_xlabel("Trials (nodes shown)", color=INK)
    plain_style(axes)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)


def _draw_bounds(axes: Axes, bounds: Mapping[str, float], trials: int) -> None:
    """A broken line for each bound, its text below it at the right."""
    for text, value in bounds.items():
        axes.axhline(value, color=GREY, linewidth=1.6, linestyle=(0, (5, 3)))
        axes.annotate(
            f"{text}: {value:,.0f}", (trials, value), xytext=(-2, -4), textcoords="offset points",
            ha="right", va="top", color=INK, fontsize=10,
        )  # fmt: skip
    axes.set_ylim(bottom=0, top=max(axes.get_ylim()[1], 1.05 * max(bounds.values())))


def _label_ends(axes: Axes, ends: list[tuple[float, str]], trials: int) -> None:
    """Write its last value to the right of every line, moved apart where two are close."""
    axes.set_xlim(right=trials)
    room = 0.07 * axes.get_ylim()[1]
    lowest = -np.inf
    for value, colour in sorted(ends):
        lowest = max(value, lowest + room)
        axes.annotate(
            f"{value:,.0f}",
            (trials, lowest),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
            fontsize=11,
            annotation_clip=False,
        )


def _caption(name: str, games: int) -> str:
    return f"{name} (mean and span of {games} games)" if games > 1 else name

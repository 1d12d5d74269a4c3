"""The picture of a comparison: error, nodes asked and time of every row, one line each."""

from __future__ import annotations

import textwrap

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from zerokelvin.experiments.comparison import OWN, Comparison
from zerokelvin.plot.style import BLUE, GREY, INK, VERMILION

__all__ = ["draw_comparison"]


def draw_comparison(found: Comparison, title: str = "") -> Figure:
    """Rows by error from the top; those without figures are named below."""
    rows = [row for row in found.rows if row.error is not None]
    missing = [row for row in found.rows if row.error is None]
    height = 1.9 + 0.27 * max(len(rows), 3) + 0.16 * len(missing)
    layout = ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.08)
    figure = Figure(figsize=(10.5, height), dpi=110, layout=layout)
    error, asked, seconds = figure.subplots(1, 3, sharey=True, width_ratios=[2.2, 1, 1.3])
    places = range(len(rows))
    colours = [BLUE if row.package == OWN else VERMILION for row in rows]
    markers = ["o" if row.package == OWN else "D" for row in rows]
    for y, row, colour, marker in zip(places, rows, colours, markers, strict=True):
        style = {"color": colour, "marker": marker, "markersize": 6}
        middle, spread = 100 * (row.error or 0.0), 100 * (row.error_std or 0.0)
        error.errorbar(middle, y, xerr=spread, fmt=marker, color=colour, markersize=6, capsize=3)
        asked.plot(100 * (row.queried_nodes or 0.0) / found.nodes, y, **style)
        seconds.plot(max(row.seconds or 0.0, 1e-6), y, **style)
        error.annotate(
            f"{middle:.1f}", (middle + spread, y), xytext=(7, 0), textcoords="offset points",
            va="center", fontsize=8.5, color=colour,
        )  # fmt: skip
    error.set_yticks(list(places), [row.name for row in rows])
    error.set_ylim(len(rows) - 0.4, -0.6)
    error.margins(x=0.12)
    for axes, heading in (
        (error, "Wrong predictions, %"),
        (asked, "Nodes asked, %"),
        (seconds, "Seconds for one game"),
    ):
        axes.set_title(heading, loc="left", fontsize=11, color=INK)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.spines["bottom"].set_color(GREY)
        axes.tick_params(colors=INK, left=False)
        axes.grid(color="#e4e4e4", linewidth=0.8)
        axes.set_axisbelow(True)
    asked.set_xlim(-4, 104)
    seconds.set_xscale("log")
    seconds.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    handles = [
        Line2D([], [], color=BLUE, marker="o", linestyle="", label="this package, default parameters"),
        Line2D(
            [],
            [],
            color=VERMILION,
            marker="D",
            linestyle="",
            label="other packages, labels as they arrive",
        ),
    ]
    error.legend(handles=handles, loc="upper right", framealpha=1.0, edgecolor="#e4e4e4", fontsize=9.5)
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    if missing:
        notes = [textwrap.shorten(f"{row.name}: {row.note}", 170, placeholder=" …") for row in missing]
        figure.supxlabel("\n".join(notes), fontsize=7.5, color=GREY, ha="left", x=0.02)
    return figure

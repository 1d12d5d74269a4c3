"""The picture of labelling jobs: the share of right labels against the answers given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from zerokelvin.experiments.labelling import LabellingJob
from zerokelvin.plot.style import INK, LINES, plain_style

__all__ = ["draw_labelling"]


def draw_labelling(jobs: Mapping[str, Sequence[LabellingJob]], title: str = "") -> Figure:
    """The share of right labels against the answers given: a line per name, the mean over its jobs.

    Where a name has several jobs, a band shows the span from the lowest to the highest.
    """
    figure = Figure(figsize=(9.6, 4.2), dpi=110, layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1))
    axes = figure.subplots()
    lowest = 100.0
    for i, (name, several) in enumerate(jobs.items()):
        answers, colour = several[0].answers, LINES[i % len(LINES)]
        shares = 100 * np.array([job.right for job in several]) / several[0].total
        mean = shares.mean(axis=0)
        many = f" (mean and span of {len(several)} draws)" if len(several) > 1 else ""
        axes.plot(answers, mean, color=colour, linewidth=2.2, marker="o", markersize=5, label=name + many)
        if len(several) > 1:
            axes.fill_between(
                answers, shares.min(axis=0), shares.max(axis=0), color=colour, alpha=0.2, linewidth=0
            )
        axes.annotate(
            f"{mean[-1]:.1f} %",
            (answers[-1], mean[-1]),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
            fontsize=11,
            annotation_clip=False,
        )
        lowest = min(lowest, float(shares.min()))
    plain_style(axes)
    axes.set_title("Right labels among all nodes", loc="left", fontsize=11.5, color=INK)
    axes.set_xlabel("Answers given", color=INK)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))
    axes.set_xlim(left=0)
    axes.set_ylim(max(0.0, lowest - 3), 100.5)
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=11)
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    return figure

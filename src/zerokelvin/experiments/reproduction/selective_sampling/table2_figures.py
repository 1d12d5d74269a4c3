"""Figures 1–3 of selective sampling on graphs (Gu, Aggarwal, Liu, Han 2013), drawn from measured games.

Figure 3 has a second baseline and a second panel. The paper compares `sslgc` with a *perceptron* that asks
at random; beside it stands `ollgc` that asks at random, which differs from `sslgc` in nothing but the
choice of labels. The left panel counts labels per one-vs-rest problem as the paper does; the right panel
counts nodes asked about by at least one class, which is what a person pays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, PercentFormatter
from numpy.typing import NDArray

from zerokelvin.experiments.reproduction.embedded_games import EmbeddedGame
from zerokelvin.experiments.reproduction.selective_sampling.table2_measures import (
    LEARNERS,
    MeasuredGraph,
    RankSweep,
    RateSweep,
    column,
)
from zerokelvin.plot.style import BLUE, GREEN, GREY, INK, ORANGE, plain_style

__all__ = ["draw_ranks", "draw_rates", "draw_rounds"]

STYLES = {"perceptron": (ORANGE, "s"), "ollgc": (BLUE, "o"), "sslgc": (GREEN, "^")}
DOTTED = {"perceptron": (ORANGE, "s", "random + perceptron"), "ollgc": (BLUE, "o", "random + ollgc")}


def draw_ranks(sweep: RankSweep) -> Figure:
    """Figure 1: error and time of a game against the rank of the embedding."""
    figure, (left, right) = _panels(1, 2, f"{sweep.arena.problem.name}: the rank of the embedding")
    ranks = np.array(sweep.ranks)
    for name in LEARNERS:
        colour, marker = STYLES[name]
        _line(left, ranks, sweep.games[name], colour, marker, name)
        right.plot(ranks, sweep.times[name], color=colour, marker=marker, linewidth=2, label=name)
    right.set_yscale("log")
    for axes, heading in ((left, "One-vs-rest error"), (right, "Seconds of a game, all classes")):
        _dress(axes, heading, "Rank d, the constant column included")
        axes.set_xscale("log")
        nexts = np.append(ranks[1:], np.inf)
        names = [str(rank) if after > 1.4 * rank else "" for rank, after in zip(ranks, nexts, strict=True)]
        axes.set_xticks(ranks, names)
        axes.xaxis.set_minor_locator(NullLocator())
    right.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    right.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    right.yaxis.set_minor_locator(NullLocator())
    left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    _legend(figure, left)
    return figure


def draw_rounds(measured: MeasuredGraph) -> Figure:
    """Figure 2: error rate, labels asked per class and seconds so far, against rounds."""
    name = measured.arena.problem.name
    count = len(measured.games["ollgc"])
    figure, panels = _panels(1, 3, f"{name}: round by round, mean of {count} orders")
    for learner in LEARNERS:
        colour, _ = STYLES[learner]
        games = measured.games[learner]
        rounds = games[0].rounds
        for axes, figure_name in zip(panels, ("errors_so_far", "queries_so_far"), strict=False):
            curves = np.array([getattr(game, figure_name) for game in games])
            axes.plot(rounds, curves.mean(axis=0), color=colour, linewidth=2, label=learner)
            axes.fill_between(
                rounds, curves.min(axis=0), curves.max(axis=0), color=colour, alpha=0.18, linewidth=0
            )
        ends = np.array([0.0, *measured.shares]) * rounds[-1]
        seconds = np.concatenate([[0.0], measured.times[learner].mean(axis=0)])
        panels[2].plot(ends, 1000 * seconds, color=colour, linewidth=2, label=learner)
    last = [measured.games[learner][0].errors_so_far[2:] for learner in LEARNERS]
    panels[0].set_ylim(0, 1.25 * max(float(curve.max()) for curve in last))
    panels[0].yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    for axes, heading in zip(
        panels, ("One-vs-rest error so far", "Labels asked per class", "Milliseconds so far"), strict=True
    ):
        _dress(axes, heading, "Rounds (nodes shown)")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_xlim(0, measured.arena.trials)
        axes.set_ylim(bottom=0)
    panels[1].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if np.array_equal(panels[1].lines[0].get_ydata(), panels[1].lines[1].get_ydata()):
        panels[1].lines[1].set_linestyle((0, (4, 4)))  # perceptron and ollgc ask for every label
    _legend(figure, panels[0])
    return figure


def draw_rates(sweep: RateSweep) -> Figure:
    """Figure 3: selective against random asking at the same rates, by labels per class and by nodes."""
    name = sweep.arena.problem.name
    figure, (left, right) = _panels(1, 2, f"{name}: choosing what to ask, or asking at random")
    trials = sweep.arena.trials
    for axes, measure, heading in (
        (left, "queries", "By labels asked per class (the paper's count)"),
        (right, "queried_nodes", "By nodes asked about (what a person pays)"),
    ):
        for baseline, (colour, marker, label) in DOTTED.items():
            order = np.argsort(sweep.rates)
            many = [sweep.random[baseline][i] for i in order]
            at = np.array([column(games, measure).mean() / trials for games in many])
            _line(axes, at, many, colour, marker, label, dashed=True)
        at = np.array([column(games, measure).mean() / trials for games in sweep.selective])
        order = np.argsort(at)
        colour, marker = STYLES["sslgc"]
        _line(axes, at[order], [sweep.selective[i] for i in order], colour, marker, "sslgc")
        _dress(axes, heading, "Share of the labels" if measure == "queries" else "Share of the nodes")
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.set_xlim(0, 1.02)
        axes.set_ylabel("One-vs-rest error", color=INK)
    low = min(axes.get_ylim()[0] for axes in (left, right))
    high = max(axes.get_ylim()[1] for axes in (left, right))
    for axes in (left, right):
        axes.set_ylim(low, high)
    ends = (sweep.kappas[0], sweep.kappas[-1])
    figure.text(
        0.5, 0.905, f"sslgc from κ = {ends[0]:g} (left) to κ = {ends[1]:g} (right)",
        ha="center", fontsize=10, color=GREY,
    )  # fmt: skip
    _legend(figure, left)
    return figure


def _panels(rows: int, columns: int, title: str) -> tuple[Figure, list[Axes]]:
    figure = Figure(
        figsize=(4.4 * columns + 1.2, 4.6 * rows),
        dpi=110,
        layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12),
    )
    panels = figure.subplots(rows, columns)
    figure.suptitle(title, fontsize=13, color=INK, fontweight="bold")
    return figure, list(np.ravel(panels))


def _line(
    axes: Axes,
    at: NDArray[np.generic],
    many: Sequence[Sequence[EmbeddedGame]],
    colour: str,
    marker: str,
    label: str,
    dashed: bool = False,
) -> None:
    """Mean errors with bars of one standard deviation over the orders."""
    errors = [column(games, "error_binary") for games in many]
    axes.errorbar(
        at,
        [values.mean() for values in errors],
        yerr=[values.std(ddof=1) if len(values) > 1 else 0.0 for values in errors],
        color=colour,
        marker=marker,
        markersize=6,
        linewidth=2,
        linestyle="--" if dashed else "-",
        elinewidth=1.2,
        capsize=2.5,
        label=label,
    )


def _dress(axes: Axes, heading: str, below: str) -> None:
    axes.set_title(heading, loc="left", fontsize=11.5, color=INK)
    axes.set_xlabel(below, color=INK)
    plain_style(axes)


def _legend(figure: Figure, axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=11)

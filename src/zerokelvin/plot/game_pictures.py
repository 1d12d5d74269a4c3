"""Pictures of finished games: mistakes beside the majority guess, bounds beside mistakes, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from zerokelvin.errors import ParameterError
from zerokelvin.plot.style import BLUE, GREY, INK, VERMILION, draw_curves_on, layout, plain_style

__all__ = ["bound", "calibration", "mistakes"]

GROUPS = 10
FEW = 5
"""Predictions below which a group says little: it is drawn hollow."""


def mistakes(*games: Any, title: str = "") -> Figure:
    """Mistakes so far against trials: a curve per game, the majority guess and the bound where it says much.

    Parameters
    ----------
    games
        One or several `Run` or `Runs`; several runs are drawn as their mean and span.
    title
        Stands above the picture.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> barbell = zk.generators.barbell(20)
    >>> figure = mistakes(zk.play(barbell.graph, barbell.labels, "nearest"))
    >>> figure.axes[0].get_title(loc="left")
    'Mistakes so far'
    """
    named = _named(games)
    first = next(iter(named.values()))[0]
    figure = Figure(figsize=(7.2, 4.4), dpi=110, layout=layout())
    axes = figure.subplots()
    bounds = {}
    if len(named) == 1 and len(next(iter(named.values()))) == 1 and first.bound.says_something(first.trials):
        bounds = {"proven bound": first.bound.value}
    draw_curves_on(axes, named, "cumulative_mistakes", "Mistakes so far", bounds)
    wrong = first.codes != int(np.bincount(first.codes).argmax())
    guess = f"always the most frequent class ({int(wrong.sum()):,} wrong)"
    trials = np.arange(1, first.trials + 1)
    top = axes.get_ylim()[1]
    axes.plot(trials, np.cumsum(wrong), color=GREY, linewidth=1.4, linestyle=":", label=guess)
    axes.set_ylim(0, max(top, 1.0))
    figure.legend(loc="outside lower center", ncols=min(len(named) + 1, 3), frameon=False, fontsize=10)
    return _titled(figure, title or (f"{next(iter(named))}: {100 * first.error_multiclass:.1f} % wrong"
                                     if len(named) == 1 else ""))  # fmt: skip


def bound(*games: Any, title: str = "") -> Figure:
    """Mistakes and the proven bound of every game, the closest first, beside the number of trials.

    A bound beyond the number of trials says nothing, since no game has more mistakes than trials: it stands
    at the edge with its value. One whose assumptions fail is named as no guarantee.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> barbell = zk.generators.barbell(20)
    >>> figure = bound(zk.play(barbell.graph, barbell.labels, "longest-path"))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['longest-path']
    """
    runs = [(name, runs[0]) for name, runs in _named(games).items()]
    runs.sort(key=lambda pair: (not pair[1].bound.says_something(pair[1].trials), _ratio(pair[1])))
    figure = Figure(figsize=(8.4, 1.9 + 0.42 * len(runs)), dpi=110, layout=layout())
    axes = figure.subplots()
    trials = max(run.trials for _, run in runs)
    for row, (_, run) in enumerate(runs):
        known, value = run.bound.says_something(run.trials), run.bound.value
        end = value if known else trials
        axes.plot([run.mistakes, end], [row, row], color=GREY, linewidth=1.6, linestyle="-" if known else ":")
        axes.plot(run.mistakes, row, "o", color=BLUE, markersize=8)
        if known:
            axes.plot(value, row, "|", color=VERMILION, markersize=16, markeredgewidth=3)
        axes.annotate(
            f" {_verdict(run)}", (end, row), xytext=(7, 0), textcoords="offset points", va="center",
            fontsize=9.5, color=INK, annotation_clip=False,
        )  # fmt: skip
    axes.axvline(trials, color=INK, linewidth=1.2, linestyle=(0, (5, 3)))
    axes.set_yticks(range(len(runs)), [name for name, _ in runs])
    axes.set_ylim(len(runs) - 0.4, -0.6)
    axes.set_xlim(0, 1.9 * trials)
    axes.set_xticks([tick for tick in MaxNLocator(5, integer=True).tick_values(0, trials) if tick <= trials])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("Mistakes", color=INK)
    plain_style(axes, lines=False)
    handles = [
        Line2D([], [], color=BLUE, marker="o", linestyle="", label="mistakes made"),
        Line2D([], [], color=VERMILION, marker="|", markersize=13, markeredgewidth=3, linestyle="",
               label="proven bound"),
        Line2D([], [], color=INK, linestyle=(0, (5, 3)), label=f"all {trials:,} trials wrong"),
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return _titled(figure, title)


def calibration(run: Any, title: str = "") -> Figure:
    """How often predictions were right against how probable they were said to be.

    Trials are put into ten groups of like probability (`Run.chances`), each at its mean probability and its
    share of right predictions, with the span in which nine in ten such shares lie if the truth were the
    measured one (normal approximation). Below stands how many trials each has. On the broken line
    probabilities are frequencies; above it the learner is better than it says.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> barbell = zk.generators.barbell(20)
    >>> figure = calibration(zk.play(barbell.graph, barbell.labels, "auto"))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['Share right', 'Trials']
    """
    said = ~np.isnan(run.chances)
    chances, right = run.chances[said], ~run.mistaken[said]
    if len(chances) == 0:
        raise ParameterError("no prediction of this game came from the learner, so nothing is calibrated.")
    group = np.minimum((chances * GROUPS).astype(np.int64), GROUPS - 1)
    counts = np.bincount(group, minlength=GROUPS)
    used = np.flatnonzero(counts)
    mean = np.bincount(group, weights=chances, minlength=GROUPS)[used] / counts[used]
    share = np.bincount(group, weights=right, minlength=GROUPS)[used] / counts[used]
    spread = 1.645 * np.sqrt(share * (1 - share) / counts[used])
    gap = float(np.abs((mean - share) * counts[used]).sum() / len(chances))
    figure = Figure(figsize=(5.6, 6.0), dpi=110, layout=layout())
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    above.plot([0, 1], [0, 1], color=GREY, linewidth=1.4, linestyle=(0, (5, 3)))
    note = "broken line: probabilities are frequencies"
    above.text(0.99, 0.0, note, ha="right", va="bottom", fontsize=9, color=INK)
    above.errorbar(mean, share, yerr=spread, fmt="none", ecolor=BLUE, elinewidth=1.4, capsize=3)
    for x, y, count in zip(mean, share, counts[used].tolist(), strict=True):
        fill = BLUE if count >= FEW else "white"
        above.plot(x, y, "o", markersize=8, color=BLUE, markerfacecolor=fill)
    above.set_ylim(-0.03, 1.03)
    above.set_ylabel("Share right", color=INK)
    below.bar((np.arange(GROUPS) + 0.5) / GROUPS, counts, width=0.9 / GROUPS, color=BLUE)
    below.set_ylabel("Trials", color=INK)
    below.set_xlabel("Probability of the predicted class", color=INK)
    below.set_xlim(-0.02, 1.02)
    below.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    for axes in (above, below):
        plain_style(axes)
    return _titled(figure, title or f"{run.learner.name}: off by {gap:.3f} on average")


def _named(games: Iterable[Any]) -> dict[str, list[Any]]:
    """Runs by the name of their learner, told apart by number where a name comes twice."""
    found: dict[str, list[Any]] = {}
    for game in games:
        runs = list(getattr(game, "runs", (game,)))
        name = runs[0].learner.name
        place = sum(other.partition(" (")[0] == name for other in found)
        found[f"{name} ({place + 1})" if place else name] = runs
    if not found:
        raise ParameterError("no game is given; a picture needs at least one run.")
    return found


def _ratio(run: Any) -> float:
    return run.bound.value / max(run.mistakes, 1)


def _verdict(run: Any) -> str:
    """What stands at the right end of a row."""
    bound = run.bound
    value = f"{bound.value:,.0f}" if math.isfinite(bound.value) else "no bound"
    if not bound.holds:
        return f"no guarantee here ({value})"
    if not bound.says_something(run.trials):
        return f"says nothing here ({value})"
    return f"{value}, {_ratio(run):.1f} × the {run.mistakes:,} made"


def _titled(figure: Figure, title: str) -> Figure:
    if title:
        figure.suptitle(title, fontsize=12.5, color=INK, fontweight="bold")
    return figure

"""A picture of a Picard–Queyranne graph: source left, target right, columns by longest path.

Components without labels, which may have either label, stand in a row below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_picard_queyranne"]

MOST_NAMES = 6
LARGEST = 60.0  # inches
COLOURS = {"source": "#0072B2", "target": "#D55E00", "inner": "#e8e4d9"}


class SuperVertexGraph(Protocol):
    """What is drawn of a `PicardQueyranne`, whose attributes these are."""

    @property
    def value(self) -> float:
        """The weight of a minimum cut."""

    @property
    def arcs(self) -> NDArray[np.int64]:
        """Pairs (I, J) of super-vertices."""

    @property
    def arc_weights(self) -> NDArray[np.float64]:
        """Total weight of the edges behind every arc."""

    @property
    def source(self) -> int:
        """The super-vertex of the source."""

    @property
    def target(self) -> int:
        """The super-vertex of the target, the last one."""

    @property
    def longest_from_source(self) -> NDArray[np.int64]:
        """The longest path from the source to every super-vertex, −1 where there is none."""

    def members(self, super_vertex: int) -> Sequence[Any]:
        """The names of the nodes of a super-vertex."""


def draw_picard_queyranne(pq: SuperVertexGraph, ax: Any = None) -> Any:
    """Draw super-vertices as boxes of their members and arcs as arrows; returns the axes.

    Axes of its own are made as large as the boxes need.
    """
    level = pq.longest_from_source.copy()
    level[pq.target] = max(1, level.max(), level[: pq.target].max() + 1)
    position = {}
    for column in np.unique(level[level >= 0]):
        here = np.flatnonzero(level == column)
        for k, v in enumerate(here):
            position[int(v)] = (float(column), (len(here) - 1) / 2 - k)
    lowest, across = min(y for _, y in position.values()), int(level.max()) + 1
    for k, v in enumerate(np.flatnonzero(level < 0)):
        position[int(v)] = (float(k % across), lowest - 1 - k // across)
    xs, ys = zip(*position.values(), strict=True)
    if ax is None:
        from matplotlib import pyplot as plt

        apart = max(1.2, 0.5 + 0.1 * max(len(_caption(pq, box)) for box in position))
        size = np.minimum([apart * (max(xs) - min(xs) + 1), 0.5 * (max(ys) - min(ys) + 2)], LARGEST)
        _, ax = plt.subplots(figsize=np.maximum(size, plt.rcParams["figure.figsize"]))
    outline = {}
    for box, (x, y) in position.items():
        kind = "source" if box == pq.source else "target" if box == pq.target else "inner"
        text = ax.text(
            x,
            y,
            _caption(pq, box),
            ha="center",
            va="center",
            color="black" if kind == "inner" else "white",
            bbox={"boxstyle": "round", "facecolor": COLOURS[kind], "edgecolor": "#555555"},
        )
        outline[box] = text.get_bbox_patch()
    heaviest = float(pq.arc_weights.max()) if len(pq.arc_weights) else 1.0
    for (i, j), weight in zip(pq.arcs.tolist(), pq.arc_weights.tolist(), strict=True):
        bend = 0.0 if level[j] - level[i] == 1 else 0.25
        ax.annotate(
            "",
            position[j],
            position[i],
            arrowprops={
                "arrowstyle": "-|>",
                "shrinkA": 1,
                "shrinkB": 1,
                "patchA": outline[i],  # arrows begin and end where the boxes do, however wide they are
                "patchB": outline[j],
                "lw": 0.8 + 1.6 * weight / heaviest,
                "color": "#555555",
                "connectionstyle": f"arc3,rad={bend}",
            },
        )
    ax.set_xlim(min(xs) - 0.6, max(xs) + 0.6)
    ax.set_ylim(min(ys) - 0.8, max(ys) + 0.8)
    ax.set_title(f"all minimum cuts, value {pq.value:g}")
    ax.set_axis_off()
    return ax


def _caption(pq: SuperVertexGraph, super_vertex: int) -> str:
    """The names of the first members of a super-vertex, and how many there are if not all are shown."""
    names = [str(name) for name in pq.members(super_vertex)]
    shown = ", ".join(names[:MOST_NAMES])
    return shown + (f" … ({len(names)})" if len(names) > MOST_NAMES else "") or "∅"

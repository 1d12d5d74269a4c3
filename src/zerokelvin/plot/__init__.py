"""Pictures of games and sessions, in one style: mistakes, bounds, calibration, the graph.

Every function gives a figure of matplotlib that notebooks show and ``figure.savefig("a.png")`` saves; there
is no global state and no display is needed. matplotlib is imported when the first picture is drawn.
"""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.plot.game_pictures import bound, calibration, mistakes
    from zerokelvin.plot.graph_picture import graph

__all__ = ["bound", "calibration", "graph", "mistakes"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.plot.game_pictures": "bound calibration mistakes",
        "zerokelvin.plot.graph_picture": "graph",
    },
)

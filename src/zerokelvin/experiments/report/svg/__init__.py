"""Charts as inline SVG in one style: no fonts, scripts or colours of their own, numbers on hover.

Colours are classes (c0 … c6, after Okabe and Ito) that the page defines for light, dark and print. Every
class also has a mark of its own and, where curves are joined, its own dashes: nothing rests on colour.
"""

from typing import Any

from zerokelvin.experiments.report.svg.drawing_marks import escape, mark, swatch
from zerokelvin.experiments.report.svg.svg_curves import draw_curves
from zerokelvin.experiments.report.svg.svg_heat import draw_heat
from zerokelvin.experiments.report.svg.svg_plane import draw_plane_chart

__all__ = ["draw_chart", "escape", "mark", "swatch"]

_DRAWN = {"curves": draw_curves, "heat": draw_heat, "plane": draw_plane_chart}


def draw_chart(chart: dict[str, Any]) -> str:
    """A figure of HTML with the chart as SVG, its title, legend and caption."""
    return _DRAWN[chart["kind"]](chart)

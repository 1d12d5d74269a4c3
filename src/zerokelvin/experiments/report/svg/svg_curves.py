"""Curves and scattered marks on two axes, linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from zerokelvin.experiments.report.svg.drawing_marks import (
    COLOURS,
    dashes,
    escape,
    figure,
    mark,
    swatch,
    told,
)

__all__ = ["draw_curves", "ticks"]

WIDTH, HEIGHT = 640.0, 330.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 18.0, 10.0, 46.0
FEW = 7  # values on a logarithmic axis that are all written


class AxisScale:
    """Where a value stands on an axis."""

    def __init__(self, values: Sequence[float], log: bool, start: float, end: float) -> None:
        finite = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if log:
            low, high = (low / 1.15, high * 1.15) if high > low else (low / 2, high * 2)
        else:
            low = 0.0 if 0 <= low < 0.6 * high else low
            pad = (high - low) * 0.05 or abs(high) * 0.1 or 1.0
            low, high = (low if low == 0 else low - pad), high + pad
        self.low, self.high, self.log, self.start, self.end = low, high, log, start, end

    def at(self, value: float) -> float:
        """The place of a value; what a logarithm cannot show stands at the end of the axis."""
        if self.log:
            value, low, high = math.log(max(value, self.low)), math.log(self.low), math.log(self.high)
        else:
            low, high = self.low, self.high
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def ticks(low: float, high: float, log: bool, most: int = 6) -> list[float]:
    """Round values between two limits.

    >>> ticks(0, 95, False)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    >>> ticks(0.9, 1200, True)
    [1.0, 10.0, 100.0, 1000.0]
    """
    if log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        decades = [10.0**k for k in range(first, last + 1)]
        if len(decades) >= 2:
            return decades[:: -(-len(decades) // most)]
        fine = [m * 10.0**k for k in range(first - 1, last + 2) for m in (1, 2, 5)]
        return [v for v in fine if low <= v <= high]
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 2.5, 5, 10) if size * m >= raw * (1 - 1e-9))
    start = math.ceil(low / step - 1e-9)
    return [k * step for k in range(start, math.floor(high / step + 1e-9) + 1)]


def draw_curves(chart: dict[str, Any]) -> str:
    """The chart as a figure of HTML."""
    points = [point for one in chart["series"] for point in one["points"]]
    across = AxisScale([p[0] for p in points], chart["log_x"], LEFT, WIDTH - RIGHT)
    up = AxisScale([p[1] for p in points], chart["log_y"], HEIGHT - BOTTOM, TOP)
    parts = [_axes(chart, across, up)]
    if chart["diagonal"]:
        parts.append(_diagonal(chart["diagonal"], across, up))
    for index, one in enumerate(chart["series"]):
        places = [(across.at(p[0]), up.at(p[1])) for p in one["points"]]
        if not chart["loose"] and len(places) > 1:
            path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
            colour = f"c{index % COLOURS}"
            parts.append(f'<path class="l {colour}" d="{path}"{dashes(index, one["dashed"])}/>')
        small = 0.75 if len(places) > 30 else 1.0
        for point, (x, y) in zip(one["points"], places, strict=True):
            text = point[2] if len(point) > 2 else f"{chart['x']} {told(point[0])}: {told(point[1])}"
            parts.append(mark(index, x, y, f"{one['name']} · {text}", small))
    legend = [
        f"{swatch(i, one['dashed'], not chart['loose'])}{escape(one['name'])}"
        for i, one in enumerate(chart["series"])
    ]
    label = escape(f"{chart['title']}: {chart['y']} against {chart['x']}")
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}"'
    drawing = f'<svg class="chart" {size} role="img" aria-label="{label}">{"".join(parts)}</svg>'
    return figure(chart["title"], legend, drawing, chart["caption"])


def _axes(chart: dict[str, Any], across: AxisScale, up: AxisScale) -> str:
    """Pale lines with their numbers, and what the axes are."""
    parts = []
    for value in ticks(up.low, up.high, up.log):
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{LEFT},{y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(
            f'<text class="tick" x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{told(value)}</text>'
        )
    base = HEIGHT - BOTTOM
    met = sorted({point[0] for one in chart["series"] for point in one["points"]})
    shown = met if across.log and not chart["loose"] and len(met) <= FEW else None
    for value in shown or ticks(across.low, across.high, across.log):
        x = across.at(value)
        parts.append(f'<path class="axis" d="M{x:.1f},{base}v5"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{base + 18}" text-anchor="middle">{told(value)}</text>'
        )
    parts.append(f'<path class="axis" d="M{LEFT},{base}H{WIDTH - RIGHT}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    name = escape(chart["x"])
    parts.append(f'<text class="name" x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{name}</text>')
    height = (TOP + base) / 2
    turned = f'transform="translate(13,{height:.0f}) rotate(-90)"'
    parts.append(f'<text class="name" {turned} text-anchor="middle">{escape(chart["y"])}</text>')
    return "".join(parts)


def _diagonal(name: str, across: AxisScale, up: AxisScale) -> str:
    """The line y = x, with its name."""
    low, high = max(across.low, up.low), min(across.high, up.high)
    if not low < high:
        return ""
    ends = [(across.at(v), up.at(v)) for v in (low, high)]
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    x, y = ends[1]
    text = f'<text class="tick" x="{x - 4:.0f}" y="{y + 34:.0f}" text-anchor="end">{escape(name)}</text>'
    return f'<path class="diagonal" d="{path}"/>{text}'

"""Points in the plane with edges and covering circles, on one scale for both directions."""

from __future__ import annotations

from typing import Any

from zerokelvin.experiments.report.svg.drawing_marks import escape, figure, mark, swatch

__all__ = ["draw_plane_chart"]

WIDTH, MOST, PAD = 640.0, 420.0, 14.0


def draw_plane_chart(chart: dict[str, Any]) -> str:
    """The chart as a figure of HTML."""
    circles, points = chart["circles"], chart["points"]
    left = min([p[0] for p in points] + [c[0] - c[2] for c in circles])
    right = max([p[0] for p in points] + [c[0] + c[2] for c in circles])
    low = min([p[1] for p in points] + [c[1] - c[2] for c in circles])
    high = max([p[1] for p in points] + [c[1] + c[2] for c in circles])
    wide, tall = max(right - left, 1e-9), max(high - low, 1e-9)
    unit = min((WIDTH - 2 * PAD) / wide, (MOST - 2 * PAD) / tall)
    height = tall * unit + 2 * PAD
    shift = (WIDTH - wide * unit) / 2

    def place(x: float, y: float) -> tuple[float, float]:
        return shift + (x - left) * unit, height - PAD - (y - low) * unit

    parts = []
    for x, y, radius, text in circles:
        cx, cy = place(x, y)
        title = f"<title>{escape(text)}</title>"
        size = f'cx="{cx:.1f}" cy="{cy:.1f}" r="{max(radius * unit, 6):.1f}"'
        parts.append(f'<circle class="cover" {size}>{title}</circle>')
    for a, b in chart["edges"]:
        (x, y), (u, v) = place(*points[a][:2]), place(*points[b][:2])
        parts.append(f'<path class="edge" d="M{x:.1f},{y:.1f}L{u:.1f},{v:.1f}"/>')
    scale = 1.0 if len(points) <= 150 else 0.7
    parts += [mark(code, *place(x, y), text, scale) for x, y, code, text in points]
    legend = [f"{swatch(i, line=False)}{escape(name)}" for i, name in enumerate(chart["classes"])]
    head = f'viewBox="0 0 {WIDTH:g} {height:.0f}" role="img" aria-label="{escape(chart["title"])}"'
    return figure(
        chart["title"], legend, f'<svg class="chart" {head}>{"".join(parts)}</svg>', chart["caption"]
    )

"""Marks, texts and legends that all charts share."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

__all__ = ["COLOURS", "escape", "figure", "mark", "swatch", "told"]

COLOURS = 7
_SHAPES = ["circle", "square", "triangle", "diamond", "down", "plus", "cross"]
_PATHS = {
    "square": "M-3.6,-3.6h7.2v7.2h-7.2z",
    "triangle": "M0,-4.6L4.4,3.4H-4.4z",
    "diamond": "M0,-4.9L4.2,0L0,4.9L-4.2,0z",
    "down": "M0,4.6L4.4,-3.4H-4.4z",
    "plus": "M-1.5,-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "cross": "M-4,-2.2L-2.2,-4L0,-1.8L2.2,-4L4,-2.2L1.8,0L4,2.2L2.2,4L0,1.8L-2.2,4L-4,2.2L-1.8,0z",
}
DASHES = ("", "7 3", "2 3", "9 3 2 3")


def escape(text: str) -> str:
    """A text with the characters that HTML takes for its own replaced."""
    return html.escape(text, quote=True)


def mark(index: int, x: float, y: float, text: str = "", size: float = 1.0) -> str:
    """The mark of a class at a place; `text` appears on hover."""
    shape = _SHAPES[(index + index // COLOURS) % len(_SHAPES)]  # the eighth is no circle in the first colour
    title = f"<title>{escape(text)}</title>" if text else ""
    colour = f"c{index % COLOURS}"
    if shape == "circle":
        return f'<circle class="m {colour}" cx="{x:.1f}" cy="{y:.1f}" r="{3.8 * size:.1f}">{title}</circle>'
    grow = "" if size == 1 else f" scale({size:g})"
    move = f"translate({x:.1f},{y:.1f}){grow}"
    return f'<path class="m {colour}" transform="{move}" d="{_PATHS[shape]}">{title}</path>'


def dashes(index: int, dashed: bool) -> str:
    """How the line of a class is broken; that of a bound in any case."""
    pattern = "5 4" if dashed else DASHES[index // COLOURS % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def swatch(index: int, dashed: bool = False, line: bool = True) -> str:
    """The mark of a class for a legend, on a piece of its line."""
    colour = f"c{index % COLOURS}"
    stroke = f'<path class="l {colour}" d="M1,7H25"{dashes(index, dashed)}/>' if line else ""
    return f'<svg class="swatch" viewBox="0 0 26 14" aria-hidden="true">{stroke}{mark(index, 13, 7)}</svg>'


def figure(title: str, legend: Sequence[str], drawing: str, caption: str) -> str:
    """A figure: title, legend, drawing, caption."""
    items = f'<ul class="legend">{"".join(f"<li>{item}</li>" for item in legend)}</ul>' if legend else ""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure><h5>{escape(title)}</h5>{items}{drawing}{below}</figure>"


def told(value: float) -> str:
    """A number on an axis or on hover.

    >>> told(0.0758), told(2485.0), told(1e6), told(0.5)
    ('0.0758', '2,485', '1,000,000', '0.5')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

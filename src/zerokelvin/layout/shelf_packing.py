"""Components of a graph side by side: each keeps its drawing, and their boxes stand on shelves.

Boxes are taken by height, the highest first, and put from left to right on a shelf until it is as wide as a
square that holds them all; the next shelf begins above (next-fit decreasing height; Coffman, Garey, Johnson,
Tarjan 1980). Around every box is a margin, so that components are seen apart.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats, Ints

__all__ = ["packed"]

MARGIN = 0.04
"""Free space around a box, as a share of its longer side, and `LEAST_MARGIN` of the mean side at least."""

LEAST_MARGIN = 0.2


def packed(positions: Floats, components: Ints) -> Floats:
    """Positions (n, 2) with every component moved, whole, to its place on a shelf; their mean is 0.

    Examples
    --------
    >>> two = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    >>> moved = packed(two, np.array([0, 0, 1, 1]))
    >>> bool(abs(moved[0] - moved[2]).max() > 1.0)
    True
    """
    count = int(components.max()) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, components, positions)
    np.maximum.at(high, components, positions)
    sides = high - low
    mean = float(np.sqrt(max((sides.prod(axis=1)).mean(), 1e-12)))
    margins = np.maximum(MARGIN * sides.max(axis=1), LEAST_MARGIN * mean)[:, None]
    corners = _shelved(sides + 2.0 * margins)
    moved = positions + (corners + margins - low)[components]
    return moved - moved.mean(axis=0)


def _shelved(boxes: Floats) -> Floats:
    """The lower left corner of every box of a width and a height."""
    order = np.lexsort((np.arange(len(boxes)), -boxes[:, 0], -boxes[:, 1]))
    width = max(float(np.sqrt(boxes.prod(axis=1).sum())), float(boxes[:, 0].max()))
    corners = np.zeros_like(boxes)
    left, bottom, height = 0.0, 0.0, 0.0
    for i, (across, up) in zip(order.tolist(), boxes[order].tolist(), strict=True):
        if left > 0.0 and left + across > width * (1.0 + 1e-9):
            left, bottom = 0.0, bottom + height
        if left == 0.0:
            height = up
        corners[i] = left, bottom
        left += across
    return corners

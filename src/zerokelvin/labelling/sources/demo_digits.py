"""The demonstration: the 1,797 handwritten digits that come with scikit-learn, 8 × 8 pixels, as images."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from scipy.ndimage import zoom

from zerokelvin.array_types import Floats
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.source import ItemSource

__all__ = ["CLASSES", "digit_truth", "read_digit_items"]

CLASSES = tuple("0123456789")
LARGER = 6
"""Pixels of the picture for each pixel of the digit; between them it is smooth, as a pen is."""


def read_digit_items() -> ItemSource:
    """The 1,797 handwritten digits as items with images; labels are not told."""
    from sklearn.datasets import load_digits

    points = load_digits().data.astype(np.float64)
    names = [f"digit-{i:04d}" for i in range(len(points))]
    pictures = [_png(row.reshape(8, 8)) for row in points]
    return ItemSource(NewItems("image", names, names, pictures=pictures), points)


def digit_truth() -> list[str]:
    """What the digits are, for tests and measurements."""
    from sklearn.datasets import load_digits

    return [str(label) for label in load_digits().target.tolist()]


def _png(pixels: Floats) -> bytes:
    """A picture of grey values from 0 to 16, dark on light with a margin, as PNG (ISO 15948)."""
    smooth = zoom(np.pad(pixels, 1), LARGER, order=1, mode="grid-constant", grid_mode=True)
    large = (255 - np.rint(smooth.clip(0, 16) * (255 / 16))).astype(np.uint8)
    height, width = large.shape
    lines = np.hstack([np.zeros((height, 1), dtype=np.uint8), large]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

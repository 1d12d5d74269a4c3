"""A folder of images as items: png, jpeg, gif, webp and bmp files, below it at any depth, by their paths.

Without an embedding they are compared by 16 × 16 pixels of brightness and of two differences of colour, rows
of length one after taking off their mean. A file that cannot be read is counted, kept as an item without a
picture, and compared as if it were grey.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError
from zerokelvin.labelling.image_kinds import IMAGES, image_names
from zerokelvin.labelling.item_vectors import unit_rows
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.source import ItemOptions, ItemSource

__all__ = ["read_image_items"]

SIDE = 16
MOST_PIXELS = 200_000_000
"""Pixels of an image that is opened at all."""


def read_image_items(folder: Path, options: ItemOptions) -> ItemSource:
    """The images below a folder as items, with vectors made of their pixels."""
    found = image_names(folder)
    if not found:
        raise DataError(f"'{folder}' holds no images ({', '.join(IMAGES)}); there is nothing to label.")
    pixels: list[Floats | None] = [_pixels(folder / name) for name in found]
    unreadable = [name for name, own in zip(found, pixels, strict=True) if own is None]
    said = []
    if len(unreadable) == len(found):
        raise DataError(
            f"none of the {len(found):,} images in '{folder}' can be read (the first is '{unreadable[0]}'); "
            "there is nothing to see."
        )
    if unreadable:
        said.append(
            f"{len(unreadable):,} of {len(found):,} images cannot be read (the first is '{unreadable[0]}')"
        )
    items = NewItems("image", found, found, images=found, folder=str(folder.resolve()))
    if options.embedding is not None:
        return ItemSource(items, said=said)
    size = 3 * SIDE * SIDE
    rows = np.array([np.zeros(size) if own is None else own for own in pixels])
    return ItemSource(items, unit_rows(rows), said=said)


def _pixels(path: Path) -> Floats | None:
    """An image as numbers; None where it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            small = image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX).convert("YCbCr")
            values = np.asarray(small, dtype=np.float64).reshape(-1, 3)
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError):
        return None
    flat = (values - np.array([values[:, 0].mean(), 128.0, 128.0])).T.ravel()
    return flat if flat.any() else np.full(3 * SIDE * SIDE, 1e-3)

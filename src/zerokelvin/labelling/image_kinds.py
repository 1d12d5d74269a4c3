"""Which files of a folder are images, by their names; and what kind some bytes are, by how they begin.

Only bytes that begin as an image are ever sent to a browser.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["IMAGES", "image_kind", "image_names"]

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
"""Suffixes of images that are shown."""


def image_names(folder: Path) -> list[str]:
    """The images below a folder at any depth, by their paths from there, in order; without hidden ones."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix.lower() in IMAGES and path.is_file() and not path.name.startswith(".")
    )


def image_kind(data: bytes) -> str | None:
    """The media type of an image; None where the bytes are none that is shown.

    >>> image_kind(b"GIF89a..."), image_kind(b"<svg onload=alert(1)>")
    ('image/gif', None)
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(b"BM") and len(data) > 26:
        return "image/bmp"
    return None

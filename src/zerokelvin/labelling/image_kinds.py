"""What kind of image some bytes are, by how they begin: only these are ever sent to a browser."""

from __future__ import annotations

__all__ = ["image_kind"]


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

"""A lock on a file, held until the file is closed, so that it ends with its process however that ends."""

from __future__ import annotations

import sys

__all__ = ["lock_file"]


def lock_file(handle: int, *, wait: bool = False) -> None:
    """Lock a file for this handle: wait for whoever has it, or raise OSError at once.

    BlockingIOError or PermissionError say that somebody else has it, any other OSError that the file system
    has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

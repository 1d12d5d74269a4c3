"""A folder beside a file that is being made, for what does not fit into memory on the way.

It is removed when the work ends, well or not. A process that is killed removes nothing: so whoever works on
a folder holds a lock in it, which ends with the process, and the next one who makes the same file removes
folders whose lock nobody holds.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zerokelvin.file_lock import lock_file
from zerokelvin.io.files import STALE_SECONDS

__all__ = ["making_folder"]

LOCK = "lock"


@contextmanager
def making_folder(final: Path) -> Iterator[Path]:
    """A folder ``.NAME.….making`` beside the file, while the block lasts."""
    _remove_orphans(final)
    folder = final.with_name(f".{final.name}.{secrets.token_hex(4)}.making")
    folder.mkdir(mode=0o700)
    try:
        with (folder / LOCK).open("wb") as lock:
            with suppress(OSError):  # a file system that has no locks: age tells there
                lock_file(lock.fileno())
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_orphans(final: Path) -> None:
    """Remove folders of this file whose makers are gone; whatever is in doubt stays."""
    ours = re.compile(rf"\.{re.escape(final.name)}\.[0-9a-f]{{8}}\.making")
    with suppress(OSError), os.scandir(final.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_orphaned(Path(entry.path))


def _remove_if_orphaned(folder: Path) -> None:
    """Remove a folder if its lock is free, or where that cannot be asked, if it is old."""
    try:
        with (folder / LOCK).open("r+b") as lock:
            lock_file(lock.fileno())
            shutil.rmtree(folder, ignore_errors=True)
    except (BlockingIOError, PermissionError):
        return
    except OSError:  # no lock yet, or a file system without any
        if time.time() - folder.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)

"""A folder for files that exist for a moment, on the way between bytes and what reads files.

It lies where the system keeps temporary files (``TMPDIR``), which may be another disk than that of the data,
and may be full when that is not.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zerokelvin.service.store import StoreError, StoreFull

__all__ = ["passing_folder"]

FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def passing_folder() -> Iterator[Path]:
    """A folder that is gone afterwards; what the system says of it is an error of the store.

    >>> with passing_folder() as folder:
    ...     count = (folder / "note").write_bytes(b"for a moment")
    >>> folder.exists()
    False
    """
    try:
        with tempfile.TemporaryDirectory(prefix="zerokelvin-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as problem:
        said = f"temporary files cannot be written ({problem.strerror or problem}); make room where they lie"
        kind = StoreFull if problem.errno in FULL else StoreError
        raise kind(f"{said}, or start the service with TMPDIR set to another folder.") from problem

"""The lock on a data folder: one process at a time; the system frees it when the process ends, however."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from zerokelvin.file_lock import lock_file
from zerokelvin.service.store.store_errors import StoreInUse, StoreUnavailable

__all__ = ["FolderLock"]


class FolderLock:
    """Holds a folder from its making until `release`; `StoreInUse` if somebody else does."""

    def __init__(self, folder: Path) -> None:
        path = folder / "lock"
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as problem:
            raise StoreUnavailable(
                f"'{path}' cannot be written ({problem.strerror}); let the user that runs the service "
                "write to its folder, or name another one."
            ) from None
        try:
            lock_file(self._handle)
        except OSError:
            holder = (
                os.pread(self._handle, 40, 0).decode(errors="replace").strip() if hasattr(os, "pread") else ""
            )
            os.close(self._handle)
            raise StoreInUse(
                f"'{folder}' is in use by another zerokelvin{f' ({holder})' if holder else ''}; "
                "stop that one, or name another folder."
            ) from None
        with contextlib.suppress(OSError):  # a full disk: the name of the holder is only a courtesy
            os.ftruncate(self._handle, 0)
            os.write(self._handle, f"process {os.getpid()}\n".encode())

    def release(self) -> None:
        """Give the folder up; may be called twice."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

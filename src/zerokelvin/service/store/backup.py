"""Backups: a data folder that a service can be started from, made while another uses the first.

SQLite's own backup gives each file as it stood at one moment, with everything that was acknowledged before.
Snapshots are copied before the log, so that none is of events that the copied log does not have.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.service.store.sqlite_connection import naming_errors
from zerokelvin.service.store.store_errors import StoreError

__all__ = ["backup_folder", "new_folder", "sync_folder"]


def backup_folder(folder: Path, to: Path) -> None:
    """Copy a data folder, also one that another process is using, to a place where nothing is yet."""
    if not (folder / "service.sqlite").is_file():
        raise DataError(
            f"'{folder}' is no data folder of a service; name the one given to 'zerokelvin serve'."
        )
    with new_folder(to) as draft:
        projects = draft / "projects"
        projects.mkdir()
        for project in sorted(path for path in (folder / "projects").iterdir() if path.name[0] != "."):
            _copy_project(project, projects / project.name)
        _copy_database(folder / "service.sqlite", draft / "service.sqlite")
        sync_folder(projects)


def _copy_project(project: Path, to: Path) -> None:
    (to / "snapshots").mkdir(parents=True)
    for snapshot in sorted((project / "snapshots").glob("*.zks")):
        with contextlib.suppress(FileNotFoundError):  # replaced by newer ones meanwhile
            _copy_file(snapshot, to / "snapshots" / snapshot.name)
    _copy_file(project / "graph", to / "graph")
    _copy_database(project / "log.sqlite", to / "log.sqlite")
    sync_folder(to / "snapshots")
    sync_folder(to)


def _copy_file(path: Path, to: Path) -> None:
    shutil.copyfile(path, to)
    _sync(to)


def _copy_database(path: Path, to: Path) -> None:
    with naming_errors(path):
        if not path.is_file():
            raise StoreError(f"there is no file '{path}'; the folder is not complete.")
        with (
            contextlib.closing(sqlite3.connect(path)) as source,
            contextlib.closing(sqlite3.connect(to)) as target,
        ):
            source.execute("PRAGMA busy_timeout = 10000")
            source.backup(target)
    _sync(to)


@contextlib.contextmanager
def new_folder(to: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `to` when the block ends well."""
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise DataError(f"'{to}' is there already; name a new folder for the backup.")
    if not to.absolute().parent.is_dir():
        raise DataError(f"there is no folder '{to.absolute().parent}' for the backup; create it first.")
    draft = to.with_name(f".{to.name}.{secrets.token_hex(4)}.part")
    with naming_errors(to):
        try:
            draft.mkdir()
            yield draft
            sync_folder(draft)
            if to.exists():
                to.rmdir()
            draft.rename(to)
            sync_folder(to.absolute().parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Have what was made or renamed in a folder on the disk."""
    if os.name != "nt":  # folders cannot be opened there
        _sync(folder)

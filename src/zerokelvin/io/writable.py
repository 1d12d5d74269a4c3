"""Whether results can be written where they are wanted, found out before any work is put into them.

The only proof is to write: a draft is made and deleted, in the folder itself or, where it is still to be
made, in the nearest one above it that exists. So a missing permission, a read-only disk, a name that is too
long and a place that holds something else are all refused in time.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.io.files import PathLike

__all__ = ["writable_file", "writable_folder"]


def writable_file(path: PathLike) -> Path:
    """The path, if a file can be written there or replaced.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writable_file(f"{folder}/new.png").name
    'new.png'
    """
    final = Path(path)
    try:
        if final.is_dir():
            raise DataError(f"'{final}' is a folder; name a file in it.")
        if not final.parent.is_dir():
            raise DataError(f"there is no folder '{final.parent}' for '{final.name}'; create it first.")
        _try_draft(final)
    except OSError as problem:
        raise _refusal(final, problem) from None
    return final


def writable_folder(path: PathLike, *names: str) -> Path:
    """The path, if it is a folder, or can be made one, in which files of these names can be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writable_folder(f"{folder}/new/results", "table.json").name
    'results'
    """
    folder = Path(path)
    if not str(path):
        raise DataError("the folder for the results has no name; give one, or '.' for this folder.")
    try:
        place = next(place for place in (folder, *folder.parents) if place.exists() or place.is_symlink())
        if not place.is_dir():
            raise DataError(f"'{folder}' is a file, or lies below one; name a folder for the results.")
        for part in folder.parts[len(place.parts) :]:
            _try_draft(place / part)
        for name in names or ("result",):
            if (folder / name).is_dir():
                raise DataError(f"'{folder / name}' is a folder, where a file is to go; move it away.")
            _try_draft(place / name)
    except OSError as problem:
        raise _refusal(folder, problem) from None
    return folder


def _try_draft(final: Path) -> None:
    """Create and delete a file beside `final`, to see whether that can be written."""
    draft = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
    try:
        draft.touch(exist_ok=False)
    finally:
        draft.unlink(missing_ok=True)


def _refusal(path: Path, problem: OSError) -> DataError:
    """The error for a place that cannot be written to."""
    reason = (problem.strerror or str(problem)).lower()
    return DataError(f"'{path}' cannot be written: {reason}; name another place.")

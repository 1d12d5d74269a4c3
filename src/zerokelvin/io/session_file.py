"""The session file: a zip of plain arrays and one JSON header, never a pickle.

Layout, version 1 (a NumPy ``.npz`` under another name):

========== ===================================================================================
member     content
========== ===================================================================================
header     UTF-8 JSON as bytes: ``format`` ("zerokelvin session"), ``version``, and what the
           session wrote: graph hash, learner, parameters, classes, policy, budget, seed, and how many
           events came before the graph last grew
events     int64 (events, 3): kind (0 learn, 1 skip), node index, class code (−1 for a skip)
outcomes   int64 (events, 3): class predicted (−1 for none), asked for, overruled by the class prior
state/...  the arrays of each problem's state, so that loading need not replay; may be absent
========== ===================================================================================

Writing is atomic: the file is complete or the old one is still there.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import SessionError
from zerokelvin.io.files import replacing

__all__ = ["read_session", "write_session"]

FORMAT = "zerokelvin session"
VERSION = 1


def write_session(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write header and arrays to `path` in one step."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **header}, allow_nan=False)
    members: dict[str, Any] = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, **members)
        file.flush()
        os.fsync(file.fileno())


def read_session(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read back what `write_session` wrote, checking format and version."""
    try:
        with Path(path).open("rb") as handle, np.load(handle, allow_pickle=False) as file:
            members = {name: file[name] for name in file.files}
        header = json.loads(members.pop("header").tobytes().decode())
    except FileNotFoundError:
        raise SessionError(f"no session file at '{path}'.") from None
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile):
        raise SessionError(f"'{path}' is not a session file, or is damaged.") from None
    if header.get("format") != FORMAT:
        raise SessionError(f"'{path}' is not a zerokelvin session.")
    if header.get("version") != VERSION:
        raise SessionError(
            f"'{path}' has session format {header.get('version')}, this zerokelvin reads {VERSION}; "
            "load it with the version that wrote it."
        )
    return header, members

"""Snapshots as files: one line of JSON, then the data; written in one step, the two newest kept.

A snapshot is used only if its data have the digest that the line says and the chain that the line says is
the one of the log at that event. So a damaged one, one of another project and one that is newer than the log
(from another backup) are told apart, and refused; the log has everything, it only takes longer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

from zerokelvin.io.files import write_bytes
from zerokelvin.service.store.log import Kept

__all__ = ["newest_sound", "packed", "refusal", "unpacked", "write_snapshot"]

FORMAT = "zerokelvin snapshot"
VERSION = 1
MOST = 2
"""How many are kept: the newest, and one more in case that is damaged."""

logger = logging.getLogger("zerokelvin.store")


def packed(snapshot: Kept) -> bytes:
    """The content of a snapshot file: its header with the hash, then the data."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "events": snapshot.events,
        "chain": snapshot.chain.hex(),
        "sha256": snapshot.digest.hex(),
    }
    return json.dumps(head).encode() + b"\n" + snapshot.data


def unpacked(content: bytes) -> Kept:
    """The snapshot in a file; ValueError says what is wrong with it."""
    head, _, data = content.partition(b"\n")
    try:
        said = json.loads(head)
        if said["format"] != FORMAT:
            raise ValueError("it is no snapshot")
        if said["version"] != VERSION:
            raise ValueError(f"its version is {said['version']!r}, and {VERSION} is known here")
        events, chain, digest = (
            int(said["events"]),
            *(bytes.fromhex(said[key]) for key in ("chain", "sha256")),
        )
    except (TypeError, KeyError, UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError("its first line is damaged") from None
    return Kept(events, chain, digest, data)


def refusal(snapshot: Kept, chain: Callable[[int], bytes | None]) -> str | None:
    """Why a snapshot cannot be used with a log whose link of event k is chain(k), None behind its end."""
    if not snapshot.sound:
        return "its data are not what was written"
    if snapshot.chain != chain(snapshot.events):
        return f"it does not belong to this log (at event {snapshot.events})"
    return None


def write_snapshot(folder: Path, snapshot: Kept) -> None:
    """Write a snapshot into a folder, durably and in one step, and remove all but the two newest."""
    folder.mkdir(exist_ok=True)
    write_bytes(folder / f"{snapshot.events:012d}.zks", packed(snapshot))
    for old in _newest_first(folder)[MOST:]:
        old.unlink(missing_ok=True)


def newest_sound(folder: Path, chain: Callable[[int], bytes | None]) -> Kept | None:
    """The newest snapshot that can be used with the log; a warning for each newer one that cannot."""
    for path in _newest_first(folder):
        try:
            snapshot = unpacked(path.read_bytes())
            why = refusal(snapshot, chain)
        except FileNotFoundError:  # replaced by newer ones meanwhile
            continue
        except (ValueError, OSError) as problem:
            why = str(problem)
        if why is None:
            return snapshot
        logger.warning("snapshot '%s' is not used: %s; more of the log is replayed instead.", path, why)
    return None


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.zks"), reverse=True) if folder.is_dir() else []

"""Fetch the public citation networks once and keep them in the user's cache as npz files.

The archives are the text files of the LINQS group (Sen et al., "Collective classification in network
data", AI Magazine 29(3), 2008; Namata et al., "Query-driven active surveying for collective
classification", MLG 2012). They are read in memory, never unpacked to disk. The SHA-256 of the
archive and of the npz made from it are written beside it and checked whenever it is loaded again.

``ZEROKELVIN_DATASETS_URL`` replaces the address of the folder from which archives are fetched.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerokelvin.errors import DataError
from zerokelvin.io.datasets.linqs import citation_arrays, pubmed_arrays
from zerokelvin.io.files import read_bytes, write_bytes
from zerokelvin.io.formats.npz import write_arrays
from zerokelvin.io.limits import DEFAULT

__all__ = ["ARCHIVES", "Archive", "Progress", "download", "verify"]

Progress = Callable[[int, int | None], None]

_CHUNK = 1 << 16
_TIMEOUT = 30.0


@dataclass(frozen=True)
class Archive:
    """Where an archive is, how its files become arrays, and its SHA-256 where that is known."""

    url: str
    parse: Callable[[bytes], dict[str, Any]]
    sha256: str | None = None


ARCHIVES: dict[str, Archive] = {
    "cora": Archive("https://linqs-data.soe.ucsc.edu/public/lbc/cora.tgz", citation_arrays),
    "citeseer": Archive("https://linqs-data.soe.ucsc.edu/public/lbc/citeseer.tgz", citation_arrays),
    "pubmed": Archive("https://linqs-data.soe.ucsc.edu/public/Pubmed-Diabetes.tgz", pubmed_arrays),
}


def download(name: str, folder: Path, progress: Progress | None = None) -> Path:
    """Fetch a data set into `folder` and return the npz file made from it."""
    archive = ARCHIVES[name]
    url = _address(archive.url)
    data = _fetch(url, progress)
    digest = hashlib.sha256(data).hexdigest()
    path = folder / f"{name}.npz"
    expected = archive.sha256 or _record(path).get("archive_sha256")
    if expected is not None and digest != expected:
        raise DataError(
            f"'{url}' has SHA-256 {digest}, not {expected} as before; if the change is meant, delete "
            f"'{_record_path(path)}'."
        )
    arrays = archive.parse(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise DataError(f"the cache folder '{folder}' cannot be made: {problem.strerror}.") from None
    write_arrays(path, arrays)
    record = {"url": url, "archive_sha256": digest, "npz_sha256": _digest(path)}
    write_bytes(_record_path(path), json.dumps(record, indent=1).encode())
    return path


def verify(path: Path) -> None:
    """Refuse a downloaded file that is no longer what was recorded; other files pass."""
    expected = _record(path).get("npz_sha256")
    if expected is not None and _digest(path) != expected:
        raise DataError(
            f"'{path}' has changed since its download (another SHA-256); delete it to download it again."
        )


def _address(url: str) -> str:
    """The address to download from: the given one, or its file at ZEROKELVIN_DATASETS_URL."""
    base = os.environ.get("ZEROKELVIN_DATASETS_URL")
    if base:
        url = base.rstrip("/") + "/" + url.rsplit("/", 1)[-1]
    if not url.startswith(("http://", "https://")):
        raise DataError(
            f"'{url}' is no web address; ZEROKELVIN_DATASETS_URL must begin with https:// or http://."
        )
    return url


def _fetch(url: str, progress: Progress | None) -> bytes:
    """The bytes at an address; `progress` is told how many have come, and of how many."""
    parts: list[bytes] = []
    received = 0
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as reply:  # noqa: S310 - http(s) only, see _address
            length = reply.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            while chunk := reply.read(_CHUNK):
                parts.append(chunk)
                received += len(chunk)
                DEFAULT.check("bytes", received, url)
                if progress is not None:
                    progress(received, total)
    except urllib.error.HTTPError as problem:
        problem.close()
        raise DataError(f"'{url}' cannot be downloaded: the server answered {problem.code}.") from None
    except (OSError, http.client.HTTPException) as problem:
        reason = getattr(problem, "reason", None) or problem
        raise DataError(
            f"'{url}' cannot be downloaded: {reason}; check the connection, or put the npz file into "
            "the folder named by ZEROKELVIN_DATA."
        ) from None
    if total is not None and received < total:
        raise DataError(f"'{url}' broke off after {received} of {total} bytes; try again.")
    return b"".join(parts)


def _record_path(path: Path) -> Path:
    """Where the record of a downloaded file lies."""
    return path.with_suffix(".download.json")


def _record(path: Path) -> dict[str, str]:
    """What was recorded of a downloaded file; empty where it was not downloaded."""
    record = _record_path(path)
    if not record.is_file():
        return {}
    try:
        content = json.loads(read_bytes(record))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise DataError(f"'{record}' is damaged; delete it and '{path.name}' to download again.")
    return {str(key): str(value) for key, value in content.items()}


def _digest(path: Path) -> str:
    """The SHA-256 of a file, as hexadecimal digits."""
    return hashlib.sha256(read_bytes(path)).hexdigest()

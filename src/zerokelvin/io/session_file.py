"""The session file: a zip of plain arrays and one JSON header, never a pickle.

A NumPy ``.npz`` under another name. The member ``header`` is UTF-8 JSON as bytes with ``format`` ("zerokelvin
session"), ``version``, since version 2 ``sha256``, and what the session wrote; the other members are arrays
of numbers (docs/reference/session-file.md says which). ``sha256`` is the hash of everything else in the file:
the header without it, and the name, type, shape and bytes of every array.

Reading allocates nothing that the file only claims: what a member says of its size must be what its first
bytes say of its type and shape, and no more than compression can make of the bytes that are there. Arrays are
inflated for the hash and kept until they are asked for, but for large ones that are much larger than they are
in the file: these are hashed piece by piece, and inflated again when asked for. Whatever is wrong
with a file, it is one `SessionError`.

Writing is atomic: the file is complete or the old one is still there.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import SessionError
from zerokelvin.io.files import replacing

__all__ = ["WITH_MORE", "SessionFile", "read_session", "sound", "write_session"]

FORMAT = "zerokelvin session"
VERSIONS = (1, 2, 3)
PLAIN, WITH_MORE = 2, 3
"""The version that is written, and the one of a session with growths to go over again or random checks."""

RATIO = 1100
"""Deflate makes at most 1032 bytes of one (RFC 1951: 258 bytes from two bits)."""

MOST_HEADER = 1 << 26

DENSE, ROOM, CHUNK = 4, 1 << 26, 1 << 20
"""Arrays of at most so many times their size in the file are kept when they are inflated; of the others so
many bytes in all, the rest is read in pieces of the last size."""

SAMPLE, WORTHWHILE = 1 << 14, 0.6
"""Bytes of an array that are compressed to see whether it shrinks, and to which share it must."""


DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    EOFError,
    NotImplementedError,  # a compression that zipfile does not know
    RuntimeError,  # an encrypted member; JSON nested too deep
)

NPY = re.compile(
    rb"\x93NUMPY\x01\x00(?s:..)\{'descr': '([<>|][biuf][0-9]{1,2})', "
    rb"'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \} *\n"
)


@contextmanager
def sound(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong in the block into the one error of a damaged file."""
    try:
        yield
    except SessionError:
        raise
    except DAMAGE:
        raise SessionError(f"'{path}' is not a session file, or is damaged.") from None
    except MemoryError:
        raise SessionError(f"'{path}' needs more memory than there is, or is damaged.") from None


class SessionFile:
    """A session file whose members are what they claim to be; `array` inflates one of them."""

    def __init__(self, path: str | os.PathLike[str], data: bytes) -> None:
        self.path = path
        self._zip = zipfile.ZipFile(BytesIO(data))
        infos = self._zip.infolist()
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        claimed = sum(info.file_size for info in infos)
        if len(self._infos) != len(infos) or claimed > RATIO * len(data):
            self.refuse()
        for info in infos:
            if info.file_size > RATIO * info.compress_size + RATIO or not info.filename.endswith(".npy"):
                self.refuse()
        self._inflated: dict[str, bytes] = {}
        self.shapes = {name: self._shape(name) for name in self._infos}
        self.header = self._read_header()
        self.shapes.pop("header")

    @property
    def version(self) -> int:
        """The version of the format that the file has."""
        return int(self.header["version"])

    def array(self, name: str) -> NDArray[Any]:
        """The array of the member with this name, in native byte order; to be asked for once."""
        with sound(self.path):
            data = self._inflated.pop(name, None)
            member = BytesIO(self._zip.read(self._infos[name]) if data is None else data)
            dtype, shape, order = _npy_header(member)
            content = np.frombuffer(member.getbuffer()[member.tell() :], dtype=dtype)
            return content.reshape(shape, order=order).astype(dtype.newbyteorder("="))

    def digest(self) -> str:
        """The hash of everything in the file but the hash; what is inflated for it is kept, within limits."""
        header = {name: value for name, value in self.header.items() if name != "sha256"}
        found, room = hashlib.sha256(_canonical(header)), ROOM
        for name in sorted(self.shapes):
            found.update(_title(name, *self.shapes[name]))
            info = self._infos[name]
            dense = info.file_size <= DENSE * info.compress_size
            room -= 0 if dense else info.file_size
            if dense or room >= 0:
                data = self._inflated[name] = self._zip.read(info)
                found.update(memoryview(data)[_npy_length(data) :])
                continue
            with self._zip.open(info) as member:
                _npy_header(member)
                while part := member.read(CHUNK):
                    found.update(part)
        return found.hexdigest()

    def refuse(self) -> NoReturn:
        """Raise the one error of a damaged file."""
        raise SessionError(f"'{self.path}' is not a session file, or is damaged.")

    def _shape(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Type and shape of a member, by its first bytes."""
        info = self._infos[name]
        with self._zip.open(info) as member:
            dtype, shape, _ = _npy_header(member)
            if member.tell() + math.prod(shape) * dtype.itemsize != info.file_size:
                self.refuse()
        return dtype, shape

    def _read_header(self) -> dict[str, Any]:
        """The header, refused where it is too large, no session's, or of an unknown version."""
        dtype, shape = self.shapes["header"]
        if dtype != np.uint8 or len(shape) != 1 or shape[0] > MOST_HEADER:
            self.refuse()
        header = json.loads(self.array("header").tobytes().decode(), parse_constant=_no_constant)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise SessionError(f"'{self.path}' is not a zerokelvin session.")
        if type(header.get("version")) is not int or header["version"] not in VERSIONS:
            raise SessionError(
                f"'{self.path}' has session format {header.get('version')!r:.40}, this zerokelvin reads up "
                f"to {VERSIONS[-1]}; load it with the version that wrote it."
            )
        return header


def write_session(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write header and arrays to `path` in one step; the version is `PLAIN` unless the header has another."""
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    full = {"format": FORMAT, "version": PLAIN, **header}
    found = hashlib.sha256(_canonical(full))
    for name in sorted(plain):
        found.update(_title(name, plain[name].dtype, plain[name].shape))
        found.update(plain[name].tobytes())
    text = json.dumps({**full, "sha256": found.hexdigest()}, allow_nan=False)
    members: dict[str, Any] = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **plain}
    with replacing(path) as draft, zipfile.ZipFile(draft, "w") as archive:
        for name, array in members.items():
            info = zipfile.ZipInfo(f"{name}.npy")
            info.compress_type = zipfile.ZIP_DEFLATED if _shrinks(array) else zipfile.ZIP_STORED
            content = BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(info, content.getbuffer())


def read_session(path: str | os.PathLike[str]) -> SessionFile:
    """Open what `write_session` wrote, its format, version, sizes and hash checked."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise SessionError(f"no session file at '{path}'.") from None
    except OSError as problem:
        raise SessionError(f"'{path}' cannot be read: {problem.strerror}.") from None
    with sound(path):
        file = SessionFile(path, data)
        if file.version > 1 and file.header.get("sha256") != file.digest():
            file.refuse()
        return file


def _shrinks(array: NDArray[Any]) -> bool:
    """Whether compression is worth its time, by a piece from the middle: means of a field hardly shrink."""
    flat = array.reshape(-1)
    piece = SAMPLE // array.itemsize
    begin = max(0, (flat.size - piece) // 2)
    sample = flat[begin : begin + piece].tobytes()
    return len(zlib.compress(sample, 1)) < WORTHWHILE * len(sample)


def _npy_length(data: bytes) -> int:
    """How many bytes stand before the numbers of an array, as `_npy_header` reads them."""
    return 10 + int.from_bytes(data[8:10], "little")


def _npy_header(member: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...], Any]:
    """Type, shape and order of an array, as `numpy.save` writes them; nothing is evaluated."""
    start = member.read(10)
    length = int.from_bytes(start[8:], "little")
    found = NPY.fullmatch(start + member.read(length))
    if found is None or found.end() != 10 + length:
        raise ValueError("no array of numbers")
    shape = tuple(int(size) for size in found[3].decode().split(",") if size.strip())
    return np.dtype(found[1].decode()), shape, "F" if found[2] == b"True" else "C"


def _title(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Name, type and shape of an array, as they enter the hash."""
    return f"\0{name}\0{dtype.str}\0{','.join(map(str, shape))}\0".encode()


def _canonical(header: Mapping[str, Any]) -> bytes:
    """The header as bytes that do not depend on the order of its entries."""
    return json.dumps(header, sort_keys=True, allow_nan=False).encode()


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and infinities, which JSON does not have."""
    raise ValueError(name)

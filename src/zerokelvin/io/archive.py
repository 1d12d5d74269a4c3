"""The arrays of an npz file, every declared size checked before anything is allocated.

An npz file is a zip of npy members. The zip directory declares how large each becomes, the npy header its
type and shape; both can lie. A member is inflated to at most what the directory says, all together to at
most the limit, and an array must take exactly the bytes its member has. Pickled objects are refused.
"""

from __future__ import annotations

import lzma
import math
import re
import struct
import zipfile
import zlib
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError
from zerokelvin.io.files import PathLike
from zerokelvin.io.limits import DEFAULT, Limits, read_limited

__all__ = ["Arrays", "read_arrays"]

Arrays = dict[str, NDArray[Any]]

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    LookupError,
    ValueError,
    EOFError,
    OSError,
    TypeError,
    RuntimeError,  # an encrypted archive, or one of an unknown version
    MemoryError,
)
_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(
    r"\{'descr': '([<>|=]?[a-zA-Z][0-9]{0,9}(?:\[[0-9a-z]{1,8}\])?)', 'fortran_order': (True|False), "
    r"'shape': \(((?:[0-9]{1,18}L?(?:, ?|(?=\))))*)\), \} *\n?"
)


class _PickledError(Exception):
    """A member of an npz file holds pickled Python objects, which are never loaded."""


def read_arrays(path: PathLike, limits: Limits = DEFAULT) -> Arrays:
    """Every array of an npz file; pickled objects are refused."""
    data = read_limited(path, limits)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = {info.filename: info for info in archive.infolist()}
            limits.check("bytes", sum(info.file_size for info in members.values()), path)
            return {
                name.removesuffix(".npy"): _array(archive.read(info))
                for name, info in members.items()
                if name.endswith(".npy")
            }
    except DataError:
        raise
    except _PickledError:
        raise DataError(
            f"'{path}' holds pickled objects, which are never loaded; save plain arrays."
        ) from None
    except _DAMAGE:
        raise DataError(f"'{path}' is not a complete npz file; write or download it again.") from None


def _array(data: bytes) -> NDArray[Any]:
    """The array of one npy member, writable."""
    if data[:6] != _MAGIC or len(data) < 12:
        raise ValueError
    start, length = (10, int.from_bytes(data[8:10], "little"))
    if data[6] > 1:
        start, length = (12, int.from_bytes(data[8:12], "little"))
    text = data[start : start + length].decode("latin-1")
    if "'|O'" in text or "'O'" in text:
        raise _PickledError
    header = _HEADER.fullmatch(text)
    if header is None:
        raise ValueError
    kind = np.dtype(header[1])
    if kind.hasobject:
        raise _PickledError
    shape = tuple(int(size.rstrip("L")) for size in re.findall(r"[0-9]+L?", header[3]))
    count = math.prod(shape)
    if count * kind.itemsize != len(data) - start - length or (kind.itemsize == 0 and count):
        raise ValueError
    flat = np.frombuffer(data, dtype=kind, offset=start + length).copy() if count else np.empty(0, dtype=kind)
    return flat.reshape(shape, order="F" if header[2] == "True" else "C")

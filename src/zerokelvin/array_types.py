"""The arrays that signatures speak of, by the kind of their entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Bytes", "Floats", "Ints", "Shorts", "index_kind"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.int8]
Shorts = NDArray[np.int32] | NDArray[np.int64]


def index_kind(most: int) -> type[np.int32 | np.int64]:
    """The smaller of the kinds of integers that counts up to `most`, for arrays that wait for memory.

    >>> index_kind(10).__name__, index_kind(2**40).__name__
    ('int32', 'int64')
    """
    return np.int32 if most <= np.iinfo(np.int32).max else np.int64

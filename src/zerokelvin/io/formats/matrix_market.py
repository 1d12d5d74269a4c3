"""Graphs as Matrix Market files: the symmetric weight matrix, isolated nodes included, names not.

Written as ``coordinate … symmetric`` (the lower triangle), ``pattern`` where every weight is 1. Read
from any real, integer or pattern file whose matrix is square and symmetric, however it is stored.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.io
import scipy.sparse as sp

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.files import write_bytes
from zerokelvin.io.limits import DEFAULT, Limits, read_limited, short

__all__ = ["read_matrix_market", "write_matrix_market"]

_SIZES = re.compile(rb"(?m)^[ \t]*+(?![%\s])([^\n]*+)")  # the first line that is no comment


def read_matrix_market(path: Path, limits: Limits = DEFAULT) -> Graph:
    """Read a graph from a Matrix Market file."""
    data = read_limited(path, limits)
    # scipy's parser runs past the end of its buffer at a null byte or a last line without line break
    if b"\0" in data:
        raise DataError(f"'{path}' cannot be read as Matrix Market: it holds binary data.")
    if data[:14].lower() != b"%%matrixmarket":
        raise DataError(f"'{path}' cannot be read as Matrix Market: it does not begin with %%MatrixMarket.")
    _check_size(data, path, limits)
    try:
        matrix = scipy.io.mmread(BytesIO(data + b"\n"), spmatrix=False)
    except (ValueError, OverflowError, MemoryError, OSError) as problem:
        reason = short(str(problem) or type(problem).__name__, 120).rstrip(".")
        raise DataError(f"'{path}' cannot be read as Matrix Market: {reason}.") from None
    if matrix.dtype.kind == "c":
        raise DataError(f"'{path}' holds complex numbers; weights must be real.")
    entries = sp.coo_array(matrix)
    bad = np.flatnonzero(~np.isfinite(entries.data))
    if len(bad):
        i, j = (int(axis[bad[0]]) + 1 for axis in entries.coords)
        raise GraphError(
            f"entry ({i}, {j}) of '{path}' has weight {entries.data[bad[0]]}; weights must be finite numbers."
        )
    try:
        return Graph.from_scipy(entries)
    except GraphError as problem:
        raise GraphError(f"'{path}': {problem}") from None


def _check_size(data: bytes, path: Path, limits: Limits) -> None:
    """Refuse a file whose header declares more nodes than allowed or more entries than it has room for."""
    sizes = _SIZES.search(data)
    if sizes is None:
        raise DataError(f"'{path}' cannot be read as Matrix Market: no line gives the size of the matrix.")
    numbers = [int(number) if number.isdigit() else -1 for number in sizes[1][:60].split()]
    if len(numbers) not in (2, 3) or min(numbers) < 0:
        raise DataError(
            f"'{path}' cannot be read as Matrix Market: {short(sizes[1][:60].decode('latin-1'))!r} is "
            "no size."
        )
    limits.check("nodes", max(numbers[:2]), path)
    if numbers[0] != numbers[1]:
        raise GraphError(f"'{path}': the adjacency matrix has shape {tuple(numbers[:2])}; it must be square.")
    # a line per entry: "1 1" at least for a coordinate, "1" for an array, of which half may be left out
    least = 4 * numbers[2] if len(numbers) == 3 else numbers[0] * (numbers[0] - 1)
    if least > len(data) + 4:
        raise DataError(f"'{path}' declares more entries than it has lines; write or download it again.")


def write_matrix_market(graph: Graph, path: Path) -> None:
    """Write the weight matrix of a graph; node names are left out."""
    field: Literal["real", "pattern"] = "real" if (graph.edge_weights != 1.0).any() else "pattern"
    buffer = BytesIO()
    scipy.io.mmwrite(buffer, graph.adjacency.tocoo(), field=field, symmetry="symmetric")
    write_bytes(path, buffer.getvalue())

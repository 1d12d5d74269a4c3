"""Graphs as Matrix Market files: the symmetric weight matrix, isolated nodes included, names not.

Written as ``coordinate … symmetric`` (the lower triangle), ``pattern`` where every weight is 1. Read
from any real, integer or pattern file whose matrix is square and symmetric, however it is stored.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.io
import scipy.sparse as sp

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.files import read_bytes, write_bytes

__all__ = ["read_matrix_market", "write_matrix_market"]


def read_matrix_market(path: Path) -> Graph:
    """Read a graph from a Matrix Market file."""
    data = read_bytes(path)
    # scipy's parser runs past the end of its buffer at a null byte or a last line without line break
    if b"\0" in data:
        raise DataError(f"'{path}' cannot be read as Matrix Market: it holds binary data.")
    try:
        matrix = scipy.io.mmread(BytesIO(data + b"\n"), spmatrix=False)
    except (ValueError, OverflowError, MemoryError, OSError) as problem:
        reason = str(problem).splitlines()[0].rstrip(".") if str(problem) else type(problem).__name__
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


def write_matrix_market(graph: Graph, path: Path) -> None:
    """Write the weight matrix of a graph; node names are left out."""
    field: Literal["real", "pattern"] = "real" if (graph.edge_weights != 1.0).any() else "pattern"
    buffer = BytesIO()
    scipy.io.mmwrite(buffer, graph.adjacency.tocoo(), field=field, symmetry="symmetric")
    write_bytes(path, buffer.getvalue())

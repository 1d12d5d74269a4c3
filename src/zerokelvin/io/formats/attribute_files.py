"""Read what is known of nodes beside their edges: a table with a column ``node``, or an npz matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from zerokelvin.day_numbers import days_of_text
from zerokelvin.errors import DataError
from zerokelvin.io.files import PathLike, existing_file
from zerokelvin.io.formats.label_columns import NODE_WORDS
from zerokelvin.io.formats.npz import read_arrays
from zerokelvin.io.formats.parquet import read_columns
from zerokelvin.io.formats.text import is_number, open_text
from zerokelvin.io.limits import DEFAULT, Limits, short
from zerokelvin.io.read import format_of

__all__ = ["read_attributes", "typed_cells"]

NODE = "node"


def read_attributes(path: PathLike, *, limits: Limits = DEFAULT) -> Any:
    """The attributes in a file, as `Graph.with_attributes` takes them.

    Parameters
    ----------
    path
        csv, tsv, txt (plain or .gz) with a header, or parquet: a column ``node`` (or id, name) says whose
        row it is, every other column is an attribute; of text files a column holds numbers where every filled
        cell is one, or a date. Or an npz file with ``X``, or with ``indptr``, ``indices``, ``shape`` and,
        unless all are 1, ``data`` of a sparse matrix, rows in node order.
    limits
        How much the file may hold.
    """
    file = existing_file(path)
    kind = format_of(file)
    if kind == "npz":
        return _matrix(file, limits)
    if kind == "parquet":
        names, found = read_columns(file, lambda schema: list(range(len(schema))), limits)
        columns = {name: found[i].to_pylist() for i, name in enumerate(names)}
    elif kind in ("csv", "tsv", "txt"):
        table = open_text(file, kind=kind, limits=limits)
        names = [cell.strip() for cell in table.first[0]]
        if len(set(names)) != len(names):
            raise DataError(f"'{file}' has two columns of one name; rename one of them.")
        rows = table.read(dict.fromkeys(range(table.width), pa.string()), header=True)
        columns = {
            name: typed_cells(rows[str(i)].to_pylist(), dates=name.lower() not in NODE_WORDS)
            for i, name in enumerate(names)
        }
    else:
        raise DataError(f"attributes are read from csv, tsv, txt, parquet or npz, not from '{file}'.")
    return _with_owners(columns, file)


def typed_cells(cells: list[Any], dates: bool = True) -> list[Any]:
    """A column of text as numbers where every filled cell is one, or (if `dates`) a date of ISO 8601."""
    filled = [cell for cell in cells if cell]
    if filled and all(is_number(cell) for cell in filled):
        return [float(cell) if cell else None for cell in cells]
    if dates and filled and days_of_text(filled[0]) is not None:
        days = [days_of_text(cell) if cell else None for cell in cells]
        if all(day is not None for day, cell in zip(days, cells, strict=True) if cell):
            return days
    return cells


def _with_owners(columns: dict[str, list[Any]], file: PathLike) -> dict[str, list[Any]]:
    """The columns with the one that names nodes called ``node``."""
    owners = [name for name in columns if name.lower() in NODE_WORDS]
    if len(owners) != 1:
        listed = short(", ".join(columns))
        raise DataError(
            f"of the columns of '{file}' ({listed}) exactly one must say whose row it is: call it 'node'."
        )
    nodes = [
        int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in columns[owners[0]]
    ]
    return {NODE: nodes} | {name: cells for name, cells in columns.items() if name != owners[0]}


def _matrix(file: PathLike, limits: Limits) -> Any:
    arrays = read_arrays(file, limits)
    if "X" in arrays:
        return arrays["X"]
    if not {"indptr", "indices", "shape"} <= set(arrays):
        raise DataError(f"'{file}' holds no X, and no indptr, indices and shape of a sparse matrix.")
    indices, shape = arrays["indices"].astype(np.int64), arrays["shape"].tolist()
    data = arrays["data"] if "data" in arrays else np.ones(len(indices))
    try:
        found = sp.csr_array(
            (data, indices, arrays["indptr"].astype(np.int64)), shape=(int(shape[0]), int(shape[1]))
        )
        found.check_format()
    except (ValueError, IndexError) as problem:
        raise DataError(f"'{file}' holds no sparse matrix: {problem}.") from None
    return found

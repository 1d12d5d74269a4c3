"""Attributes as a request has them, from arrays, sparse matrices and frames of whatever package."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping
from typing import Any

from zerokelvin.day_numbers import plain_number

__all__ = ["attribute_source", "attribute_table"]

SOURCE = {"columns", "rows", "path", "content", "format"}


def attribute_source(given: Any) -> dict[str, Any]:
    """The attributes of a project to be made, as `AttributeSource` takes them.

    >>> attribute_source({"age": [31, float("nan")]}), attribute_source({"path": "accounts.csv"})
    ({'columns': {'age': [31, None]}}, {'path': 'accounts.csv'})
    """
    if isinstance(given, Mapping) and given and set(given) <= SOURCE and not _is_column(given):
        return dict(given)
    if hasattr(given, "tocsr"):  # a sparse matrix, in a file as `read_attributes` takes it
        import numpy as np

        found, file = given.tocsr(), io.BytesIO()
        np.savez_compressed(
            file, indptr=found.indptr, indices=found.indices, data=found.data, shape=np.array(found.shape)
        )
        return {"content": base64.b64encode(file.getvalue()).decode(), "format": "npz"}
    return attribute_table(given)


def attribute_table(given: Any) -> dict[str, Any]:
    """The attributes of some nodes, as `AttributeTable` takes them.

    >>> attribute_table([[1.0, float("nan")]])
    {'rows': [[1.0, None]]}
    """
    if isinstance(given, Mapping):
        return {"columns": {str(name): list(map(_cell, cells)) for name, cells in given.items()}}
    if hasattr(given, "to_pydict"):  # Arrow
        return attribute_table(given.to_pydict())
    if hasattr(given, "columns"):  # pandas, polars
        return attribute_table({name: given[name].to_list() for name in given.columns})
    rows = given.toarray() if hasattr(given, "toarray") else given
    rows = rows.tolist() if hasattr(rows, "tolist") else rows
    return {"rows": [list(map(_cell, row)) for row in rows]}


def _is_column(given: Mapping[str, Any]) -> bool:
    """Whether these are columns that happen to be called as a field is."""
    texts = ("path", "content", "format")
    return any(not isinstance(given[name], str) for name in texts if name in given) or (
        "columns" in given and not isinstance(given["columns"], Mapping)
    )


def _cell(value: Any) -> Any:
    """A cell as JSON has it: no NaN, no date, and no number of another package."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    known = plain_number(value)
    plain = known.item() if hasattr(known, "item") else known
    return None if isinstance(plain, float) and math.isnan(plain) else plain

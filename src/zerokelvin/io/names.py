"""Node names in files: which ones a format can hold, and which texts stand for integers.

A text file cannot tell the name ``17`` from the name ``"17"``. One rule serves all text formats: when
every name is an integer in its usual spelling (no sign but a minus, no leading zeros, at most 18
digits), the names are integers; otherwise every name is a string.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph

__all__ = ["INTEGER", "integers", "name_values", "parse_integer", "parse_names"]

_UNWRITABLE = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
INTEGER = r"^(?:0|-?[1-9][0-9]{0,17})$"


def integers(texts: Any) -> NDArray[np.int64] | None:
    """A pyarrow column of texts as integers, or None unless every one is spelt as `INTEGER` says.

    A spelling is never shorter than the usual one, so it is enough to compare the total lengths.

    >>> integers(pa.chunked_array([["3", "-10"]])).tolist(), integers(pa.chunked_array([["3", "01"]]))
    ([3, -10], None)
    """
    try:
        values: NDArray[np.int64] = pc.cast(texts, pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    if len(values) == 0 or values.min() <= -(10**18) or values.max() >= 10**18:
        return None
    size = np.abs(values)
    usual = len(values) + int(np.count_nonzero(values < 0))
    usual += sum(int(np.count_nonzero(size >= 10**k)) for k in range(1, len(str(size.max()))))
    return values if pc.sum(pc.binary_length(texts)).as_py() == usual else None


def parse_integer(text: str) -> int | None:
    """The integer a text spells, or None."""
    return int(text) if re.match(INTEGER, text) else None


def parse_names(texts: Sequence[str]) -> list[Hashable]:
    """Names read from a text format: all integers if all are spelt so, else the texts."""
    if all(re.match(INTEGER, text) for text in texts):
        return [int(text) for text in texts]
    return list(texts)


def name_values(graph: Graph, kind: str, *, clean: bool = False) -> NDArray[np.int64] | list[str]:
    """Every node's name as one integer array or one list of strings; other names are refused.

    Parameters
    ----------
    graph
        The graph whose nodes are to be written.
    kind
        The format, for the error message.
    clean
        Whether to refuse strings that a line of text cannot hold.
    """
    if graph.names is None:
        return np.arange(graph.num_nodes)
    names = graph.names
    whole = [
        int(name) for name in names if isinstance(name, (int, np.integer)) and not isinstance(name, bool)
    ]
    if len(whole) == len(names):
        if all(-(2**63) <= number < 2**63 for number in whole):
            return np.array(names, dtype=np.int64)
        raise GraphError(f"{kind} holds integers of 64 bits, and some node name is larger; use strings.")
    texts = [str(name) for name in names if isinstance(name, str)]
    if len(texts) != len(names):
        bad = next(name for name in names if not isinstance(name, str))
        raise GraphError(
            f"node name {bad!r} cannot be written to {kind}, which holds names that are all strings "
            "or all integers; rename the nodes first."
        )
    for text in texts if clean else ():
        if not text or text != text.strip() or _UNWRITABLE.search(text):
            raise GraphError(
                f"node name {text!r} cannot be written to {kind}: it is empty, or has blanks at its ends "
                "or control characters inside; rename the node or write npz."
            )
    return texts

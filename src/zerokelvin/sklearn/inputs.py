"""What a scikit-learn user hands over, brought to node indices, plain labels and a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.session.labels import class_array, is_unknown

__all__ = ["given_graph", "label_list", "node_indices", "positive", "seed_of"]


def given_graph(graph: Any) -> Graph:
    """The graph, refused if it is another library's."""
    if isinstance(graph, Graph):
        return graph
    kind = type(graph).__name__
    raise ParameterError(f"graph is a {kind}, not a zerokelvin Graph; convert it, as by Graph.from_networkx.")


def node_indices(graph: Graph, X: Any) -> NDArray[np.int64]:
    """Node indices of names given as a sequence, an array or a table with one column.

    >>> line = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> node_indices(line, [["c"], ["a"]]).tolist()
    [2, 0]
    """
    if not isinstance(X, (list, tuple)):
        array = np.asarray(X)
        if array.ndim != 1 and not (array.ndim == 2 and array.shape[1] == 1):
            raise NodeError(
                f"nodes have shape {array.shape}; give their names in one dimension or one column."
            )
        X = array.ravel().tolist()
    elif X and all(isinstance(row, list) and len(row) == 1 for row in X):
        X = [row[0] for row in X]
    return np.array([graph.index(_plain(name)) for name in X], dtype=np.int64)


def label_list(y: Any) -> list[Any]:
    """Labels as Python values, None where unknown, checked as scikit-learn checks targets.

    >>> label_list(["a", float("nan"), None, "b"])
    ['a', None, None, 'b']
    """
    if y is None:
        raise LabelError("GraphClassifier requires y to be passed, but the target y is None.")
    if isinstance(y, np.ma.MaskedArray):
        y = y.tolist()  # None where masked
    if isinstance(y, (list, tuple)):  # np.asarray would turn ["a", nan] into text
        values, y = y, np.empty(len(y), dtype=object)
        y[:] = [_plain(value) for value in values]
    labels = [None if is_unknown(label) else label for label in column_or_1d(y, warn=True).tolist()]
    known = class_array([label for label in labels if label is not None])
    if len(known) and known.dtype.kind in "iufUb":
        assert_all_finite(known, input_name="y")
        check_classification_targets(known)
    return labels


def positive(name: str, value: Any) -> int:
    """A parameter that counts something."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name}={value!r} is not a positive whole number.")
    return int(value)


def seed_of(random_state: Any) -> int:
    """An integer as it is; for anything else scikit-learn accepts, one draw from it."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

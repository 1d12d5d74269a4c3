"""What a scikit-learn user hands over, brought to node indices, plain labels and a seed."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.games.labels import class_array, is_unknown
from zerokelvin.graph import Domain, Graph
from zerokelvin.graph.features import Features

__all__ = [
    "given_graph",
    "is_unlabelled",
    "label_list",
    "node_indices",
    "positive",
    "require_classes",
    "seed_of",
]

MANY = 1_000_000
"""Repeats and neighbours beyond which nothing is gained."""

SEEDS = 2**62


def given_graph(graph: Any) -> Graph | Features:
    """The graph, refused if it is another library's."""
    if isinstance(graph, (Graph, Features)):
        return graph
    kind = type(graph).__name__
    raise ParameterError(f"graph is a {kind}, not a zerokelvin Graph; convert it, as by Graph.from_networkx.")


def node_indices(graph: Domain, X: Any) -> NDArray[np.int64]:
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
        plain = graph.names is None and array.dtype.kind in "iu" and array.size > 0
        if plain and 0 <= array.min() and array.max() < graph.num_nodes:
            return array.ravel().astype(np.int64)
        X = array.ravel().tolist()
    elif X and all(isinstance(row, list) and len(row) == 1 for row in X):
        X = [row[0] for row in X]
    return np.array([graph.index(_plain(name)) for name in X], dtype=np.int64)


def label_list(y: Any) -> list[Any]:
    """Labels as Python values, None where unknown, checked as scikit-learn checks targets.

    The number −1 means unlabelled, as in ``sklearn.semi_supervised``; so do None, NaN, NA and a mask.

    >>> label_list(["a", float("nan"), None, -1, "b", "-1"])
    ['a', None, None, None, 'b', '-1']
    """
    if y is None:
        raise LabelError("GraphClassifier requires y to be passed, but the target y is None.")
    if isinstance(y, np.ma.MaskedArray):
        y = y.tolist()  # None where masked
    if isinstance(y, (list, tuple)):  # np.asarray would turn ["a", nan] into text
        values, y = y, np.empty(len(y), dtype=object)
        y[:] = [_plain(value) for value in values]
    values = column_or_1d(y, warn=True).tolist()
    labels = [None if is_unknown(label) or is_unlabelled(label) else label for label in values]
    known = class_array([label for label in labels if label is not None])
    if len(known) and known.dtype.kind in "iufUb":
        assert_all_finite(known, input_name="y")
        check_classification_targets(known)
    return labels


def is_unlabelled(label: Any) -> bool:
    """Whether a label is scikit-learn's mark for none, the number −1."""
    return isinstance(label, (int, float, np.integer, np.floating)) and label == -1


def require_classes(y: Any, classes: Sequence[Hashable], *, more: bool) -> None:
    """Refuse labels −1 and +1, of which one class is left; say so where −1 leaves another one alone.

    `more` says that rows of other classes may follow.
    """
    if len(classes) != 1 or not _marked(y):
        return
    if classes[0] == 1 and not isinstance(classes[0], bool):
        raise LabelError(
            "labels are -1 and 1 only, and -1 means unlabelled here, as in sklearn.semi_supervised, so one "
            "class is left; for two classes give 0 and 1 or names, as by np.where(y > 0, 1, 0); for rows of "
            "class 1 among unlabelled ones give None or NaN, or announce all classes to partial_fit."
        )
    if not more:
        warnings.warn(
            f"only class {classes[0]!r} has labels, for -1 means unlabelled, as in sklearn.semi_supervised; "
            "if -1 is a class of yours, give it another name.",
            UserWarning,
            stacklevel=4,
        )


def _marked(y: Any) -> bool:
    if isinstance(y, np.ma.MaskedArray):
        y = y.tolist()
    values = y if isinstance(y, (list, tuple)) else column_or_1d(y).tolist()
    return any(is_unlabelled(_plain(value)) for value in values)


def positive(name: str, value: Any) -> int:
    """A parameter that counts something, as Python's int; refused where it is not from 1 to `MANY`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name}={value!r} is not a positive whole number.")
    if value > MANY:
        raise ParameterError(f"{name} is above {MANY:,}; choose less.")
    return int(value)


def seed_of(random_state: Any) -> int:
    """An integer as it is; for anything else scikit-learn accepts, one draw from it."""
    if isinstance(random_state, (int, np.integer)) and not 0 <= random_state <= SEEDS:
        raise ParameterError("random_state must lie between 0 and 2^62, or be what scikit-learn takes.")
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

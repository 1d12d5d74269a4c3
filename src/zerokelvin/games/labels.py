"""Labels at the edge: from the caller's values to class codes and ±1, and back.

Classes are the distinct labels in sorted order unless given. A label that is None, NaN or masked is
unknown: its node is not played. −1 is a label like any other; beside other classes than +1 a `LabelWarning`
says so, for scikit-learn writes it for "unlabelled". With two classes ``classes[0]`` is −1
and ``classes[1]`` is +1, one binary problem; with more, each class has a problem of its own in which
it is +1 and the rest −1.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import LabelError, LabelWarning
from zerokelvin.graph import Domain
from zerokelvin.learners.base.ties import DEAD_ZONE

__all__ = ["Labelling", "class_order", "decide", "encode_labels", "is_unknown", "label_pairs", "to_signs"]

MINUS_ONE = (
    "the label -1 is a class like the others here, not a sign for unlabelled; mark unknown labels "
    "with None, NaN or a masked array, or give classes= if -1 is meant."
)


@dataclass(frozen=True)
class Labelling:
    """The class code of every node, −1 where unknown, and the classes they stand for."""

    codes: Ints
    classes: tuple[Hashable, ...]

    @property
    def known(self) -> Ints:
        """The indices of the nodes whose label is known, ascending."""
        return np.flatnonzero(self.codes >= 0)

    def decode(self, codes: Ints) -> NDArray[Any]:
        """The labels that class codes stand for, as an array of the labels' own type."""
        return class_array(self.classes)[codes]


def class_array(classes: Sequence[Hashable]) -> NDArray[Any]:
    """The classes as an array that keeps their type: numbers, strings or objects."""
    kinds = {type(label) for label in classes}
    if len(kinds) == 1 and kinds <= {bool, int, float, str}:
        array = np.array(list(classes))
        if array.dtype.kind in "iufUb" and array.tolist() == list(
            classes
        ):  # it drops nulls at the end of text
            return array
    array = np.full(len(classes), None, dtype=object)
    array[:] = list(classes)
    return array


def encode_labels(graph: Domain, labels: Any, classes: Sequence[Hashable] | None = None) -> Labelling:
    """Class codes of a labelling: an array in node order, a mapping from names, or a frame of node and label.

    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> encode_labels(line, ["ok", None, "fraud"])
    Labelling(codes=array([ 1, -1,  0]), classes=('fraud', 'ok'))
    """
    if isinstance(labels, Labelling):
        return labels
    if classes is None and type(labels) is np.ndarray and labels.dtype.kind in "iu" and labels.ndim == 1:
        return _encode_whole_numbers(graph, labels)
    values = _in_node_order(graph, labels)
    unknown = np.array([is_unknown(value) for value in values], dtype=np.bool_)
    known = [value for value, gap in zip(values, unknown, strict=True) if not gap]
    order = class_order(known) if classes is None else tuple(_plain(value) for value in classes)
    if classes is None:
        _warn_of_minus_one(order, 4)
    if len(set(order)) != len(order):
        raise LabelError(f"classes {list(order)!r} hold a class twice.")
    code = {value: i for i, value in enumerate(order)}
    codes = np.full(graph.num_nodes, -1)
    try:
        codes[~unknown] = [code[value] for value in known]
    except KeyError as missing:
        raise LabelError(f"label {missing.args[0]!r} is not among the classes {list(order)!r}.") from None
    return Labelling(codes, order)


def _encode_whole_numbers(graph: Domain, labels: NDArray[Any]) -> Labelling:
    """Class codes of an array of whole numbers, all of them known, without a step per node."""
    if len(labels) != graph.num_nodes:
        _in_node_order(graph, labels)  # says what is wrong
    distinct, codes = np.unique(labels, return_inverse=True)
    order = tuple(distinct.tolist())
    _warn_of_minus_one(order, 5)
    return Labelling(codes.astype(np.int64), order)


def _warn_of_minus_one(order: tuple[Hashable, ...], level: int) -> None:
    """Say that −1 is a class where it stands beside other classes than +1."""
    if -1 in order and not set(order) <= {-1, 1}:
        warnings.warn(MINUS_ONE, LabelWarning, stacklevel=level)


def class_order(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The classes of a game: the distinct labels, sorted; refused where they cannot be."""
    try:
        distinct: set[Any] = set(labels)
    except TypeError as problem:
        raise LabelError(f"labels must be hashable: {problem}.") from None
    try:
        return tuple(sorted(distinct))
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in distinct}))
        raise LabelError(f"labels of mixed types ({kinds}) have no sorted order; give classes=.") from None


def is_unknown(label: Any) -> bool:
    """Whether a label stands for "not known": None, NaN, NA or masked."""
    if label is None or label is np.ma.masked or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, (float, np.floating)) and bool(np.isnan(label))


def label_pairs(labels: Any) -> Any:
    """Nodes with their labels, of a mapping, a Series by its index, or a frame; anything else as it is.

    Rows of a Series or a frame without a label are left out.

    >>> label_pairs({"ann": "ok"})
    dict_items([('ann', 'ok')])
    """
    if isinstance(labels, Mapping):
        return labels.items()
    if hasattr(labels, "columns") and hasattr(labels, "__getitem__"):
        names = list(labels.columns)
        if not {"node", "label"} <= set(names):
            raise LabelError(
                f"the frame's columns are {', '.join(map(str, names))}; name them 'node' and 'label'."
            )
        pairs = zip(_values(labels["node"]), _values(labels["label"]), strict=True)
    elif hasattr(labels, "index") and hasattr(labels, "items"):
        pairs = zip(_values(labels.index), _values(labels), strict=True)
    else:
        return labels
    return [(node, label) for node, label in pairs if not is_unknown(label)]


def _values(column: Any) -> list[Any]:
    """The values of a column of pandas or polars, as Python's own."""
    return list(column.to_list())


def to_signs(codes: Ints, num_classes: int) -> NDArray[np.int8]:
    """The label of each code in each binary problem, −1 or +1: an array of shape (codes, problems)."""
    target = np.array([1]) if num_classes <= 2 else np.arange(num_classes)
    return np.where(codes[:, None] == target[None, :], 1, -1).astype(np.int8)


def decide(margins: Floats, num_classes: int) -> Ints:
    """The class code for each row of margins: sign for two classes (0 is +1), else the first largest.

    Of several classes, margins that differ by rounding alone are equal (`zerokelvin.learners.base.ties`).
    """
    if num_classes <= 2:
        return np.where(margins[:, 0] >= 0, num_classes - 1, 0).astype(np.int64)
    top = margins.max(axis=1, keepdims=True)
    tied = top - margins <= DEAD_ZONE * np.maximum(np.abs(top), np.abs(margins))
    return np.argmax(tied, axis=1).astype(np.int64)


def _in_node_order(graph: Domain, labels: Any) -> list[Any]:
    """One label per node, None where a mapping has none, from a mapping by names or a sequence."""
    if isinstance(labels, Mapping) or (hasattr(labels, "columns") and hasattr(labels, "__getitem__")):
        values: list[Any] = [None] * graph.num_nodes
        for name, label in label_pairs(labels):
            values[graph.index(name)] = _plain(label)
        return values
    if labels is None or isinstance(labels, str) or not isinstance(labels, Iterable):
        raise LabelError(f"labels {labels!r} are no labels of nodes; give one per node, or a mapping.")
    array = labels if isinstance(labels, np.ma.MaskedArray) else None
    values = array.tolist() if array is not None else [_plain(value) for value in labels]
    if len(values) != graph.num_nodes:
        raise LabelError(
            f"{len(values)} labels for {graph.num_nodes} nodes; give one per node, None if unknown."
        )
    return values


def _plain(value: Any) -> Any:
    """Numpy scalars as Python values, so that equal labels are one class whatever they came in."""
    return value.item() if isinstance(value, np.generic) else value

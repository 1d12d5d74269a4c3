"""Labelled data sets by name or path: found on disk, taken from scikit-learn, or downloaded once.

A name is looked up in the folder of the environment variable ``ZEROKELVIN_DATA``, in
``../shared/data``, and in the user's cache, as ``NAME.npz`` or ``NAME_points.npz``; ``digits`` comes
with scikit-learn; the rest is downloaded from its public home (`zerokelvin.io.datasets.download`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.datasets.download import ARCHIVES, Progress, download, verify
from zerokelvin.io.files import PathLike, cache_folder, existing_file
from zerokelvin.io.formats.npz import graph_of, label_codes, read_arrays
from zerokelvin.io.limits import DEFAULT, Limits

__all__ = ["DataSet", "DataSetInfo", "dataset_names", "find_datasets", "load_dataset"]

_LAYOUT = {"edges", "weights", "n", "names", "labels", "label_names", "X"}
_POINTS = "_points"


@dataclass(frozen=True, eq=False)
class DataSet:
    """A labelled graph, or labelled points from which a graph can be built.

    Attributes
    ----------
    name
        What it was asked for by.
    labels
        One integer code into `label_names` per node or point; masked where the label is unknown.
    label_names
        The classes.
    network
        The graph, or None where there are only points; `graph` is the same without the None.
    points
        One row per point, or None.
    extras
        Further arrays of the file, such as ``year`` or ``time``.
    """

    name: str
    labels: NDArray[np.int64]
    label_names: tuple[str, ...]
    network: Graph | None = None
    points: NDArray[np.float64] | None = None
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "extras", MappingProxyType(dict(self.extras)))

    @property
    def graph(self) -> Graph:
        """The graph; a `DataError` where the data set holds only points."""
        if self.network is None:
            raise DataError(
                f"data set '{self.name}' holds points, not a graph; build one from .points, for instance "
                "with knn_graph."
            )
        return self.network

    def __repr__(self) -> str:
        size = "" if self.points is None else "points={}x{}".format(*self.points.shape)
        if self.network is not None:
            size = f"nodes={self.network.num_nodes}, edges={self.network.num_edges}"
        return f"DataSet({self.name!r}, {size}, classes={len(self.label_names)})"


@dataclass(frozen=True)
class DataSetInfo:
    """One line of the list of data sets; sizes are None for what is still to be downloaded."""

    name: str
    where: str
    nodes: int | None = None
    edges: int | None = None
    classes: int | None = None


def load_dataset(name: PathLike, *, progress: Progress | None = None, limits: Limits = DEFAULT) -> DataSet:
    """Load a data set by name, or from a path to an npz file.

    Parameters
    ----------
    name
        A name out of `dataset_names`, or the path of an npz file.
    progress
        Called during a download with the bytes received and, if known, the bytes expected.
    limits
        How much the file may hold; see `Limits`.

    Examples
    --------
    >>> load_dataset("digits")
    DataSet('digits', points=1797x64, classes=10)
    """
    text = os.fspath(name)
    if text.endswith(".npz") or os.sep in text or (os.altsep is not None and os.altsep in text):
        path = existing_file(text)
        return _from_arrays(path.stem.removesuffix(_POINTS), path, limits)
    for folder in _folders():
        for path in (folder / f"{text}.npz", folder / f"{text}{_POINTS}.npz"):
            if path.is_file():
                verify(path)
                return _from_arrays(text, path, limits)
    if text == "digits":
        return _digits()
    if text in ARCHIVES:
        path = download(text, cache_folder(), progress)
        return _from_arrays(text, path, limits)
    looked = ", ".join(f"'{folder}'" for folder in _folders())
    raise DataError(f"no data set '{text}' in {looked}; known: {', '.join(dataset_names())}.")


def dataset_names() -> list[str]:
    """Names of all data sets that can be loaded here, sorted."""
    return sorted({*_found(), *ARCHIVES, "digits"})


def find_datasets() -> list[DataSetInfo]:
    """All data sets that can be loaded here: their names, where they are found, and their sizes."""
    found = _found()
    return [_describe(name, found.get(name)) for name in dataset_names()]


def _folders() -> list[Path]:
    """Where data sets are looked for, in this order."""
    given = os.environ.get("ZEROKELVIN_DATA")
    return [*([Path(given)] if given else []), Path("..") / "shared" / "data", cache_folder()]


def _found() -> dict[str, Path]:
    """The npz file of every data set that is there, the first one found by name."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for path in sorted(folder.glob("*.npz")) if folder.is_dir() else ():
            found.setdefault(path.stem.removesuffix(_POINTS), path)
    return found


def _describe(name: str, path: Path | None) -> DataSetInfo:
    """Place and sizes of a data set, or why it cannot be read."""
    if path is None and name != "digits":
        return DataSetInfo(name, "to be downloaded")
    try:
        data = load_dataset(name) if path is None else _from_arrays(name, path, DEFAULT)
    except (DataError, GraphError) as problem:
        return DataSetInfo(name, f"unreadable: {problem}")
    classes = len(np.unique(np.ma.compressed(data.labels)))
    where = "scikit-learn" if path is None else str(path)
    edges = None if data.network is None else data.network.num_edges
    return DataSetInfo(name, where, len(data.labels), edges, classes)


def _from_arrays(name: str, path: Path, limits: Limits) -> DataSet:
    """The data set in an npz file: a graph or points, and label codes."""
    arrays = read_arrays(path, limits)
    points = arrays.get("X")
    if points is not None and (points.ndim != 2 or points.dtype.kind not in "iuf"):
        raise DataError(
            f"'X' of '{path}' is {points.dtype} {points.shape}; it must be numbers, a row per point."
        )
    network = graph_of(arrays, path, limits) if "edges" in arrays or points is None else None
    count = network.num_nodes if network is not None else len(arrays["X"])
    labels = label_codes(arrays, count, path, limits)
    highest = int(np.ma.masked_array(labels).filled(-1).max(initial=-1))
    names = arrays.get("label_names")
    if names is not None and names.ndim != 1:
        raise DataError(f"'label_names' of '{path}' has shape {names.shape}; give one name per class.")
    classes = tuple(str(i) for i in range(highest + 1)) if names is None else tuple(map(str, names.tolist()))
    if highest >= len(classes):
        raise DataError(
            f"'labels' of '{path}' holds {highest}, but there are only {len(classes)} label names."
        )
    return DataSet(
        name=name,
        labels=labels,
        label_names=classes,
        network=network,
        points=None if points is None else points.astype(np.float64),
        extras={key: value for key, value in arrays.items() if key not in _LAYOUT},
    )


def _digits() -> DataSet:
    """The handwritten digits that come with scikit-learn."""
    from sklearn.datasets import load_digits

    points, labels = load_digits(return_X_y=True)
    names = tuple(str(digit) for digit in range(10))
    return DataSet("digits", labels.astype(np.int64), names, points=points.astype(np.float64))

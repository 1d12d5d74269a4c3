"""What a game is played on: a graph and its labels, from a data set, one npz file or two files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError, ParameterError
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.io import (
    DataSet,
    Limits,
    ReadReport,
    dataset_names,
    load_dataset,
    read_attributes,
    read_graph,
    read_labels,
)

__all__ = ["Problem", "load_problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph and one label per node, masked where unknown; `left_out` counts the nodes not kept."""

    name: str
    graph: Graph
    labels: NDArray[Any]
    left_out: int = 0


def load_problem(
    graph: str | os.PathLike[str],
    labels: str | os.PathLike[str] | None = None,
    *,
    component: str = "all",
    neighbors: int = 10,
    progress: Callable[[int, int | None], None] | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | bool | None = None,
    header: bool | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    attributes: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    report: Callable[[ReadReport], None] | None = None,
) -> Problem:
    """Load a labelled graph.

    Parameters
    ----------
    graph
        The name of a data set, or a file in any format of `read_graph`.
    labels
        A file for `read_labels`; may be left out for data sets and for npz files that hold labels.
    component
        ``"all"`` keeps every node, ``"largest"`` only the largest connected component.
    neighbors
        For data sets of points: each point is joined to this many nearest others.
    progress
        Called during a download with the bytes received and, if known, the bytes expected.
    source, target, weight, header
        Passed on to `read_graph`, where `graph` is a table.
    node, label
        Passed on to `read_labels`, where `labels` is a table.
    attributes
        A file for `read_attributes`: what is known of every node beside its edges.
    limits
        How much the files may hold.
    report
        Called with a `ReadReport` for every file read.

    Examples
    --------
    >>> load_problem("digits", neighbors=4, component="largest").graph.num_nodes
    1770
    """
    if component not in ("all", "largest"):
        raise ParameterError(f"unknown component '{component}'; choose all or largest.")
    name = os.fspath(graph)
    if labels is None and Path(name).suffix.lower() not in ("", ".npz"):
        if not Path(name).exists():
            raise DataError(f"there is no file '{name}'; give the path of a graph or the name of a data set.")
        raise DataError(f"'{name}' holds no labels; name a file with the label of each node as well.")
    allowed = Limits() if limits is None else limits
    columns: dict[str, Any] = {"source": source, "target": target, "weight": weight, "header": header}
    pair: dict[str, Any] = {"node": node, "label": label}
    if labels is None:
        _refuse(pair, "there is no table of labels")
    if name in dataset_names() or (labels is None and not _is_other_file(name)):
        _refuse(columns, f"'{name}' is a data set, not a table")
        data = load_dataset(name, progress=progress, limits=allowed)
        network = _graph_of(data, neighbors)
        values: NDArray[Any] = data.labels
    else:
        network = read_graph(name, limits=allowed, report=report, **columns)
        values = np.zeros(0) if labels is not None else read_labels(name, network, limits=allowed)
    if labels is not None:
        values = read_labels(labels, network, limits=allowed, report=report, **pair)
    if attributes is not None:
        network = network.with_attributes(read_attributes(attributes, limits=allowed))
    if component == "all":
        return Problem(name, network, values)
    kept, nodes = network.largest_component()
    return Problem(name, kept, values[nodes], network.num_nodes - kept.num_nodes)


def _refuse(options: dict[str, Any], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(f"{name}={value!r} has no meaning here, for {why}; leave it out.")


def _is_other_file(name: str) -> bool:
    """Whether this is a file that is not an npz, whatever its name."""
    return Path(name).suffix.lower() != ".npz" and Path(name).exists()


def _graph_of(data: DataSet, neighbors: int) -> Graph:
    if data.network is not None:
        return data.network
    points = np.zeros((0, 0)) if data.points is None else data.points
    return knn_graph(points, neighbors)

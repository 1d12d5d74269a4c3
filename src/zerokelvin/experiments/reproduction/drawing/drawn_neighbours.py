"""Drawings judged by their neighbours: of the ten nearest nodes in the plane, how many have an edge.

The judge knows nothing of how a drawing was made: it takes positions and counts. Compared are random
positions, the first drawing and the refined one (`zerokelvin.layout`), and, where umap-learn is installed and
the graph was made of points, UMAP of those points with as many neighbours (McInnes, Healy, Melville 2018). At
most 3,000 nodes drawn at random are looked at. Seconds are of the processor.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.experiments.reproduction.reproduction import Experiment, Progress, Report, Table, experiment
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.io import load_dataset
from zerokelvin.layout import first_layout, refine
from zerokelvin.sweeps.cells import SweepCell
from zerokelvin.sweeps.result_store import KeptResult

__all__ = ["DrawnNeighbours", "share_of_neighbours"]

NEAREST, LOOKED_AT = 10, 3000
KINDS = ("random", "first", "refined", "umap")
LARGE = "100000-points"


@experiment("drawing")
@dataclass(frozen=True)
class DrawnNeighbours(Experiment):
    """Of the ten nearest nodes in a drawing, the share that are neighbours in the graph; and its seconds.

    Parameters
    ----------
    data
        Data sets by name, or 100000-points: 30 curved clusters in 5 dimensions; digits, pendigits, Cora and
        those by default (digits alone with `fast`).
    """

    data: tuple[str, ...] = ()

    def run(self, progress: Progress | None = None) -> Report:
        """Draw every data set in every way."""
        tell = progress or (lambda *_: None)
        names = self.data or (("digits",) if self.fast else ("digits", "pendigits", "cora", LARGE))
        tell("Drawing", 0, len(names))
        graphs = {name: _graph(name, self.seed)[0] for name in names}
        cells = [
            SweepCell(self.key(graph=graph.content_hash, data=name, seed=self.seed), (name, self.seed))
            for name, graph in graphs.items()
        ]
        kept = self.parts(DrawingStage(), cells, tell, "Drawing")
        found: dict[str, Any] = {name: one.result for name, one in zip(graphs, kept, strict=True)}
        return Report(self.name, (_table(found),), {"settings": {"seed": self.seed}, "data": found})


class DrawingStage:
    """Draws a data set in every way."""

    def compute(self, task: tuple[str, int]) -> KeptResult:
        """Draw one graph in one way, and count how many neighbours the drawing shows."""
        name, seed = task
        graph, points = _graph(name, seed)
        return KeptResult({"nodes": graph.num_nodes, **_drawn(graph, points, seed)})


def share_of_neighbours(graph: Graph, positions: Floats, seed: int = 0) -> float:
    """The share of the ten nearest in the plane that have an edge to a node, mean over nodes with edges.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> share_of_neighbours(triangle, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    1.0
    """
    from scipy.spatial import cKDTree

    nodes = np.flatnonzero(np.diff(graph.indptr))
    nodes = np.random.default_rng(seed).permutation(nodes)[:LOOKED_AT]
    count = min(NEAREST, graph.num_nodes - 1)
    _, nearest = cKDTree(positions).query(positions[nodes], count + 1)
    shares = []
    for node, row in zip(nodes.tolist(), np.asarray(nearest), strict=True):
        others = row[row != node][:count]
        shares.append(float(np.isin(others, graph.neighbors(node)).mean()))
    return float(np.mean(shares))


def _drawn(graph: Graph, points: Floats | None, seed: int) -> dict[str, Any]:
    first_layout(Graph.from_edges([(0, 1), (1, 2)]))  # so that no compilation is in the seconds
    refine(graph, np.zeros((graph.num_nodes, 2)), epochs=1)
    values: dict[str, Any] = {}

    def judge(kind: str, draw: Callable[[], Floats]) -> Floats:
        began = time.process_time()
        positions = draw()
        seconds = time.process_time() - began
        values[kind] = {"share": share_of_neighbours(graph, positions, seed), "seconds": seconds}
        return positions

    judge("random", lambda: np.random.default_rng(seed).normal(size=(graph.num_nodes, 2)))
    first = judge("first", lambda: first_layout(graph, seed))
    judge("refined", lambda: refine(graph, first, seed))
    if points is not None and importlib.util.find_spec("umap") is not None:
        judge("umap", lambda: _umap(points, seed))
    return values


def _umap(points: Floats, seed: int) -> Floats:
    umap = importlib.import_module("umap")
    drawn = umap.UMAP(n_neighbors=NEAREST + 1, random_state=seed, n_jobs=1).fit_transform(points)
    return np.asarray(drawn, dtype=np.float64)


def _graph(name: str, seed: int) -> tuple[Graph, Floats | None]:
    """A graph, and the points that it was made of."""
    if name == LARGE:
        rng = np.random.default_rng(seed)
        codes = rng.integers(30, size=100_000)
        inner = np.einsum(
            "ni,nij->nj", rng.uniform(-1.5, 1.5, (100_000, 2)), rng.normal(size=(30, 2, 5))[codes]
        )
        points = 1.3 * rng.normal(size=(30, 5))[codes] + inner + 0.2 * rng.normal(size=(100_000, 5))
        return knn_graph(points, NEAREST), points
    data = load_dataset(name)
    if data.points is not None:
        return knn_graph(data.points, NEAREST), np.asarray(data.points, dtype=np.float64)
    return data.graph, None


def _table(found: dict[str, Any]) -> Table:
    def cell(row: dict[str, Any], kind: str) -> str:
        one = row.get(kind)
        return "–" if one is None else f"{one['share']:.3f} ({one['seconds']:.1f} s)"

    rows = [(name, f"{row['nodes']:,}", *(cell(row, kind) for kind in KINDS)) for name, row in found.items()]
    return Table(
        "Share of the ten nearest in the plane that are neighbours in the graph (seconds of the processor)",
        ("data", "nodes", *KINDS),
        tuple(rows),
        numbers=tuple(range(1, 2 + len(KINDS))),
        notes=("umap: where umap-learn is installed, from points; its seconds include finding neighbours.",),
    )

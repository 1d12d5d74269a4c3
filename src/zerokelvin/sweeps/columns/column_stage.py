"""What workers do with columns: filter a panel, multiply it with others, turn rows, measure residuals.

The block of all columns lies in panels of `WIDTH` columns, a file each, in a folder that all workers see; the
graph is mapped. Every task reads files and writes files of its own, or rows of its own, and does the same
whoever does it and however often, so that one that is lost is just done again. What comes back is small:
squares of the number of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.graph.packed.packed_graph import PackedGraph
from zerokelvin.io.embeddings.embedding_files import hash_part
from zerokelvin.io.files import replacing
from zerokelvin.io.packs.pack_reader import open_graph
from zerokelvin.spectral.chebyshev import WIDTH, filtered, laplacian_rows
from zerokelvin.sweeps.places import Once
from zerokelvin.threads import on_one_thread

__all__ = ["STRIPE", "ColumnStage", "Job", "panel_path", "stripes"]

STRIPE = 1 << 16
"""Rows taken at a time where columns meet: 64 MB of 128 columns in 64 bits."""

STRIPES_HELD = 16
"""Pieces after which the pages of the graph are given back."""

Job = dict[str, Any]


def panel_path(folder: Path, kind: str, turn: int, panel: int) -> Path:
    """The file of one panel of a block, by its kind and turn."""
    return folder / f"{kind}-{turn}-{panel}.npy"


def stripes(nodes: int) -> list[tuple[int, int]]:
    """All rows in pieces of `STRIPE`."""
    return [(start, min(start + STRIPE, nodes)) for start in range(0, nodes, STRIPE)]


@dataclass(frozen=True)
class ColumnStage:
    """A graph in a file and a folder of panels; a job names the method that does it."""

    graph_path: str
    folder: str
    panels: int
    seed: int
    opened: Once = field(default_factory=Once, repr=False, compare=False)

    def compute(self, job: Job) -> Any:
        """Do one job: the method that it names, with the rest of it as arguments."""
        return getattr(self, job["do"])(**{name: value for name, value in job.items() if name != "do"})

    @property
    def graph(self) -> PackedGraph:
        """The graph, mapped once in every process."""
        return self.opened.get(self.graph_path, lambda: open_graph(self.graph_path, verify=False))

    @property
    def base(self) -> Path:
        """The folder in which the panels lie."""
        return Path(self.folder)

    def draw(self, panel: int) -> None:
        """Write the columns that the first turn begins with, at random by seed and panel."""
        rng = np.random.default_rng([self.seed, panel])
        block = rng.standard_normal((self.graph.num_nodes, WIDTH), dtype=np.float32)
        self._write("block", 0, panel, block)

    def filter(self, turn: int, panel: int, cut: float, limit: float, degree: int) -> None:
        """Filter a panel of a turn's block."""
        block = np.array(self._map("block", turn, panel))
        self._write("filtered", turn, panel, filtered(self.graph, block, cut, limit, degree))

    @on_one_thread
    def meet(self, turn: int, panel: int) -> tuple[Floats, Floats]:
        """The products of a panel F, and of L F, with all panels up to this one, (columns, `WIDTH`) each."""
        graph, own = self.graph, np.array(self._map("filtered", turn, panel))
        gram, small = (np.zeros(((panel + 1) * WIDTH, WIDTH)) for _ in range(2))
        for start, stop in self._stripes():
            mine = own[start:stop].astype(np.float64)
            product = laplacian_rows(graph, own, start, stop)
            for other in range(panel + 1):
                theirs = mine if other == panel else self._rows("filtered", turn, other, start, stop)
                rows = slice(other * WIDTH, (other + 1) * WIDTH)
                gram[rows] += theirs.T @ mine
                small[rows] += theirs.T @ product
        return gram, small

    @on_one_thread
    def turn_rows(self, turn: int, start: int, stop: int, rotation: Floats) -> None:
        """Write rows of the next block: the filtered columns times `rotation`, zeros drawn anew."""
        whole = self._stacked("filtered", turn, start, stop, self.panels)
        turned = whole @ rotation
        missing = ~rotation.any(axis=0)
        if missing.any():
            rng = np.random.default_rng([self.seed, turn + 1, start])
            turned[:, missing] = rng.standard_normal((stop - start, int(missing.sum())))
        for panel in range(self.panels):
            target = np.load(panel_path(self.base, "block", turn + 1, panel), mmap_mode="r+")
            target[start:stop] = turned[:, panel * WIDTH : (panel + 1) * WIDTH]
            target.flush()

    def residuals(self, turn: int, panel: int, values: list[float]) -> tuple[Floats, Floats, Floats]:
        """Of each column of a block: ‖L x − σ x‖ / ‖x‖, ‖x‖, and the sign of its largest entry."""
        graph, block = self.graph, np.array(self._map("block", turn, panel))
        wrong, squares, largest = np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(WIDTH)
        for start, stop in self._stripes():
            own = block[start:stop].astype(np.float64)
            left = laplacian_rows(graph, block, start, stop) - own * np.array(values)
            wrong += (left * left).sum(axis=0)
            squares += (own * own).sum(axis=0)
            peaks = own[np.abs(own).argmax(axis=0), np.arange(WIDTH)]
            largest = np.where(np.abs(peaks) > np.abs(largest) * (1 + 1e-6), peaks, largest)
        lengths = np.sqrt(squares)
        return np.sqrt(wrong) / np.where(lengths > 0, lengths, 1.0), lengths, np.where(largest < 0, -1.0, 1.0)

    def write_rows(self, turn: int, start: int, stop: int, scales: Floats, target: str, b: float) -> str:
        """Write rows of the embedding, the constant first; their hash."""
        panels = -(-len(scales) // WIDTH)
        rows = self._stacked("block", turn, start, stop, panels)[:, : len(scales)] * scales
        out = np.load(target, mmap_mode="r+")
        out[start:stop, 0] = np.sqrt(b)
        out[start:stop, 1:] = rows
        out.flush()
        return hash_part(out, start, stop)

    def _stripes(self) -> Iterator[tuple[int, int]]:
        """All rows in pieces; now and then the pages of the graph are given back."""
        for number, piece in enumerate(stripes(self.graph.num_nodes)):
            yield piece
            if number % STRIPES_HELD == STRIPES_HELD - 1:
                self.graph.give_back()

    def _stacked(self, kind: str, turn: int, start: int, stop: int, panels: int) -> Floats:
        return np.hstack([self._rows(kind, turn, panel, start, stop) for panel in range(panels)])

    def _rows(self, kind: str, turn: int, panel: int, start: int, stop: int) -> Floats:
        """Some rows of a panel in 64 bits; the file is mapped for that while only, so that it is not held."""
        return self._map(kind, turn, panel)[start:stop].astype(np.float64)

    def _map(self, kind: str, turn: int, panel: int) -> NDArray[np.float32]:
        return np.load(panel_path(self.base, kind, turn, panel), mmap_mode="r", allow_pickle=False)

    def _write(self, kind: str, turn: int, panel: int, block: NDArray[np.float32]) -> None:
        with replacing(panel_path(self.base, kind, turn, panel)) as draft, draft.open("wb") as file:
            np.save(file, block, allow_pickle=False)

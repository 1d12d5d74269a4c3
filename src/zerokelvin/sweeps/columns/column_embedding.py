"""The smallest eigenpairs of a graph on disk, by a block of columns that many workers filter.

In every turn each panel of columns is filtered by itself (`zerokelvin.spectral.chebyshev`). Then columns
meet: with F the filtered ones, FᵀF and FᵀLF are summed in 64 bits over pieces of rows, and the small
eigenproblem FᵀLF y = σ FᵀF y (Rayleigh and Ritz) is solved here. The block turns into F Y, whose columns are
the best approximations there are in its span; the largest of their values is the next filter's cut. Beside
the columns wanted a block has some to spare, without which the last of those wanted settle slowly. It is done
when

    ‖L v − σ v‖ ≤ tol · min(1, mean degree, σ_d)   for every one wanted, measured on what is kept,

and an error says so if it cannot be. One turn's block is complete on the disk before the last one's is
removed, and `state.json` says which it is: whatever is lost, the same command goes on there. No number
depends on how many workers there are.

Above 300 lines: one computation in turns, each of which may be interrupted and gone on with.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ClusterError, DataError, GraphError, ParameterError
from zerokelvin.file_lock import lock_file
from zerokelvin.graph.packed.packed_graph import PackedGraph
from zerokelvin.graph.scale import mean_degree
from zerokelvin.io.embeddings.embedding_files import (
    MANIFEST,
    ROWS,
    VALUES,
    hash_part,
    reserve_array,
    save_names,
    save_values,
)
from zerokelvin.io.embeddings.embedding_folder import EmbeddedRows, open_embedding
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.packs.pack_reader import open_graph
from zerokelvin.io.packs.pack_writer import write_pack
from zerokelvin.io.read import read_graph
from zerokelvin.io.writable import writable_folder
from zerokelvin.spectral.chebyshev import WIDTH, filter_degree, spectral_limit
from zerokelvin.spectral.eigenpairs import smallest_eigenpairs
from zerokelvin.sweeps.cells import Progress
from zerokelvin.sweeps.columns.column_stage import ColumnStage, Job, panel_path, stripes
from zerokelvin.sweeps.columns.rayleigh_ritz import ritz, whole_products
from zerokelvin.sweeps.places import Here, Work, Workplace
from zerokelvin.sweeps.result_store import digest_of
from zerokelvin.threads import on_one_thread

__all__ = ["Embedding", "embed_graph"]

SMALL = 1500
"""Nodes up to which the whole spectrum is computed at once."""

SPARE = 8
"""Columns beside those wanted, at least; a tenth of these if that is more."""

FLOOR = 2e-7
"""Of the largest eigenvalue of L: what 32 bits leave of a residual."""

PATIENCE = 10
"""Turns in which the residual must at least halve."""


@dataclass
class Embedding:
    """An embedding that is being made.

    Parameters
    ----------
    source
        A pack, or any file of `read_graph`, which is made one first.
    folder
        Where the embedding goes; what is unfinished lies in its folder ``work``.
    rank
        How many eigenpairs.
    tol, turns
        What is to be reached in how many turns.
    b
        The square of the constant column.
    seed
        Of the columns that are begun with.
    """

    source: PathLike
    folder: PathLike
    rank: int
    tol: float = 1e-3
    turns: int = 60
    b: float = 2.0
    seed: int = 0
    place: Workplace = field(default_factory=Here)
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise ParameterError(f"rank={self.rank} must be at least 1.")
        if not (0 < self.tol < 1) or not (np.isfinite(self.b) and self.b > 0):
            raise ParameterError(f"tol={self.tol:g} must lie between 0 and 1, and b={self.b:g} be positive.")
        self.base = writable_folder(self.folder, ROWS, VALUES, MANIFEST)
        self.work = self.base / "work"
        self.path, self.graph = self._packed()
        if self.graph.is_signed:
            raise GraphError("an embedding needs positive weights; drop the negative edges.")
        available = self.graph.num_nodes - self.graph.num_components
        if self.rank > available:
            raise ParameterError(
                f"rank={self.rank} is more than the {available} eigenvalues above 0; ask less."
            )
        spare = max(SPARE, self.rank // 10)
        self.panels = max(2, -(-(self.rank + spare) // WIDTH))
        self.panels += self.panels % 2  # so that two workers have as much
        self.at_once = self.graph.num_nodes <= SMALL or 4 * self.columns > available
        self.key = digest_of(
            {"graph": self.graph.content_hash, "rank": self.rank, "seed": self.seed, "width": WIDTH}
        )

    @property
    def columns(self) -> int:
        """How many columns a block has."""
        return self.panels * WIDTH

    def run(self) -> EmbeddedRows:
        """Make it, or go on with it; one that is there is only opened."""
        self.work.mkdir(parents=True, exist_ok=True)
        with self._alone():
            known = self._known()
            if known is None:
                if self.at_once:
                    self._finish_at_once()
                else:
                    self._finish(*self._turned())
            shutil.rmtree(self.work, ignore_errors=True)
        return known or open_embedding(self.base)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else works in the folder meanwhile."""
        with (self.work / "lock").open("ab") as lock:
            try:
                lock_file(lock.fileno())
            except (BlockingIOError, PermissionError):
                raise DataError(
                    f"another process is at work in '{self.work}'; wait for it, or end it."
                ) from None
            except OSError:  # a file system without locks
                pass
            yield

    def _known(self) -> EmbeddedRows | None:
        """The embedding that is there, if it is the one wanted; one that is damaged is made again."""
        try:
            known = open_embedding(self.base)
        except DataError:
            return None
        said = known.manifest
        if said["key"] != self.key or said["b"] != self.b or said["residual"] > self._target(known.values):
            return None
        return known

    # -- turns ------------------------------------------------------------------------------------

    def _turned(self) -> tuple[dict[str, Any], Floats, Floats]:
        """The state when all is settled; lengths with signs, and residuals, of the columns wanted."""
        state = self._state()
        best, since = np.inf, 0
        while True:
            if state["values"] is not None:
                wrong, lengths = self._residuals(state)
                worst, target = float(wrong.max()), self._target(state["values"])
                if worst <= target:
                    return state, lengths, wrong
                since = 0 if worst < 0.5 * best else since + 1
                best = min(best, worst) if since else worst
                self._require_hope(state, worst, target, since)
            state = self._turn(state)

    def _turn(self, state: dict[str, Any]) -> dict[str, Any]:
        """One turn: filter, meet, turn the rows; the state after it."""
        turn, cut, limit = state["turn"], state["cut"], state["limit"]
        degree = filter_degree(cut, limit)
        about = {"do": "filter", "turn": turn, "cut": cut, "limit": limit, "degree": degree}
        left = [p for p in range(self.panels) if not panel_path(self.work, "filtered", turn, p).exists()]
        self._do(f"turn {turn + 1}: filter of degree {degree}", [about | {"panel": p} for p in left])
        order = list(reversed(range(self.panels)))  # the largest first
        met = self._do(
            f"turn {turn + 1}: products", [{"do": "meet", "turn": turn, "panel": p} for p in order]
        )
        values, rotation = ritz(*whole_products(dict(zip(order, met, strict=True)), self.columns))
        for panel in range(self.panels):
            shape = (self.graph.num_nodes, WIDTH)
            reserve_array(panel_path(self.work, "block", turn + 1, panel), np.float32, shape)
        jobs = [
            {"do": "turn_rows", "turn": turn, "start": start, "stop": stop, "rotation": rotation}
            for start, stop in stripes(self.graph.num_nodes)
        ]
        self._do(f"turn {turn + 1}: rows", jobs)
        after = state | {
            "turn": turn + 1,
            "cut": min(float(values[-1]), 0.9 * limit),
            "values": values.tolist(),
            "products": state["products"] + (degree + 2) * self.columns,
        }
        self._save(after)
        for panel in range(self.panels):
            for kind in ("block", "filtered"):
                panel_path(self.work, kind, turn, panel).unlink(missing_ok=True)
        return after

    def _residuals(self, state: dict[str, Any]) -> tuple[Floats, Floats]:
        """Of the columns wanted: residuals, and lengths with the sign of the largest entry."""
        values = state["values"]
        jobs: list[Job] = [
            {
                "do": "residuals",
                "turn": state["turn"],
                "panel": panel,
                "values": values[panel * WIDTH : (panel + 1) * WIDTH],
            }
            for panel in range(-(-self.rank // WIDTH))
        ]
        found = self._do(f"turn {state['turn']}: residuals", jobs)
        wrong, lengths, signs = (np.concatenate(parts)[: self.rank] for parts in zip(*found, strict=True))
        return wrong, lengths * signs

    def _target(self, values: Sequence[float] | Floats) -> float:
        return self.tol * min(1.0, mean_degree(self.graph), float(values[self.rank - 1]))

    def _require_hope(self, state: dict[str, Any], worst: float, target: float, since: int) -> None:
        told = f"after {state['turn']} turns the largest residual is {worst:.1e}, and {target:.1e} is wanted"
        if target < FLOOR * state["limit"]:
            raise GraphError(
                f"{told}, below what the filter's 32 bits leave of degrees as large as {state['limit']:.3g}; "
                f"raise --tol to {self.tol * FLOOR * state['limit'] / target:.1e} or more."
            )
        if since >= PATIENCE:
            raise GraphError(f"{told}, and it no longer falls; raise --tol, or ask for a lower rank.")
        if state["turn"] >= self.turns:
            raise GraphError(f"{told}; raise --turns to go on from here, or --tol.")

    # -- state ------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """What the disk says; a beginning where it says nothing of this embedding."""
        try:
            known: dict[str, Any] = json.loads((self.work / "state.json").read_text(encoding="utf-8"))
            panels = [panel_path(self.work, "block", known["turn"], p) for p in range(self.panels)]
            if known["key"] == self.key and all(path.exists() for path in panels):
                return known
        except (OSError, ValueError, LookupError):
            pass
        for old in self.work.glob("*.npy"):
            old.unlink()
        self._do("first columns", [{"do": "draw", "panel": panel} for panel in range(self.panels)])
        limit = spectral_limit(self.graph)
        self.graph.give_back()
        cut = min(mean_degree(self.graph), 0.5 * limit)
        state = {"key": self.key, "turn": 0, "cut": cut, "limit": limit, "values": None, "products": 0}
        self._save(state)
        return state

    def _save(self, state: dict[str, Any]) -> None:
        with replacing(self.work / "state.json") as draft:
            draft.write_text(json.dumps(state), encoding="utf-8")

    def _do(self, what: str, jobs: Sequence[Job]) -> list[Any]:
        """All jobs, at the place; their results in order."""
        stage = ColumnStage(str(self.path), str(self.work.resolve()), self.panels, self.seed)
        found: dict[int, Any] = {}
        for done in self.place.results(stage, [Work(what, job, job["do"]) for job in jobs]):
            if done.number is not None:
                found[done.number] = done.result
            if self.progress is not None:
                by = self.place.told()
                self.progress(f"Embedding · {what}{f', {by}' if by else ''}", len(found), len(jobs))
        if len(found) < len(jobs):
            raise ClusterError(
                f"only {len(found)} of {len(jobs)} parts of '{what}' came back; run this again."
            )
        return [found[i] for i in range(len(jobs))]

    # -- the end ----------------------------------------------------------------------------------

    def _finish(self, state: dict[str, Any], lengths: Floats, wrong: Floats) -> None:
        values = np.array(state["values"][: self.rank])
        target = self.work / ROWS
        shape = (self.graph.num_nodes, self.rank + 1)
        reserve_array(target, np.float64, shape)
        places = stripes(self.graph.num_nodes)
        about = {"do": "write_rows", "turn": state["turn"], "scales": 1.0 / (lengths * np.sqrt(values))}
        about |= {"target": str(target.resolve()), "b": self.b}
        hashes = self._do("writing", [about | {"start": start, "stop": stop} for start, stop in places])
        self._keep(values, wrong, places, hashes, state["turn"], state["products"])

    @on_one_thread
    def _finish_at_once(self) -> None:
        """The whole spectrum of a small graph, or few pairs of one with few eigenvalues above 0."""
        pairs = smallest_eigenpairs(self.graph.in_memory(), self.rank, tol=min(self.tol, 1e-8))
        rows = np.hstack(
            [np.full((self.graph.num_nodes, 1), np.sqrt(self.b)), pairs.vectors / np.sqrt(pairs.values)]
        )
        if pairs.residual > self._target(pairs.values):
            raise GraphError(
                f"the largest residual is {pairs.residual:.1e}, and {self._target(pairs.values):.1e} is "
                "wanted; edge weights differ too much in size: rescale or drop the smallest, or raise --tol."
            )
        with replacing(self.work / ROWS) as draft, draft.open("wb") as file:
            np.save(file, rows := np.ascontiguousarray(rows), allow_pickle=False)
        places = stripes(self.graph.num_nodes)
        hashes = [hash_part(rows, start, stop) for start, stop in places]
        self._keep(pairs.values, np.full(self.rank, pairs.residual), places, hashes, 0, pairs.solves)

    def _keep(
        self,
        values: Floats,
        wrong: Floats,
        places: Sequence[tuple[int, int]],
        hashes: Sequence[str],
        turns: int,
        products: int,
    ) -> None:
        (self.base / MANIFEST).unlink(missing_ok=True)  # what was there is whole until now
        (self.work / ROWS).replace(self.base / ROWS)
        save_names(self.base, self.graph.names)
        parts = [
            {"from": start, "to": stop, "sha256": digest}
            for (start, stop), digest in zip(places, hashes, strict=True)
        ]
        manifest = {
            "key": self.key,
            "graph": self.graph.content_hash,
            "nodes": self.graph.num_nodes,
            "edges": self.graph.num_edges,
            "components": self.graph.num_components,
            "rank": self.rank,
            "b": self.b,
            "tol": self.tol,
            "seed": self.seed,
            "residual": float(wrong.max()),
            "residuals": wrong.tolist(),
            "turns": turns,
            "products": products,
            "parts": parts,
        }
        save_values(self.base, values, manifest)

    def _packed(self) -> tuple[Path, PackedGraph]:
        """The path of a pack of the graph, and that pack opened."""
        path = Path(self.source)
        if path.suffix.lower() == ".zkg":
            return path.resolve(), open_graph(path)
        graph, copy = read_graph(path), self.work / "graph.zkg"
        self.work.mkdir(parents=True, exist_ok=True)
        write_pack(graph, copy)
        return copy.resolve(), open_graph(copy)


def embed_graph(
    source: PathLike,
    folder: PathLike,
    rank: int = 100,
    *,
    place: Workplace | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> EmbeddedRows:
    """Embed a graph into a folder, and open what was made; options as in `Embedding`.

    Examples
    --------
    >>> import tempfile
    >>> from zerokelvin import generators, write_graph
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_graph(generators.barbell(10).graph, folder / "barbell.zkg")
    >>> found = embed_graph(folder / "barbell.zkg", folder / "emb", rank=3)
    >>> found.X.shape, found.values.round(3).tolist()
    ((20, 4), [0.169, 10.0, 10.0])
    """
    return Embedding(source, folder, rank, place=place or Here(), progress=progress, **options).run()

"""Every learner, and the peers a user would pick instead, on one labelled graph in the same orders.

Learners play with their default parameters, as in `zerokelvin.games.play_shuffles`; peers are played by
`zerokelvin.experiments.peers`, see every label, and are fitted again as labels arrive. Times are those of one
game, without compilation: preparing the graph once, plus the mean game. A row that takes longer than the time
limit is stopped and says so, with the figures of the games it has finished; a learner or peer that cannot
play this graph says why.

Above 300 lines: a comparison and the rows it consists of, with what each peer is given.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError, ZerokelvinError
from zerokelvin.experiments.peers import PEERS, Peer
from zerokelvin.games import Run, Runs, play
from zerokelvin.games.class_figures import ClassFigures, class_figures
from zerokelvin.games.labels import Labelling, encode_labels
from zerokelvin.graph import Graph
from zerokelvin.jit import compilation_seconds
from zerokelvin.learners import LEARNERS, make
from zerokelvin.sweeps.cells import Spread, SweepCell, sweep
from zerokelvin.sweeps.game_cells import labels_hash
from zerokelvin.sweeps.result_store import KeptResult, code_of, code_version

__all__ = ["Comparison", "Row", "compare"]

Progress = Callable[[str, int, int | None], None]

OWN = "zerokelvin"
INSTALL = "not installed: pip install zerokelvin[compare]"


@dataclass(frozen=True)
class Row:
    """The figures of one learner or peer; where there are none, `note` says why."""

    name: str
    package: str
    error: float | None = None
    error_std: float | None = None
    queried_nodes: float | None = None
    seconds: float | None = None
    note: str = ""
    games: int = 0
    macro_f1: float | None = None
    auc: float | None = None
    average_precision: float | None = None


@dataclass(frozen=True)
class Comparison:
    """One row per learner and peer, those with figures first, the least error first; and what was played."""

    nodes: int
    edges: int
    classes: int
    trials: int
    shuffles: int
    seed: int
    time_limit: float
    majority_error: float
    rows: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return dataclasses.asdict(self) | {"rows": [dataclasses.asdict(row) for row in self.rows]}


class _OutOfTimeError(Exception):
    """Raised to stop a game, with the trials done in all games of its row."""


def compare(
    graph: Graph,
    labels: Any,
    *,
    learners: Iterable[str] | None = None,
    peers: Iterable[str] | None = None,
    shuffles: int = 3,
    seed: int = 0,
    refit: int | None = None,
    time_limit: float = 60.0,
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> Comparison:
    """Play learners and peers over a whole labelling.

    Parameters
    ----------
    graph, labels
        As for `zerokelvin.play`.
    learners, peers
        Names; all by default. `zerokelvin.experiments.peers.PEERS` lists the peers.
    shuffles, seed
        Game i is played in the order that seed + i gives, the same for every row.
    refit
        Peers that learn in batches are fitted again after this many labels; see
        `zerokelvin.experiments.peers.refit_due` for the default.
    time_limit
        Seconds that all games of a row may take together, compilation not counted.
    progress
        Called with (row, trials done, trials in all).
    spread
        Where rows are played and kept: each is a cell of a sweep, which has the time limit for itself.

    Examples
    --------
    >>> line = Graph.from_edges([(i, i + 1) for i in range(19)])
    >>> labels = [0] * 10 + [1] * 10
    >>> table = compare(line, labels, learners=["nearest", "pounce"], peers=["sklearn-spreading"])
    >>> sorted(row.name for row in table.rows)
    ['nearest', 'pounce', 'sklearn-spreading']
    """
    if shuffles < 1:
        raise ParameterError(f"shuffles={shuffles} must be at least 1.")
    if refit is not None and refit < 1:
        raise ParameterError(f"refit={refit} must be at least 1.")
    if not time_limit > 0:
        raise ParameterError(f"time_limit={time_limit} must be positive.")
    own = [name for name in (LEARNERS if learners is None else learners) if LEARNERS[name]]
    others = [PEERS[name] for name in (PEERS if peers is None else peers)]
    if not (own or others):
        raise ParameterError("neither a learner nor a peer is named; a comparison needs at least one.")
    labelling = encode_labels(graph, labels)
    if len(labelling.known) == 0:
        raise ParameterError("no node has a label; a comparison needs at least one.")
    known = labelling.codes[labelling.known]
    games = _Games(graph, labelling, shuffles, seed, refit, time_limit, progress)
    if spread is None or not spread.asked_for:
        rows = [games.learner(name) for name in own] + [games.peer(peer) for peer in others]
    else:
        rows = _spread_rows(
            games, [("learner", name) for name in own] + [("peer", p.name) for p in others], spread
        )
    rows.sort(key=lambda row: (row.error is None, row.error or 0.0, row.name))
    return Comparison(
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        classes=len(labelling.classes),
        trials=len(labelling.known),
        shuffles=shuffles,
        seed=seed,
        time_limit=time_limit,
        majority_error=class_figures(labelling.classes, known, known).majority_error,
        rows=tuple(rows),
    )


@dataclass(frozen=True, eq=False)
class _Games:
    """The games of a comparison, the same for every learner and peer, with seeds from `seed` on."""

    graph: Graph
    labelling: Labelling
    shuffles: int
    seed: int
    refit: int | None
    time_limit: float
    progress: Progress | None

    def compute(self, task: tuple[str, str]) -> KeptResult:
        """The row of a learner or a peer, as a cell; what cannot be had here and now is not worth keeping."""
        kind, name = task
        row = self.learner(name) if kind == "learner" else self.peer(PEERS[name])
        lasting = row.error is not None or row.note.startswith(("stopped", "cannot"))
        return KeptResult(dataclasses.asdict(row), lasting=lasting)

    def learner(self, name: str) -> Row:
        """All games of a learner with its default parameters, or those it finishes in time."""
        began, note, preparing = time.perf_counter(), "", 0.0
        runs: list[Run] = []
        total = self.shuffles * len(self.labelling.known)
        with compilation_seconds() as compiling:

            def watch(trials: int, own: int) -> None:
                if self.progress is not None:
                    self.progress(name, len(runs) * own + trials, total)
                if trials < own:
                    self._require_time(began + compiling.seconds, len(runs) * own + trials)

            try:
                learner = make(name)
                graph = self.graph if learner.takes_attributes else self.graph.with_attributes(None)
                learner.check_domain(graph)
                prepared = learner.prepare(graph)
                preparing = time.perf_counter() - began - compiling.seconds
                for i in range(self.shuffles):
                    if i:
                        self._require_time(began + compiling.seconds, i * len(self.labelling.known))
                    seed = self.seed + i
                    runs.append(
                        play(graph, self.labelling, learner, seed=seed, prepared=prepared, progress=watch)
                    )
            except _OutOfTimeError as stop:
                note = self._stopped(stop.args[0] / total, len(runs))
            except ZerokelvinError as problem:
                note = f"cannot play this: {problem}"
        if not runs:
            return Row(name, OWN, note=note)
        played, figures = Runs(tuple(runs), preparing), [run.figures for run in runs]
        return Row(
            name,
            OWN,
            error=played.mean("error_multiclass"),
            error_std=played.std("error_multiclass"),
            queried_nodes=played.mean("queried_nodes"),
            seconds=preparing + played.mean("seconds"),
            note=note,
            games=len(runs),
            macro_f1=float(np.mean([one.macro_f1 for one in figures])),
            auc=_mean([one.auc for one in figures]),
            average_precision=_mean([one.average_precision for one in figures]),
        )

    def peer(self, peer: Peer) -> Row:
        """All games of a peer, in the orders the learners play."""
        if not peer.installed:
            return Row(peer.name, peer.package, note=INSTALL)
        known = self.labelling.known
        total, began, ended, note = self.shuffles * len(known), time.perf_counter(), 0.0, ""
        figures: list[ClassFigures] = []
        try:
            for i in range(self.shuffles):
                order = np.random.default_rng(self.seed + i).permutation(known)
                game = peer.start(self.graph, len(self.labelling.classes), self.refit)
                named = np.empty(len(order), dtype=np.int64)
                for t, node in enumerate(order.tolist()):
                    named[t] = game.predict(node)
                    game.learn(node, int(self.labelling.codes[node]))
                    if self.progress is not None and t % 64 == 0:
                        self.progress(peer.name, i * len(known) + t, total)
                    if t + 1 < len(known):
                        self._require_time(began, i * len(known) + t + 1)
                figures.append(class_figures(self.labelling.classes, self.labelling.codes[order], named))
                ended = time.perf_counter() - began
        except _OutOfTimeError as stop:
            note = self._stopped(stop.args[0] / total, len(figures))
        except Exception as problem:  # noqa: BLE001 - another package's error is a result here
            return Row(peer.name, peer.package, note=f"failed: {_one_line(problem)}")
        if self.progress is not None:
            self.progress(peer.name, total, total)
        if not figures:
            return Row(peer.name, peer.package, note=note)
        errors = [one.error for one in figures]
        return Row(
            peer.name,
            peer.package,
            error=float(np.mean(errors)),
            error_std=float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0,
            queried_nodes=float(len(known)),
            seconds=ended / len(figures),
            note=note,
            games=len(figures),
            macro_f1=float(np.mean([one.macro_f1 for one in figures])),
        )

    def _require_time(self, began: float, done: int) -> None:
        """Stop a row that began too long ago, after so many trials."""
        if time.perf_counter() - began > self.time_limit:
            raise _OutOfTimeError(done)

    def _stopped(self, share: float, finished: int) -> str:
        done = f"; {finished} of {self.shuffles} games finished" if finished else ""
        stopped = f"stopped at the time limit of {self.time_limit:g} s"
        return f"{stopped}, {100 * share:.0f} % of its trials done{done}"


def _spread_rows(games: _Games, tasks: list[tuple[str, str]], spread: Spread) -> list[Row]:
    """The rows as cells of a sweep."""
    common = {
        "kind": "row",
        "graph": games.graph.content_hash,
        "labels": labels_hash(games.labelling),
        "shuffles": games.shuffles,
        "seed": games.seed,
        "refit": games.refit,
        "time_limit": games.time_limit,
    }
    cells = [
        SweepCell(common | {"row": name, "code": _code(kind, name)}, (kind, name)) for kind, name in tasks
    ]
    stage = dataclasses.replace(games, progress=None)
    with spread.place() as place:
        kept = sweep(stage, cells, place, spread.store(), games.progress, "Playing")
    return [Row(**one.result) for one in kept]


def _code(kind: str, name: str) -> str:
    """The version of what plays a row: of a peer that of its package too."""
    if kind == "learner":
        return code_of(make(name))
    try:
        return f"{code_version()} {importlib.metadata.version(PEERS[name].package)}"
    except importlib.metadata.PackageNotFoundError:
        return code_version()


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _one_line(problem: Exception) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:200]

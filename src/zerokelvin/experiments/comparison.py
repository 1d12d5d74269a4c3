"""Every learner, and the peers a user would pick instead, on one labelled graph in the same orders.

Learners play with their default parameters, as in `zerokelvin.games.play_shuffles`; peers are played by
`zerokelvin.experiments.peers`, see every label, and are fitted again as labels arrive. Times are those of one
game, without compilation: preparing the graph once, plus the mean game. A row that takes longer than the time
limit is stopped and says so; a learner or peer that cannot play this graph says why.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError, ZerokelvinError
from zerokelvin.experiments.peers import PEERS, Peer
from zerokelvin.games import play_shuffles
from zerokelvin.games.labels import Labelling, encode_labels
from zerokelvin.graph import Graph
from zerokelvin.jit import compilation_seconds
from zerokelvin.learners import LEARNERS

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
    rows: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return dataclasses.asdict(self) | {"rows": [dataclasses.asdict(row) for row in self.rows]}


class _OutOfTimeError(Exception):
    """Raised from a progress report to stop a game."""


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
    games = _Games(graph, labelling, shuffles, seed, refit, time_limit, progress)
    rows = [games.learner(name) for name in own] + [games.peer(peer) for peer in others]
    rows.sort(key=lambda row: (row.error is None, row.error or 0.0, row.name))
    return Comparison(
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        classes=len(labelling.classes),
        trials=len(labelling.known),
        shuffles=shuffles,
        seed=seed,
        time_limit=time_limit,
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

    def learner(self, name: str) -> Row:
        """All games of a learner with its default parameters."""
        began, done = time.perf_counter(), 0.0
        with compilation_seconds() as compiling:

            def watch(trials: int, total: int) -> None:
                nonlocal done
                done = trials / total
                if self.progress is not None:
                    self.progress(name, trials, total)
                if time.perf_counter() - began - compiling.seconds > self.time_limit:
                    raise _OutOfTimeError

            try:
                runs = play_shuffles(
                    self.graph, self.labelling, name, shuffles=self.shuffles, seed=self.seed, progress=watch
                )
            except _OutOfTimeError:
                return Row(name, OWN, note=self._stopped(done))
            except ZerokelvinError as problem:
                return Row(name, OWN, note=f"cannot play this: {problem}")
        return Row(
            name,
            OWN,
            error=runs.mean("error_multiclass"),
            error_std=runs.std("error_multiclass"),
            queried_nodes=runs.mean("queried_nodes"),
            seconds=runs.prepare_seconds + runs.mean("seconds"),
        )

    def peer(self, peer: Peer) -> Row:
        """All games of a peer, in the orders the learners play."""
        if not peer.installed:
            return Row(peer.name, peer.package, note=INSTALL)
        known = self.labelling.known
        total, began, errors = self.shuffles * len(known), time.perf_counter(), []
        for i in range(self.shuffles):
            order = np.random.default_rng(self.seed + i).permutation(known)
            try:
                game = peer.start(self.graph, len(self.labelling.classes), self.refit)
                wrong = 0
                for t, node in enumerate(order.tolist()):
                    code = int(self.labelling.codes[node])
                    wrong += game.predict(node) != code
                    game.learn(node, code)
                    if self.progress is not None and t % 64 == 0:
                        self.progress(peer.name, i * len(known) + t, total)
                    if time.perf_counter() - began > self.time_limit:
                        return Row(
                            peer.name, peer.package, note=self._stopped((i * len(known) + t + 1) / total)
                        )
            except Exception as problem:  # noqa: BLE001 - another package's error is a result here
                return Row(peer.name, peer.package, note=f"failed: {_one_line(problem)}")
            errors.append(wrong / len(known))
        if self.progress is not None:
            self.progress(peer.name, total, total)
        return Row(
            peer.name,
            peer.package,
            error=float(np.mean(errors)),
            error_std=float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0,
            queried_nodes=float(len(known)),
            seconds=(time.perf_counter() - began) / self.shuffles,
        )

    def _stopped(self, share: float) -> str:
        return f"stopped at the time limit of {self.time_limit:g} s, {100 * share:.0f} % of its trials done"


def _one_line(problem: Exception) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:200]

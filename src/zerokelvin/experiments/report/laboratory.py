"""Where a claim is measured: games on graphs, kept by their content, and all of them on record.

A game is known by the hash of its graph and labels, the learner with its parameters, the seed and the version
of the code. Games on small graphs are played again faster than they are found, so only larger ones are kept
on their own; what a whole claim found is kept in any case.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.labelled_problem import Problem, load_problem
from zerokelvin.games import Run, play
from zerokelvin.games.labels import encode_labels
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.sweeps.result_store import ResultStore, code_version

__all__ = ["GameRecord", "Laboratory"]

SMALL = 1000  # nodes below which a game is not kept on its own


@dataclass(frozen=True)
class GameRecord:
    """The figures of one game, one row of the raw results; `bound` is None where it was not computed."""

    graph: str
    graph_hash: str
    nodes: int
    edges: int
    classes: int
    learner: str
    params: str
    seed: int
    trials: int
    mistakes: int
    error_binary: float
    error_multiclass: float
    queries: float
    queried_nodes: int
    bound: float | None
    bound_holds: bool | None
    theorem: str | None
    seconds: float


class Laboratory:
    """What a claim measures with.

    Attributes
    ----------
    seed
        Decides every order, draw and coin.
    fast
        Smaller sizes and fewer orders.
    games
        Every game of the claim, in the order played.
    """

    def __init__(self, store: ResultStore, room: str, seed: int = 0, fast: bool = False) -> None:
        self.store, self.seed, self.fast = store, seed, fast
        self.version = code_version(room)
        self.games: list[GameRecord] = []

    def pick(self, whole: Any, short: Any) -> Any:
        """The first, or with `fast` the second."""
        return short if self.fast else whole

    def seeds(self, whole: int, short: int) -> range:
        """As many seeds as there are orders to play."""
        return range(self.seed, self.seed + self.pick(whole, short))

    def problem(self, name: str) -> Problem:
        """The largest component of a data set."""
        return load_problem(name, component="largest")

    def remember(self, about: dict[str, Any], compute: Callable[[], Any]) -> Any:
        """A result in plain values that several claims of this room need."""
        return self.store.result(about | {"code": self.version, "seed": self.seed}, compute)

    def play(
        self,
        name: str,
        graph: Graph | Features,
        labels: Any,
        learner: str,
        *,
        seeds: Iterable[int] | None = None,
        bound: bool = True,
        order: Sequence[Any] | None = None,
        settings: dict[str, Any] | None = None,
        **params: Any,
    ) -> list[GameRecord]:
        """Play one game for every seed; `settings` go to `zerokelvin.play`, `params` to the learner."""
        domain = graph
        labelling = encode_labels(domain, labels, [-1, 1] if _signs(labels) else None)
        made = learners.make(learner, **params)
        key: dict[str, Any] = {
            "kind": "game",
            "graph": _hash(domain),
            "labels": hashlib.sha256(np.ascontiguousarray(labelling.codes).tobytes()).hexdigest(),
            "learner": learner,
            "params": _spelled(params),
            "settings": _spelled(settings or {}),
            "order": None if order is None else _spelled({"order": list(order)}),
            "bound": bound,
            "code": code_version(),
        }
        prepared: list[Any] = []

        def one(seed: int) -> dict[str, Any]:
            if not prepared:
                prepared.append(made.prepare(domain))
            began = time.process_time()
            run = play(
                domain, labelling, made, seed=seed, order=order, prepared=prepared[0], **(settings or {})
            )
            seconds = time.process_time() - began
            return dataclasses.asdict(_record(name, key["graph"], run, params, seed, bound, seconds))

        found = []
        for seed in self.seeds(1, 1) if seeds is None else seeds:
            if domain.num_nodes < SMALL:
                found.append(GameRecord(**one(seed)))
            else:
                row = self.store.result(key | {"seed": seed}, functools.partial(one, seed))
                found.append(GameRecord(**(row | {"graph": name})))
        self.games += found
        return found


def _signs(labels: Any) -> bool:
    """Whether labels are those of two classes, −1 and +1."""
    values = np.asarray(labels)
    return values.dtype.kind in "if" and set(np.unique(values).tolist()) <= {-1, 1}


def _hash(domain: Graph | Features) -> str:
    if isinstance(domain, Graph):
        return domain.content_hash
    return hashlib.sha256(np.ascontiguousarray(domain.X).tobytes()).hexdigest()


def _spelled(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _record(
    name: str, graph_hash: str, run: Run, params: dict[str, Any], seed: int, bound: bool, seconds: float
) -> GameRecord:
    domain = run.graph
    promised = run.bound if bound else None
    return GameRecord(
        graph=name,
        graph_hash=graph_hash,
        nodes=domain.num_nodes,
        edges=domain.num_edges if isinstance(domain, Graph) else 0,
        classes=len(run.classes),
        learner=run.learner.name,
        params=_spelled(params),
        seed=seed,
        trials=run.trials,
        mistakes=run.mistakes,
        error_binary=float(run.error_binary),
        error_multiclass=float(run.error_multiclass),
        queries=float(run.queries),
        queried_nodes=int(run.queried_nodes),
        bound=None if promised is None or not np.isfinite(promised.value) else float(promised.value),
        bound_holds=None if promised is None else bool(promised.certain),
        theorem=None if promised is None else promised.theorem,
        seconds=seconds,
    )

"""Games as cells: one for a learner with its parameters and a seed, on a labelled graph.

A game's key is the hash of the graph and of the labels, the learner, its parameters, the seed, what was asked
for besides (policy, budget, noise, …) and the version of the code. What is kept are the figures of the game,
and on request every trial, from which the `Run` is made again. What a learner prepares on the graph is made
once by each worker; no game depends on who plays it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.games import Run, Runs, play
from zerokelvin.games.frames import game_row
from zerokelvin.games.labels import Labelling
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.jit import compilation_seconds
from zerokelvin.learners import Learner
from zerokelvin.sweeps.cells import Progress, SweepCell, sweep
from zerokelvin.sweeps.places import Once, Workplace
from zerokelvin.sweeps.result_store import KeptResult, ResultStore, code_of

__all__ = ["GameStage", "GameTask", "game_cells", "labels_hash", "play_games"]

TRIALS = ("nodes", "codes", "predicted", "guessed", "margins", "asked")


class GameTask(NamedTuple):
    """One game: the learner, the seed, whether its bound is wanted, and whether its trials are."""

    learner: Learner
    seed: int
    bound: bool = False
    trials: bool = False


@dataclass(frozen=True, eq=False)
class GameStage:
    """A labelled graph and how games on it are played; `settings` go to `zerokelvin.play`."""

    domain: Graph | Features
    labelling: Labelling
    settings: Mapping[str, Any] = field(default_factory=dict)
    ready: Once = field(default_factory=Once, repr=False)

    def compute(self, task: GameTask) -> KeptResult:
        """Play one game; what is kept of it."""
        learner, forget, policy = task.learner, self.settings.get("forget"), self.settings.get("policy")
        chosen = wrapped(learner, policy, forget)

        def prepare() -> tuple[Any, float]:
            began = time.perf_counter()
            with compilation_seconds() as compiling:
                prepared = chosen.prepare(self.domain)
            return prepared, time.perf_counter() - began - compiling.seconds

        prepared, preparing = self.ready.get(repr(learner), prepare)
        rest = {name: value for name, value in self.settings.items() if name != "forget"}
        run = play(self.domain, self.labelling, chosen, seed=task.seed, prepared=prepared, **rest)
        row = game_row(run, task.bound)
        values: dict[str, Any] = {name: _plain(value) for name, value in row.items()}
        values |= {"processor_seconds": run.processor_seconds, "compile_seconds": run.compile_seconds}
        values |= {"prepare_seconds": preparing}
        if not task.trials:
            return KeptResult(values)
        if task.bound:
            values["whole_bound"] = dataclasses.asdict(run.bound)
        return KeptResult(values, {name: np.asarray(getattr(run, name)) for name in TRIALS})

    def run_of(self, task: GameTask, kept: KeptResult) -> Run:
        """The game again, from what was kept of its trials; a bound not kept is had by playing it."""
        values, arrays = kept.result, kept.arrays
        learner = wrapped(task.learner, self.settings.get("policy"), self.settings.get("forget"))

        def bound() -> Bound:
            if "whole_bound" in values:
                return _bound(values["whole_bound"])
            return self.again(task).bound

        return Run(
            graph=self.domain,
            learner=learner,
            classes=self.labelling.classes,
            seed=task.seed,
            nodes=arrays["nodes"],
            codes=arrays["codes"],
            predicted=arrays["predicted"],
            guessed=arrays["guessed"],
            margins=arrays["margins"],
            asked=arrays["asked"],
            seconds=values["seconds"],
            processor_seconds=values["processor_seconds"],
            compile_seconds=values["compile_seconds"],
            make_bound=bound,
        )

    def again(self, task: GameTask) -> Run:
        """The run of one cell, played again in this process."""
        return play(self.domain, self.labelling, task.learner, seed=task.seed, **self.settings)


def game_cells(stage: GameStage, tasks: Sequence[GameTask]) -> list[SweepCell]:
    """The cell of every game: what its result depends on."""
    common = {
        "graph": stage.domain.content_hash,
        "labels": labels_hash(stage.labelling),
        "settings": _spelled(stage.settings),
    }
    return [
        SweepCell(
            {
                "kind": "trials" if task.trials else "game",
                **common,
                "learner": task.learner.name,
                "params": _spelled(task.learner.params()),
                "seed": task.seed,
                "bound": task.bound,
                "code": code_of(task.learner),
            },
            task,
        )
        for task in tasks
    ]


def play_games(
    stage: GameStage,
    learners: Sequence[Learner],
    seeds: Sequence[int],
    place: Workplace,
    store: ResultStore,
    progress: Progress | None = None,
) -> list[Runs]:
    """All games of each learner, one for every seed; of the first the bound is computed with it."""
    tasks = [GameTask(learner, seed, seed == seeds[0], True) for learner in learners for seed in seeds]
    kept = sweep(stage, game_cells(stage, tasks), place, store, progress, "Playing")
    found = []
    for i in range(0, len(tasks), len(seeds)):
        pairs = list(zip(tasks[i : i + len(seeds)], kept[i : i + len(seeds)], strict=True))
        runs = tuple(stage.run_of(task, one) for task, one in pairs)
        found.append(Runs(runs, pairs[0][1].result["prepare_seconds"]))
    return found


def labels_hash(labelling: Labelling) -> str:
    """The SHA-256 of the class of every node and of the classes."""
    digest = hashlib.sha256(np.ascontiguousarray(labelling.codes, dtype=np.int64).tobytes())
    digest.update(repr(labelling.classes).encode())
    return digest.hexdigest()


def _spelled(values: Mapping[str, Any]) -> str:
    """Parameters as text that is the same in every process."""
    spelled = {name: repr(value) for name, value in sorted(values.items()) if value is not None}
    for name, text in spelled.items():
        if " object at 0x" in text:
            raise ParameterError(f"{name}={text} has no text of its own, so its results cannot be kept.")
    return ", ".join(f"{name}={text}" for name, text in spelled.items())


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _bound(values: Mapping[str, Any]) -> Bound:
    """A bound from its values, which JSON has carried."""
    return Bound(
        value=values["value"],
        theorem=values["theorem"],
        terms=values["terms"],
        assumptions=tuple(Assumption(**one) for one in values["assumptions"]),
        parts=tuple(_bound(part) for part in values["parts"]),
        expected=values["expected"],
    )

"""Many games as one table: learners, values of their parameters and seeds, one row per game."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zerokelvin import learners as learner_room
from zerokelvin.errors import ParameterError
from zerokelvin.games.counts import require_whole
from zerokelvin.games.frames import LIBRARIES, game_frame
from zerokelvin.games.labels import encode_labels
from zerokelvin.graph import Graph, as_graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import Policy
from zerokelvin.sweeps.cells import Spread, sweep
from zerokelvin.sweeps.game_cells import GameStage, GameTask, game_cells

__all__ = ["play_grid"]


def play_grid(
    graph: Graph | Features,
    labels: Any,
    learners: str | Iterable[str],
    params: Mapping[str, Mapping[str, Any]] | None = None,
    seeds: Iterable[int] = range(5),
    *,
    policy: Policy | str | None = None,
    budget: int | None = None,
    bounds: bool = False,
    library: str = "pandas",
    progress: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    results: str | None = None,
) -> Any:
    """Play every learner with every combination of its parameters and every seed: one row per game.

    Parameters
    ----------
    graph, labels, policy, budget
        As for `zerokelvin.play`.
    learners
        Registered names.
    params
        For a learner by name, its parameters by name, each one value or a list of values. A learner that is
        not named plays with its defaults.
    seeds
        The seed of each game, which decides order and coins.
    bounds
        Whether to compute the proven bound of every game as well, which may take longer than the game.
    library
        ``"pandas"`` or ``"polars"``.
    progress
        Called with (games played, games in all).
    jobs, cluster
        Play on so many processes of this machine, or on a Dask cluster: ``"local"``, ``"local:N"``,
        ``"tcp://HOST:PORT"``. The figures are the same, times aside.
    results
        Folder in which every game is kept as it ends, so that a grid that is begun again plays only what is
        missing; one in the user's cache where `jobs` or `cluster` is given.

    Returns
    -------
    A frame with the columns of `Runs.to_frame` and one more for every parameter named in `params`, missing
    where a learner does not have it. The work on the graph alone is done once for each learner and
    combination; its seconds are in none of the rows.

    Examples
    --------
    >>> from zerokelvin import generators
    >>> barbell = generators.barbell(10)
    >>> table = play_grid(
    ...     barbell.graph, barbell.labels, ["nearest", "perceptron"], {"perceptron": {"b": [1, 2]}}, range(2)
    ... )
    >>> table[["learner", "b", "seed"]].values.tolist()[1:4]
    [['nearest', nan, 1], ['perceptron', 1.0, 0], ['perceptron', 1.0, 1]]
    """
    names = [learners] if isinstance(learners, str) else list(learners)
    numbers = [require_whole("seed", seed) for seed in seeds]
    if not names or not numbers:
        raise ParameterError("a grid needs at least one learner and one seed.")
    for name in params or {}:
        if name not in names:
            raise ParameterError(f"params name '{name}', which is not played; add it to learners.")
    if library not in LIBRARIES:
        raise ParameterError(f"library={library!r} is not known; choose {' or '.join(LIBRARIES)}.")
    domain = as_graph(graph)
    chosen = [
        (learner_room.make(name, **own), own)
        for name in names
        for own in _combinations((params or {}).get(name, {}))
    ]
    for learner, _ in chosen:
        learner.check_domain(domain)
    stage = GameStage(domain, encode_labels(domain, labels), {"policy": policy, "budget": budget})
    tasks = [GameTask(learner, seed, bounds) for learner, _ in chosen for seed in numbers]

    def tell(_: str, done: int, total: int | None) -> None:
        if progress is not None:
            progress(done, total or 0)

    spread = Spread(jobs, cluster, results)
    with spread.place() as place:
        kept = sweep(stage, game_cells(stage, tasks), place, spread.store(), tell)
    parameters = [own for _, own in chosen for _ in numbers]
    return game_frame(
        _aligned([_row(own, one.result) for own, one in zip(parameters, kept, strict=True)]), library
    )


def _row(own: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a game: the learner, its parameters, its figures."""
    figures = {name: value for name, value in values.items() if name not in WORKED}
    return {"learner": figures.pop("learner"), **own, **figures}


WORKED = ("processor_seconds", "compile_seconds", "prepare_seconds")
"""What is kept of a game and is no column of a grid."""


def _combinations(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of the values of parameters; one value stands for itself."""
    lists = [list(v) if isinstance(v, (list, tuple, range)) else [v] for v in values.values()]
    for chosen in itertools.product(*lists):
        yield dict(zip(values, chosen, strict=True))


def _aligned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows, all with the same columns: the learner, parameters in order of appearance, figures."""
    figures = [name for name in rows[0] if all(name in row for row in rows)]
    given = dict.fromkeys(name for row in rows for name in row if name not in figures)
    order = ["learner", *given, *(name for name in figures if name != "learner")]
    return [{name: row.get(name) for name in order} for row in rows]

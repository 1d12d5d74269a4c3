"""Many games as one table: learners, values of their parameters and seeds, one row per game."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zerokelvin import learners as learner_room
from zerokelvin.errors import ParameterError
from zerokelvin.games.counts import require_whole
from zerokelvin.games.frames import LIBRARIES, game_frame, game_row
from zerokelvin.games.game import play
from zerokelvin.games.labels import encode_labels
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Graph, as_graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import Policy

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
    labelling = encode_labels(domain, labels)
    rows, total = [], len(chosen) * len(numbers)
    for learner, own in chosen:
        prepared = wrapped(learner, policy, None).prepare(domain)
        for seed in numbers:
            run = play(domain, labelling, learner, seed=seed, policy=policy, budget=budget, prepared=prepared)
            row = game_row(run, bounds)
            rows.append({"learner": row.pop("learner"), **own, **row})
            if progress is not None:
                progress(len(rows), total)
    return game_frame(_aligned(rows), library)


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

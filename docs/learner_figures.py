"""Tables of the site from games that the report played: which learner, and how close each bound comes.

The games lie in ``docs/reference/games.parquet``, written by the command that `WRITTEN_BY` says; no figure is typed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from zerokelvin.experiments.report.laboratory import GameRecord
from zerokelvin.experiments.reproduction.beyond.every_learner import closeness_table

__all__ = ["GAMES", "WRITTEN_BY", "closeness", "games_of", "which_learner"]

GAMES = Path(__file__).parent / "reference" / "games.parquet"
WRITTEN_BY = "zerokelvin reproduce all --only beyond/closeness"
ERRORS = BOUNDS = (
    "beyond/closeness"  # the claims whose games say which learner is best, and how close bounds come
)


def games_of(claim: str) -> list[GameRecord]:
    """The games of one claim of the report."""
    rows = pq.read_table(GAMES).to_pylist()
    return [
        GameRecord(**{key: value for key, value in row.items() if key not in ("claim", "version")})
        for row in rows
        if row["claim"] == claim
    ]


def which_learner() -> str:
    """The error of every learner on every graph, the least mean distance to the best first."""
    games = games_of(ERRORS)
    graphs = list(dict.fromkeys(game.graph for game in games))
    errors = {
        (name, graph): float(
            np.mean([g.error_multiclass for g in games if (g.learner, g.graph) == (name, graph)])
        )
        for name, graph in dict.fromkeys((game.learner, game.graph) for game in games)
    }
    best = {graph: min(error for (_, on), error in errors.items() if on == graph) for graph in graphs}
    behind = {
        name: [errors[name, graph] - best[graph] for graph in graphs if (name, graph) in errors]
        for name in dict.fromkeys(game.learner for game in games)
    }
    seconds = {name: max(g.seconds for g in games if g.learner == name) for name in behind}
    rows = []
    for name in sorted(behind, key=lambda name: (len(behind[name]) < len(graphs), np.mean(behind[name]))):
        cells = [_error(errors.get((name, graph)), best[graph]) for graph in graphs]
        far = f"{100 * np.mean(behind[name]):.1f}, {100 * max(behind[name]):.1f}"
        rows.append((f"[`{name}`](#{name})", far, *cells, f"{seconds[name]:.2g}"))
    return _table(("learner", "behind the best: mean, most", *graphs, "slowest game, s"), rows)


def _error(value: float | None, best: float) -> str:
    if value is None:
        return "–"
    return f"**{100 * value:.1f}**" if value == best else f"{100 * value:.1f}"


def closeness() -> str:
    """Proven bound over mistakes made, the closest first."""
    table = closeness_table(games_of(BOUNDS))
    rows = [(f"[`{name}`](../reference/learners.md#{name})", *cells) for name, *cells in table.rows]
    return _table(table.columns, rows)


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    numbers = [":--", *("--:" for _ in columns[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, numbers, *rows))

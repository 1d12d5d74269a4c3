"""Games as frames of pandas or polars, one row per trial or one row per game.

A row per trial has ``trial, node, label, predicted, mistake, asked, guessed, margin, confidence``: `guessed`
says that the class prior was followed, since no label of the node's component was known; `margin` is that of
the class predicted, or with two classes the signed one.

A row per game has ``learner, seed, nodes, edges, classes, trials, mistakes, error_multiclass, error_binary,
majority_error, macro_f1, auc, average_precision, queries, queried_nodes, seconds``, and on request ``bound,
bound_holds, bound_expected, bound_says_something`` (whether it holds and is below the number of trials). What
is not defined, such as the AUC of three classes, is missing.

A frame goes to parquet and back as it is. pandas and polars are imported when a frame is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from zerokelvin.asking.decision import confidences
from zerokelvin.errors import MissingDependencyError, ParameterError

__all__ = ["game_frame", "game_row", "make_frame", "trial_frame"]

LIBRARIES = ("pandas", "polars")
FIGURES = ("trials", "mistakes", "error_multiclass", "error_binary")
COSTS = ("queries", "queried_nodes", "seconds")


def trial_frame(run: Any, library: str = "pandas") -> Any:
    """A frame with one row per trial of a `Run`."""
    margins = run.margins
    rows = np.arange(run.trials)
    wide = margins.shape[1] > 1
    return make_frame(
        {
            "trial": rows,
            "node": run.order,
            "label": run.labels,
            "predicted": run.predictions,
            "mistake": run.mistaken,
            "asked": run.asked.any(axis=1),
            "guessed": run.guessed,
            "margin": margins[rows, run.predicted] if wide else margins[:, 0],
            "confidence": confidences(margins),
        },
        library,
    )


def game_row(run: Any, bounds: bool = False) -> dict[str, Any]:
    """The figures of one `Run` by name; see the module."""
    found = run.figures
    row: dict[str, Any] = {"learner": run.learner.name, "seed": run.seed}
    row |= {"nodes": run.graph.num_nodes, "edges": run.graph.num_edges, "classes": len(run.classes)}
    row |= {name: getattr(run, name) for name in FIGURES}
    row |= {"majority_error": found.majority_error, "macro_f1": found.macro_f1}
    row |= {"auc": found.auc, "average_precision": found.average_precision}
    row |= {name: getattr(run, name) for name in COSTS}
    if bounds:
        bound = run.bound
        row |= {"bound": bound.value, "bound_holds": bound.holds, "bound_expected": bound.expected}
        row |= {"bound_says_something": bound.says_something(run.trials)}
    return row


def game_frame(rows: Sequence[Mapping[str, Any]], library: str = "pandas") -> Any:
    """A frame with one row per game, of the columns that any of them has, in order of appearance."""
    names = dict.fromkeys(name for row in rows for name in row)
    return make_frame({name: [row.get(name) for row in rows] for name in names}, library)


def make_frame(columns: Mapping[str, Iterable[Any]], library: str = "pandas") -> Any:
    """A frame of pandas or polars with these columns, by name and of equal length."""
    if library not in LIBRARIES:
        raise ParameterError(f"library={library!r} is not known; choose {' or '.join(LIBRARIES)}.")
    try:
        frames = import_module(library)
    except ImportError:
        raise MissingDependencyError(
            f"'{library}' is not installed; get it with pip install {library}."
        ) from None
    plain = {name: _plain(values) for name, values in columns.items()}
    return frames.DataFrame(plain)


def _plain(values: Iterable[Any]) -> Any:
    """A column as an array or a list; texts as Python's own, numbers with gaps as floats."""
    if isinstance(values, np.ndarray):
        return values.tolist() if values.dtype.kind in "OU" else values
    column = list(values)
    numbers = [value for value in column if value is not None]
    if len(numbers) < len(column) and all(isinstance(value, (int, float)) for value in numbers):
        return np.array([np.nan if value is None else value for value in column], dtype=np.float64)
    return column

"""What every learner keeps to, whoever wrote it: graphs on a sound scale go in, finite margins come out.

`Learner`, `State` and `Game` put these around the methods of every class derived from them, so that a new
learner cannot leave them out:

- ``prepare``, ``start`` and ``start_game`` see a graph whose weights are far from the ends of the floats.
  Degrees that overflow are refused. Where weights lie beyond 10^±90 a learner that does not depend on their
  unit sees them times a power of two, which is exact; its margins, where they count weights, are in that
  unit. A learner that does depend on it (`Learner.unit_matters`) says so and refuses.
- ``margin``, ``margins`` and ``play`` never give NaN or an infinite number: they raise a `GraphError`
  instead.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.graph.scale import in_unit, sound_scale

__all__ = ["finite", "on_sound_scale", "require_finite", "wrap_own"]

FEW = 16
"""So many numbers are looked at one by one sooner than as an array."""


def wrap_own(cls: type, names: tuple[str, ...], wrap: Callable[[Any], Any]) -> None:
    """Wrap those of the named methods that a class defines itself."""
    for name in names:
        if name in vars(cls) and not getattr(vars(cls)[name], "__isabstractmethod__", False):
            setattr(cls, name, wrap(vars(cls)[name]))


def on_sound_scale(method: Callable[..., Any]) -> Callable[..., Any]:
    """A learner's method whose first argument, the graph, is brought to a sound scale."""

    @functools.wraps(method)
    def guarded(self: Any, graph: Graph, *values: Any, **named: Any) -> Any:
        return method(self, _sound(self, graph), *values, **named)

    return guarded


def finite(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that gives a margin, an array of them or a `Trace`, all of which must be finite."""

    @functools.wraps(method)
    def checked(self: Any, *values: Any, **named: Any) -> Any:
        found = method(self, *values, **named)
        require_finite(getattr(found, "margins", found))
        return found

    return checked


def require_finite(margins: Any) -> None:
    """Refuse a margin, or margins, that are not finite numbers."""
    if isinstance(margins, np.ndarray):
        if margins.size <= FEW:
            sound = all(map(math.isfinite, margins.ravel().tolist()))
        else:
            sound = bool(np.isfinite(margins).all())
    else:
        sound = math.isfinite(margins)
    if not sound:
        raise GraphError(
            "a margin is not a finite number: weights or parameters differ too much in size for floats; "
            "bring the weights to about 1, drop the smallest ones, or take less extreme parameters. Where "
            "they are ordinary, this is a fault of the learner: please report it with the graph and the seed."
        )


def _sound(learner: Any, graph: Any) -> Any:
    if not isinstance(graph, Graph) or isinstance(graph, ExponentialGraph):
        return graph  # an exponential graph has its own unit, and exponents beyond it
    exponent = sound_scale(graph)
    if exponent == 0:
        return graph
    if isinstance(graph, PackedGraph):
        raise GraphError(
            f"weights of up to {graph.weight_range[1]:.0e} in '{graph.source}' are too far from 1; divide "
            "all of them by that and pack again."
        )
    reason = learner.unit_matters()
    if reason:
        largest = graph.weight_range[1]
        raise GraphError(
            f"weights of up to {largest:.0e} are too far from 1 for '{learner.name}', which depends on their "
            f"unit ({reason}); divide all of them by {largest:.0e}."
        )
    return in_unit(graph, math.ldexp(1.0, exponent))

"""What a learner is: a frozen dataclass of parameters that starts states and games.

A `Learner` holds hyper-parameters only. ``prepare(graph)`` does the work that depends on the graph
alone (a kernel, an embedding, a spanning tree), once for all classes and shuffles. It then starts

- the `State` of one binary problem with ``start``: ``margin(node)`` is pure, the prediction its sign with
  sign(0) = +1; ``update(node, label)`` with a label in {-1, +1} alone changes it;
- the `Game` of several classes with ``start_game``: ``scores(nodes)`` is pure, ``learn(node, code)`` alone
  changes it, ``play(trials)`` does both over many.

A learner writes one of the two. From its states a game is made by `OneVsRest`, or a subclass of it named in
``Learner.game``, which may play compiled; its game of two classes is a state by `Binary`. When a graph grows,
games hand over to new ones (`zerokelvin.learners.base.growth`).

Three things are seen to here for every learner, by wrapping the methods that subclasses define:

- linear algebra has one thread wherever a margin is made (`zerokelvin.threads`);
- graphs come with weights that floats can carry, and margins go out finite (`learners.base.sound`);
- the work is done on the graph numbered by the names of its nodes (``graph.by_name``), whatever the numbering
  the caller uses (`learners.base.renumbered`): margins, draws and ties depend on names, not on numbers.

And every label that reaches a state is on its record (`zerokelvin.learners.base.noting`).
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.learners.base.growth import EXACT
from zerokelvin.learners.base.multiclass import Game
from zerokelvin.learners.base.one_vs_rest import Binary, OneVsRest
from zerokelvin.learners.base.parameters import check_types, make_plain
from zerokelvin.learners.base.renumbered import RenumberedGame, RenumberedState
from zerokelvin.learners.base.sound import on_sound_scale, wrap_own
from zerokelvin.learners.base.state import State
from zerokelvin.learners.base.trial_arrays import columns_of
from zerokelvin.registry import Registry
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.threads import on_one_thread

__all__ = ["LEARNERS", "Learner", "learner", "make", "names"]


def _by_name(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a learner that takes a graph, given it numbered by name; what it starts is translated."""

    @on_one_thread
    @functools.wraps(method)
    def given(self: Learner, graph: Graph, *values: Any, **named: Any) -> Any:
        if isinstance(graph, PackedGraph):
            self.check_packed(graph)
        inner = graph.by_name if type(graph) is Graph and self.goes_by_name() else graph
        found = method(self, inner, *values, **named)
        if inner is graph:
            return found
        if isinstance(found, State):
            return RenumberedState(found, graph)
        return RenumberedGame(found, graph) if isinstance(found, Game) else found

    return given


def _with_plain_numbers(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """`__post_init__` of a learner whose parameters are Python's numbers before it looks at them."""

    @functools.wraps(method)
    def begin(self: Any) -> None:
        make_plain(self)
        method(self)

    return begin


@dataclass(frozen=True)
class Learner:
    """Hyper-parameters of a learner; subclasses are frozen dataclasses with defaults.

    `growth` says what holds after the graph has grown: ``"exact"``, margins are those of a session started
    on the new graph, ``"carried"`` or ``"ordered"``; see `learners.base.growth`. `calibrated` says that its
    games know probabilities (`Game.chances`). The checks of `zerokelvin.checks` play a learner by name with
    each of its `variants`, parameters under which it behaves differently, and on graphs of `checked_up_to`
    nodes at most. `purpose`, `choose` and `cost` are words for people who look for a learner: what it is for,
    when to choose it, what it costs.
    """

    name: ClassVar[str] = ""
    purpose: ClassVar[str] = ""
    choose: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    growth: ClassVar[str] = EXACT
    multiclass: ClassVar[bool] = True
    has_variance: ClassVar[bool] = False
    has_value: ClassVar[bool] = False
    takes_features: ClassVar[bool] = False
    takes_attributes: ClassVar[bool] = False
    calibrated: ClassVar[bool] = False
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({},)
    checked_up_to: ClassVar[int] = 1_000_000
    game: ClassVar[type[OneVsRest[Any]]] = OneVsRest

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Refuse parameters of the wrong type before `__post_init__` looks at their values."""
        fields = (field.name for field in dataclasses.fields(cls))
        check_types(cls, dict(zip(fields, values, strict=False)) | named)
        return super().__new__(cls)

    def __init_subclass__(cls, **named: Any) -> None:
        """Let a subclass see graphs of a sound scale, numbered by name, one thread and plain numbers."""
        super().__init_subclass__(**named)
        wrap_own(cls, ("prepare", "start", "start_game"), on_sound_scale)
        wrap_own(cls, ("prepare", "start", "start_game"), _by_name)
        wrap_own(cls, ("__post_init__",), _with_plain_numbers)

    def __post_init__(self) -> None:
        make_plain(self)

    def prepare(self, graph: Any) -> Any:
        """Do the work that depends on the graph alone; the result is shared, so never changed."""
        return None

    @_by_name
    def start(self, graph: Any, prepared: Any = None, rng: np.random.Generator | None = None) -> State:
        """Begin one binary problem. `rng` serves draws made at the start; later coins are hashes."""
        if type(self).start_game is Learner.start_game:
            raise ParameterError(
                f"learner {type(self).__name__} has neither start nor start_game; write one of them."
            )
        seed = 0 if rng is None else int(rng.integers(1 << 62))
        return Binary(self.start_game(graph, 2, prepared, seed))

    @_by_name
    def start_game(self, graph: Any, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game of so many classes, at least two, with the work of `prepare` and a seed."""
        ready = self.prepare(graph) if prepared is None else prepared
        count = columns_of(classes)
        return type(self).game([self.start(graph, ready, np.random.default_rng(seed)) for _ in range(count)])

    def check_domain(self, graph: Any) -> None:
        """Refuse a domain that this learner cannot work with."""
        if not isinstance(graph, (Graph, Features)):
            raise ParameterError(
                f"{type(graph).__name__} is no graph; make one with Graph.from_edges or read_graph."
            )
        if isinstance(graph, Features) and not self.takes_features:
            raise ParameterError(
                f"learner '{self.name}' needs a graph, not features; build one with knn_graph(X)."
            )
        if isinstance(graph, PackedGraph):
            self.check_packed(graph)
        if isinstance(graph, Graph) and graph.attributes is not None and not self.takes_attributes:
            raise ParameterError(
                f"learner '{self.name}' predicts from edges alone; take 'auto', or leave the attributes out."
            )
        if isinstance(graph, ExponentialGraph) and graph.num_clamped and not self.takes_exponents():
            warnings.warn(
                f"{graph.num_clamped} of {graph.num_edges} weights are too small for floats and all count as "
                "1e-300 of the largest; 'pounce', and 'nearest' with distance='resistance', use exponents "
                f"instead, while '{self.name}' needs a smaller scale a.",
                ScalingWarning,
                stacklevel=2,
            )

    def needs_whole(self) -> str:
        """Why a packed graph is refused: it needs all of it in memory; "" where its work is local."""
        return "its work is not local"

    def check_packed(self, graph: PackedGraph) -> None:
        """Refuse a packed graph where the work is not local."""
        if reason := self.needs_whole():
            raise ParameterError(
                f"learner '{self.name}' needs the whole graph in memory ({reason}), and '{graph.source}' is "
                "packed; take 'propagation', 'gaussian', 'nearest' or 'auto' as they are, or read it all "
                "with graph.in_memory()."
            )

    def unit_matters(self) -> str:
        """Why predictions change when all weights are multiplied by a constant; "" where they do not."""
        return ""

    @property
    def costs(self) -> Any:
        """What its decisions cost (`zerokelvin.asking.costs`); None where mistakes are merely counted."""
        return None

    def named(self, classes: Sequence[Hashable], closed: bool = True) -> Learner:
        """The same where classes have these names, and no others come if they are `closed`."""
        return self

    def goes_by_name(self) -> bool:
        """Whether it may number nodes by name: not with a matrix of the caller's, which has its own order."""
        plain = (str, int, float, bool, type(None), np.number)
        return all(
            value.goes_by_name() if isinstance(value, Learner) else isinstance(value, plain)
            for value in (getattr(self, field.name) for field in dataclasses.fields(self))
        )

    def asks_apart(self) -> bool:
        """Whether the problems of several classes may ask for different labels, each by its own rule."""
        return False

    def takes_exponents(self) -> bool:
        """Whether it uses the exponents of an `ExponentialGraph`, whatever its weights can hold."""
        return False

    def params(self) -> dict[str, Any]:
        """The hyper-parameters by name."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}


LEARNERS: Registry[type[Learner]] = Registry("learner", room="zerokelvin.learners", decorator="learner")
L = TypeVar("L", bound=type[Learner])


def learner(name: str) -> Callable[[L], L]:
    """Class decorator that makes a learner available everywhere under `name`."""

    def register(cls: L) -> L:
        cls.name = name
        LEARNERS.add(name)(cls)
        return cls

    return register


def names() -> list[str]:
    """The registered learners, sorted."""
    return list(LEARNERS)


def make(name: Any, **params: Any) -> Learner:
    """A learner by name and parameters; a ready-made learner passes through.

    >>> make("perceptron", b=2.0).params()["b"]
    2.0
    """
    if isinstance(name, Learner):
        if params:
            raise ParameterError(
                f"{type(name).__name__} has its parameters already; drop {', '.join(params)}."
            )
        return name
    if not isinstance(name, str):
        raise ParameterError(f"{name!r} is no learner; give one of {', '.join(names())}.")
    cls = LEARNERS[name]
    known = [f.name for f in dataclasses.fields(cls)]
    for param in params:
        if param not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise ParameterError(f"learner '{name}' has no parameter '{param}'; {takes}.")
    return cls(**params)

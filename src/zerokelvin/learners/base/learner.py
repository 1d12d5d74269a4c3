"""What a learner is: a frozen dataclass of parameters that starts states.

A `Learner` holds hyper-parameters only. ``prepare(graph)`` does the work that depends on the graph
alone (a kernel, an embedding, a spanning tree), once for all classes and shuffles; ``start`` gives
the `State` of one binary problem:

- ``margin(node)`` is pure; the prediction is its sign, with sign(0) = +1;
- ``update(node, label)`` with a label in {-1, +1} alone changes the state;
- ``ask(node, trial)`` says whether a selective learner wants this label;
- ``variance(node)`` is how unsure it still is, for learners with `has_variance`;
- ``bound(labels)`` is the proven bound on its mistakes against the labelling ``labels``.

A multi-class game plays one such problem per class (`Problems`). The default plays in a Python
loop; a learner whose predictions are look-ups overrides ``Problems.play`` with a compiled one and
names the class in ``Learner.problems``. When a graph grows, problems hand over to new ones
(`zerokelvin.learners.base.growth`).

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
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.policies import confidence, worth_asking
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.learners.base.growth import EXACT, Growth
from zerokelvin.learners.base.noting import note_problems, note_state
from zerokelvin.learners.base.parameters import check_types, make_plain
from zerokelvin.learners.base.record import Record
from zerokelvin.learners.base.sound import finite, on_sound_scale, wrap_own
from zerokelvin.registry import Registry
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.threads import on_one_thread

__all__ = ["LEARNERS", "Learner", "Problems", "State", "Trace", "Trials", "learner", "make", "names", "sign"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[int], None]


def sign(margin: float) -> int:
    """The label a margin stands for: +1 from 0 on, −1 below."""
    return 1 if margin >= 0 else -1


class State(ABC):
    """One binary problem: predicts with `margin`, learns with `update`.

    Subclasses list in `fields` the attributes that `update` changes (arrays, lists of numbers or
    scalars); `snapshot` and `restore` then work without further code. A subclass that leaves
    `fields` empty is restored by replaying its updates instead.

    `record` holds every label that reached the state, in order, and is among the `fields`, all without
    further code (`zerokelvin.learners.base.noting`): what a bound assumes of the labels is judged against it.
    """

    fields: ClassVar[tuple[str, ...]] = ()
    record: Record

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        """A state with an empty record."""
        state = super().__new__(cls)
        state.record = Record()
        return state

    def __init_subclass__(cls, **named: Any) -> None:
        """Have every label that reaches a state of the new class noted, margins finite, one thread used."""
        super().__init_subclass__(**named)
        note_state(cls)
        wrap_own(cls, ("margin", "margins"), finite)
        wrap_own(cls, _OF_STATES, on_one_thread)

    @property
    def seen_nodes(self) -> Ints:
        """The node of every label on the record, −1 for a vector that is no node."""
        return self.record.nodes

    @seen_nodes.setter
    def seen_nodes(self, nodes: Ints) -> None:
        self.record.replace(0, nodes, np.zeros(len(nodes), dtype=np.int8))

    @property
    def seen_labels(self) -> NDArray[np.int8]:
        """The labels on the record."""
        return self.record.labels

    @seen_labels.setter
    def seen_labels(self, labels: NDArray[np.int8]) -> None:
        self.record.replace(0, self.record.nodes, labels)

    @abstractmethod
    def margin(self, node: int) -> float:
        """The signed confidence that `node` is labelled +1; pure."""

    @abstractmethod
    def update(self, node: int, label: int) -> None:
        """Learn that `node` is labelled `label`, −1 or +1."""

    def ask(self, node: int, trial: int | None = None) -> bool:
        """Whether the learner wants this label; learners that are not selective always do.

        `trial` counts the trials before this one, asked or not; without it, the labels learnt so far.
        """
        return True

    def may_ask(self, node: int, trial: int | None = None) -> bool:
        """Whether it would want this label by some coin; learners that toss none, whether they want it."""
        return self.ask(node, trial)

    def variance(self, node: int) -> float:
        """How unsure the margin of `node` is, at least 0; only learners with `has_variance` know."""
        raise ParameterError(
            f"{type(self).__name__} has no variance; use a policy that needs none, or another learner."
        )

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes; override where a whole array costs less than its elements."""
        return np.array([self.margin(int(node)) for node in nodes], dtype=np.float64)

    def bound(self, labels: Ints) -> Bound:
        """The bound on this state's mistakes against a labelling in {-1, +1}ⁿ."""
        return Bound(float("inf"), "no bound is known", {}, (Assumption("a bound is proven", False),))

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin of `node`, with their contributions to it."""
        return []

    def trail(self, node: int) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach `node`, for learners that follow such a path."""
        return ()

    def remark(self, node: int) -> str:
        """A clause on how the margin of `node` came about, part of the prediction's reason; "" for none."""
        return ""

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of everything that `update` changes, as arrays."""
        return {name: np.array(getattr(self, name)) for name in self.fields}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh state to where `snapshot` was taken."""
        for name in self.fields:
            current, saved = getattr(self, name), arrays[name]
            if isinstance(current, np.ndarray) and current.shape == saved.shape:
                current[...] = saved
            elif isinstance(current, list):
                setattr(self, name, saved.tolist())
            else:
                setattr(self, name, type(current)(saved) if saved.ndim == 0 else saved.copy())


note_state(State)


@dataclass(frozen=True)
class Trials:
    """The trials of a game, as arrays a compiled loop can read.

    ``signs[t, c]`` is the label of trial t in problem c. A label is asked for where the confidence is
    below ``limits[t]``, while fewer than `budget` trials have been asked, and reaches the learner
    `delay` trials later. Policies that look at the variance set `gains` and `floors` too: then ask where
    the variance is above ``floors[t]`` and the confidence below ``limits[t] + gains[t] √variance``; with
    `by_value` the value of the label takes the place of the variance: what it is worth to the nodes not yet
    shown, of the whole graph where `num_nodes` is given, else of these trials.
    """

    nodes: Ints
    signs: NDArray[np.int8]
    limits: Floats
    delay: int
    budget: int
    gains: Floats | None = None
    floors: Floats | None = None
    by_value: bool = False
    num_nodes: int = 0

    def waiting(self) -> NDArray[np.bool_]:
        """The nodes whose labels are still to come, before the first trial."""
        waiting = np.ones(max(self.num_nodes, 1 + int(self.nodes.max(initial=0))), dtype=np.bool_)
        if self.num_nodes == 0:
            waiting[:] = False
            waiting[self.nodes] = True
        return waiting


@dataclass(frozen=True)
class Trace:
    """What happened: the margin of every problem before each trial, and whether it asked."""

    margins: Floats
    asked: NDArray[np.bool_]

    @classmethod
    def empty(cls, trials: Trials) -> Trace:
        """Arrays to fill in: no margin is a number yet, nothing is asked."""
        return cls(np.full(trials.signs.shape, np.nan), np.zeros(trials.signs.shape, dtype=np.bool_))

    @classmethod
    def all_asked(cls, trials: Trials) -> Trace:
        """Margins to fill in, of a game in which every label is asked for."""
        return cls(np.full(trials.signs.shape, np.nan), np.ones(trials.signs.shape, dtype=np.bool_))


class Problems:
    """The binary problems of one game side by side: one for two classes, else one per class.

    `bound_outlives_growth` says that the bound also covers mistakes made before the graph grew.
    """

    bound_outlives_growth: ClassVar[bool] = False

    def __init__(self, states: Sequence[State]) -> None:
        self.states = tuple(states)

    def __init_subclass__(cls, **named: Any) -> None:
        """Have every label that problems of the new class learn noted, margins finite, one thread used."""
        super().__init_subclass__(**named)
        note_problems(cls)
        wrap_own(cls, ("margins", "play"), finite)
        wrap_own(cls, _OF_PROBLEMS, on_one_thread)
        wrap_own(cls, ("hand_over",), _to_renumbered)

    def margins(self, node: int) -> Floats:
        """The margin of `node` in every problem."""
        return np.array([state.margin(node) for state in self.states])

    def asks(self, node: int, trial: int | None = None) -> NDArray[np.bool_]:
        """Which problems want this label by their own rule."""
        return np.array([state.ask(node, trial) for state in self.states], dtype=np.bool_)

    def may_ask(self, node: int, trial: int | None = None) -> bool:
        """Whether some problem would want this label by some coin."""
        return any(state.may_ask(node, trial) for state in self.states)

    def variance(self, node: int) -> float:
        """The variance of the least sure problem."""
        return max(state.variance(node) for state in self.states)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """How much a label of `node` is worth to the nodes that wait; only learners with `has_value` know."""
        raise ParameterError(
            f"{type(self).__name__} knows no value of a label; use another policy or another learner."
        )

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Give every problem (or those where `learns`) its label of `node`."""
        for c, state in enumerate(self.states):
            if learns is None or learns[c]:
                state.update(node, int(signs[c]))

    def teach(self, nodes: Ints, signs: NDArray[np.int8]) -> None:
        """Learn answers in order, whatever a rule of asking says; override where a compiled game can."""
        for node, row in zip(nodes.tolist(), signs, strict=True):
            self.update(node, row)

    def hand_over(self, heir: Problems, growth: Growth) -> None:
        """Bring problems just started on a grown graph to where these are; changes nothing here.

        By default they learn all answers again; see `zerokelvin.learners.base.growth`.
        """
        heir.teach(*growth.answers())

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound on the mistakes of the class, against one labelling in {-1, +1}ⁿ per problem."""
        return Bound.total([state.bound(u) for state, u in zip(self.states, labels, strict=True)])

    def chances(self, node: int) -> Floats | None:
        """The probability of each class, where the learner knows calibrated ones."""
        return None

    def remaining_error(self, spent: bool = False) -> float | None:
        """The estimated share of nodes that go out wrong unasked, where the learner has a target for it.

        `spent` tells that nothing can be asked any more; None that too little is known yet.
        """
        return None

    def trusted(self) -> dict[str, float]:
        """The weight of every expert, where the learner is a mixture."""
        return {}

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Predict, ask and learn over all trials, in order."""
        trace = Trace.empty(trials)
        asked_trials = 0
        waiting = trials.waiting()
        for t, node in enumerate(trials.nodes.tolist()):
            margins = self.margins(node)
            waiting[node] = False
            first = asked_trials == 0
            if asked_trials < trials.budget and (first or self._worthwhile(trials, t, margins, waiting)):
                trace.asked[t] = True if first else self.asks(node, t)
                asked_trials += bool(trace.asked[t].any())
            trace.margins[t] = margins
            self._learn(trials, trace, t - trials.delay)
            if progress is not None:
                progress(t + 1)
        for t in range(max(0, len(trials.nodes) - trials.delay), len(trials.nodes)):
            self._learn(trials, trace, t)
        return trace

    def _worthwhile(self, trials: Trials, t: int, margins: Floats, waiting: NDArray[np.bool_]) -> bool:
        sureness, limit = confidence(margins), float(trials.limits[t])
        if trials.gains is None or trials.floors is None:
            return sureness < limit
        node = int(trials.nodes[t])
        spread = self.value(node, waiting) if trials.by_value else self.variance(node)
        return worth_asking(sureness, spread, limit, float(trials.gains[t]), float(trials.floors[t]))

    def _learn(self, trials: Trials, trace: Trace, t: int) -> None:
        if t >= 0 and trace.asked[t].any():
            self.update(int(trials.nodes[t]), trials.signs[t], trace.asked[t])


_OF_STATES = ("margin", "margins", "update", "ask", "variance", "bound", "explain", "restore")
_OF_PROBLEMS = (
    "margins",
    "asks",
    "variance",
    "value",
    "update",
    "teach",
    "hand_over",
    "bound",
    "chances",
    "play",
)


def _to_renumbered(method: Callable[..., None]) -> Callable[..., None]:
    """`hand_over` whose heir may number its nodes otherwise."""

    @functools.wraps(method)
    def given(self: Problems, heir: Problems, growth: Growth) -> None:
        from zerokelvin.learners.base.renumbered import RenumberedProblems, hand_over

        plain = isinstance(self, RenumberedProblems) or not isinstance(heir, RenumberedProblems)
        method(self, heir, growth) if plain else hand_over(self, heir, growth)

    return given


def _by_name(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a learner that takes a graph, given it numbered by name; what it starts is translated."""

    @on_one_thread
    @functools.wraps(method)
    def given(self: Learner, graph: Graph, *values: Any, **named: Any) -> Any:
        inner = graph.by_name if type(graph) is Graph and self.goes_by_name() else graph
        found = method(self, inner, *values, **named)
        if inner is graph or not isinstance(found, (State, Problems)):
            return found
        from zerokelvin.learners.base.renumbered import RenumberedProblems, RenumberedState

        outer = RenumberedState if isinstance(found, State) else RenumberedProblems
        return outer(found, graph)  # type: ignore[arg-type]

    return given


def _with_plain_numbers(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """`__post_init__` of a learner whose parameters are Python's numbers before it looks at them."""

    @functools.wraps(method)
    def begin(self: Any) -> None:
        make_plain(self)
        method(self)

    return begin


note_problems(Problems)
wrap_own(Problems, _OF_PROBLEMS, on_one_thread)
wrap_own(Problems, ("hand_over",), _to_renumbered)


@dataclass(frozen=True)
class Learner(ABC):
    """Hyper-parameters of a learner; subclasses are frozen dataclasses with defaults.

    `growth` says what holds after the graph has grown: ``"exact"``, margins are those of a session started
    on the new graph, or ``"carried"``; see `learners.base.growth`. `calibrated` says that its problems
    know probabilities (`Problems.chances`).
    """

    name: ClassVar[str] = ""
    growth: ClassVar[str] = EXACT
    multiclass: ClassVar[bool] = True
    has_variance: ClassVar[bool] = False
    has_value: ClassVar[bool] = False
    takes_features: ClassVar[bool] = False
    calibrated: ClassVar[bool] = False
    problems: ClassVar[type[Problems]] = Problems

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Refuse parameters of the wrong type before `__post_init__` looks at their values."""
        fields = (field.name for field in dataclasses.fields(cls))
        check_types(cls, dict(zip(fields, values, strict=False)) | named)
        return super().__new__(cls)

    def __init_subclass__(cls, **named: Any) -> None:
        """Let a subclass see graphs of a sound scale, numbered by name, one thread and plain numbers."""
        super().__init_subclass__(**named)
        wrap_own(cls, ("prepare", "start", "start_problems"), on_sound_scale)
        wrap_own(cls, ("prepare", "start", "start_problems"), _by_name)
        wrap_own(cls, ("__post_init__",), _with_plain_numbers)

    def __post_init__(self) -> None:
        make_plain(self)

    def prepare(self, graph: Any) -> Any:
        """Do the work that depends on the graph alone; the result is shared, so never changed."""
        return None

    @abstractmethod
    def start(self, graph: Any, prepared: Any = None, rng: np.random.Generator | None = None) -> State:
        """Begin one binary problem on a `Graph`, or on `Features` where the learner takes them.

        `rng` serves draws made at the start; later coins are hashes.
        """

    @_by_name
    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems that share `prepared` and the seed."""
        starts = (self.start(graph, prepared, np.random.default_rng(seed)) for _ in range(count))
        return type(self).problems(list(starts))

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
        if isinstance(graph, ExponentialGraph) and graph.num_clamped and not self.takes_exponents():
            warnings.warn(
                f"{graph.num_clamped} of {graph.num_edges} weights are too small for floats and all count as "
                "1e-300 of the largest; 'pounce', and 'nearest' with distance='resistance', use exponents "
                f"instead, while '{self.name}' needs a smaller scale a.",
                ScalingWarning,
                stacklevel=2,
            )

    def unit_matters(self) -> str:
        """Why predictions change when all weights are multiplied by a constant; "" where they do not."""
        return ""

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


LEARNERS: Registry[type[Learner]] = Registry("learner")
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

"""What the minimum-cut learners have in common: the state of one problem, and its compiled game.

A state keeps the Picard–Queyranne graph of the labels seen (`zerokelvin.flow.OnlineCut`). Its margin is

- ±1 where every label-consistent minimum cut agrees on the node: a look-up;
- by the strategy of the learner on an inner node, never 0, so that a tie goes to −1, the source;
- 0 in a connected component without labels, where games and sessions guess the class prior.

Labels may come late or twice; where a node is given another label than before, the last one counts and
its connected component is replayed. Where the graph grows, flows of path problems are carried over. The
bound is computed afterwards, from the record of every label.

Reference: Herbster, Pasteris and Ghosh (2015), Figure 3.

Above 300 lines: states, their game and the compiled game of all problems share the arrays of one cut.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.flow.online.components import length
from zerokelvin.flow.online.cut_arrays import INNER, NONE, SIDE, TOUCHES, CutArrays, borrowed, without_flow
from zerokelvin.flow.online.grown_cut import GrownRows, grown_rows
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.flow.online.paths import CutPath
from zerokelvin.flow.online.trials import learn
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.learners.base import Game, OneVsRest, Progress, State, Trace, Trials
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.kept import PackedArray
from zerokelvin.learners.base.record import require_labels
from zerokelvin.learners.cuts.cut_bounds import path_certificate
from zerokelvin.threads import in_threads
from zerokelvin.undo import Undo

__all__ = [
    "AGREED",
    "CutState",
    "PathGame",
    "PathState",
    "TouchLimit",
    "compare_lengths",
    "is_plain",
    "learn_all",
    "play_until",
]

AGREED = "every minimum cut that agrees with the labels says so"


class TouchLimit(NamedTuple):
    """How many arcs a game may touch: in all before it, and for each of its trials."""

    total: int
    per_trial: int


UNLIMITED = TouchLimit(2**62, 0)  # more than can ever be touched


class CutState(State):
    """One binary problem of a minimum-cut learner; subclasses say what an inner node's margin is."""

    fields: ClassVar[tuple[str, ...]] = ("seen_nodes", "seen_labels")

    def __init__(self, graph: Graph, cut: OnlineCut) -> None:
        self.graph = graph
        self.cut = cut.copy()

    def margin(self, node: int) -> float:
        """±1 where all minimum cuts agree, 0 without labels, else what the strategy says."""
        side = self.cut.side(node)
        if side != INNER:
            return float(side)
        return 0.0 if self.cut.is_free(node) else self.inner_margin(node)

    @abstractmethod
    def inner_margin(self, node: int) -> float:
        """The strategy's margin of an inner node in a component with labels; not 0."""

    def update(self, node: int, label: int) -> None:
        """Take the label; another one than before replaces it."""
        self.cut.label(node, label)

    def path(self, node: int) -> CutPath | None:
        """What ties the node to the labels, as far as any are known in its component."""
        return self.cut.path(node)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The label the node is tied to, or those at both ends of its path; the sum is the margin."""
        path, margin = self.path(node), self.margin(node)
        if path is None:
            return []
        if len(path.labels) == 1:
            return [(path.labels[0], margin)]
        shares = zip(path.labels, ((margin - 1) / 2, (margin + 1) / 2), strict=True)
        return sorted(shares, key=lambda share: -abs(share[1]))

    def trail(self, node: int) -> tuple[int, ...]:
        """The nodes passed by `path`, in order; () without one."""
        path = self.path(node)
        return () if path is None else path.nodes

    def remark(self, node: int) -> str:
        """How the prediction of a node came about, as part of a sentence; "" without labels."""
        if self.cut.side(node) != INNER:
            return AGREED
        return "" if self.cut.is_free(node) else self.inner_remark(node)

    def inner_remark(self, node: int) -> str:
        """How the prediction of an inner node came about, as part of a sentence."""
        return ""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Learn the labels of a snapshot again, in their order."""
        for node, label in zip(arrays["seen_nodes"].tolist(), arrays["seen_labels"].tolist(), strict=True):
            self.update(node, label)


class PathState(CutState):
    """A state that predicts an inner node by the lengths of its paths from the source and to the target."""

    def inner_margin(self, node: int) -> float:
        """−½ where the path from the source is at most as long as that to the target, else ½."""
        return 0.5 * self.cut.guess(node)

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes, in compiled code."""
        return np.asarray(_margins(self.cut.arrays, self.cut.rows(nodes), self._longest))

    def inner_remark(self, node: int) -> str:
        """The lengths of the paths from the source and to the target, in words."""
        return compare_lengths(self.cut.paths, *self.cut.lengths(node))

    def bound(self, labels: Ints) -> Bound:
        """The certificate of Theorem 8 over the sequence of games; see `learners.cuts.cut_bounds`."""
        labels = self.seen_labels.astype(np.int64)
        return path_certificate(OnlineCut(self.graph, self.cut.paths), self.seen_nodes, labels)

    def play(self, nodes: Ints, labels: Ints) -> Floats:
        """Predict and learn trials in compiled code; the margins."""
        self.record.note_all(nodes, labels)
        margins = np.full(len(nodes), np.nan)
        play_until(self.cut.arrays, self.cut.rows(nodes), labels, self._longest, UNLIMITED, margins)
        return margins

    def teach(self, nodes: Ints, labels: Ints) -> None:
        """Learn trials in compiled code, without predicting them."""
        learn_all(self.cut, nodes, labels)
        self.record.note_all(nodes, labels)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Learn the labels of a snapshot again, in compiled code."""
        nodes, labels = arrays["seen_nodes"].astype(np.int64), arrays["seen_labels"].astype(np.int64)
        require_labels(nodes, labels, self.graph.num_nodes)
        self.teach(nodes, labels)

    def update_reversibly(self, node: int, label: int) -> Undo:
        """The same as `update`, and what takes it back."""
        undo, count = Undo(), len(self.record)
        undo.then(lambda: self.record.shorten(count))
        undo.join(self.cut.label_reversibly(node, label))
        self.record.note(node, label)
        return undo

    def twin(self) -> PathState:
        """A state with the same labels on a copy of the minimum cut."""
        other = copy.copy(self)
        other.cut, other.record = self.cut.copy(), self.record.copy()
        return other

    @property
    def _longest(self) -> bool:
        return self.cut.paths == "longest"


MANY = 1 << 8
"""Labels from which on problems are told theirs in several threads."""

MANY_NODES = 1 << 12
"""Nodes from which on problems are carried to a grown graph in several threads."""


class PathGame(OneVsRest[PathState]):
    """Path problems side by side: a game in which every label is learnt at once is compiled throughout."""

    def twin(self, kept: bool = False) -> Game | None:
        """The twins of all states; where they are to be kept, without what no label changes."""
        if not kept or any(type(state) is not PathState for state in self.states):
            return super().twin(kept)
        return KeptPaths([KeptPath(state) for state in self.states])

    def keeping(self) -> Iterator[Game | None] | None:
        """A problem at a time; those that are packed first learn what came since when they are made again."""
        return self._packing() if all(type(state) is PathState for state in self.states) else None

    def _packing(self) -> Iterator[Game | None]:
        """None for every problem but the last, then all of them as they are now."""
        paths = list[KeptPath]()
        for state in self.states:
            if paths:
                yield None
            paths.append(KeptPath(state))
        for path, state in zip(paths, self.states, strict=True):
            path.come_to(state)
        yield KeptPaths(paths)

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """Learn a class, and give what takes it back; None where a problem has left minimum cuts behind."""
        if wanted is not None or any(type(state) is not PathState for state in self.states):
            return None
        undo = Undo()
        for state, label in zip(self.states, self.labels(code), strict=True):
            undo.join(state.update_reversibly(int(node), label))
        return undo

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, in compiled code."""
        places, signs = np.asarray(nodes, dtype=np.int64), self.signs(codes).T.astype(np.int64)
        tasks = [partial(one.teach, places, own) for one, own in zip(self.states, signs, strict=True)]
        in_threads(tasks, worth=len(places) >= MANY)

    def make_ready(self) -> None:
        """Make the arrays of all minimum cuts."""
        for state in self.states:
            _ = state.cut.arrays

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Carry the flows over where only nodes and edges came, else tell the heir all answers."""
        pairs = list(zip(self.states, getattr(heir, "states", ()), strict=False))
        plain = all(type(state) is PathState for pair in pairs for state in pair)
        rows = None
        if isinstance(heir, PathGame) and plain and len(heir.states) == len(self.states):
            rows = grown_rows(self.states[0].cut.blank, heir.states[0].cut.blank, growth.places)
        if rows is None:
            super().hand_over(heir, growth)
            return

        def carry(old: PathState, new: PathState, rows: GrownRows) -> None:
            new.cut = old.cut.grown(rows)

        tasks = [partial(carry, *pair, rows) for pair in pairs]
        in_threads(tasks, worth=growth.after.num_nodes >= MANY_NODES)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order, in compiled code: the margins before each."""
        places = np.asarray(nodes, dtype=np.int64)
        signs = self.signs(codes).T.astype(np.int64)
        return np.column_stack(
            [state.play(places, labels) for state, labels in zip(self.states, signs, strict=True)]
        )

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Play problem by problem where every label is asked for and comes at once."""
        if not is_plain(trials):
            return super().play(trials, progress)
        trace = Trace.empty(trials)
        trace.asked[:] = True
        total = len(trials.nodes)
        for c, state in enumerate(self.states):
            signs = trials.signs[:, c].astype(np.int64)
            trace.margins[:, c] = state.play(trials.nodes, signs)
            if progress is not None:
                progress(total * (c + 1) // len(self.states))
        return trace


NOTHING = np.zeros((1, 0), dtype=np.int64)
"""Stands for an array that is packed."""


class KeptPath:
    """One path problem, packed: its record, and what labels change in its minimum cut."""

    def __init__(self, state: PathState) -> None:
        arrays = state.cut.arrays
        self.state = copy.copy(state)
        self.state.record = state.record.copy()
        self.state.cut = copy.copy(state.cut)
        self.state.cut.arrays = arrays._replace(
            residual=NOTHING[0], nodes=NOTHING, lengths=NOTHING, scratch=NOTHING, tally=arrays.tally.copy()
        )
        self.packed = {name: PackedArray(getattr(arrays, name)) for name in ("nodes", "lengths", "scratch")}
        self.flow = PackedArray(arrays.residual - without_flow(arrays.arcs))
        self.since = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)

    def come_to(self, state: PathState) -> None:
        """Note the labels that the problem has learnt since, to be learnt when it is made again."""
        known, record = len(self.state.record), state.record
        self.since = record.nodes[known:].copy(), record.labels[known:].astype(np.int64)

    def again(self) -> PathState:
        """The problem, on a minimum cut of its own."""
        state = copy.copy(self.state)
        state.record, state.cut = self.state.record.copy(), copy.copy(self.state.cut)
        own = {name: packed.unpacked() for name, packed in self.packed.items()}
        arrays = self.state.cut.arrays
        residual = without_flow(arrays.arcs) + self.flow.unpacked()
        state.cut.arrays = arrays._replace(residual=residual, tally=arrays.tally.copy(), **own)
        if len(self.since[0]):
            state.teach(*self.since)
        return state


class KeptPaths(Game):
    """Path problems, packed; nothing but their twin can be asked for."""

    def __init__(self, paths: list[KeptPath]) -> None:
        super().__init__(max(2, len(paths)))
        self.paths = paths

    def twin(self, kept: bool = False) -> PathGame:
        """A game that can be played, from the packed paths; it is never packed itself."""
        return PathGame([path.again() for path in self.paths])

    def scores(self, nodes: Any) -> Floats:
        """Raises TypeError: what is kept predicts nothing, its `twin` does."""
        raise TypeError("a kept game predicts nothing; its twin does.")

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Raises TypeError: what is kept learns nothing, its `twin` does."""
        raise TypeError("a kept game learns nothing; its twin does.")


def compare_lengths(paths: str, start: int, end: int) -> str:
    """The sentence that gives the lengths of an inner node's longest or shortest paths."""
    lengths = f"{start} arcs from the source and {end} to the target"
    return f"minimum cuts differ here, the {paths} path has {lengths}"


def learn_all(cut: OnlineCut, nodes: Ints, labels: Ints) -> None:
    """Reveal labels in compiled code; of a node the last one counts.

    The minimum cuts depend on the last label of each node alone, so the commoner label goes first: it
    costs next to nothing, and every other label then finds one that contradicts it near by.
    """
    known, at = np.unique(nodes[::-1], return_index=True)
    last = labels[::-1][at]
    order = np.argsort(last != (1 if last.sum() > 0 else -1), kind="stable")
    _teach(cut.arrays, cut.rows(known[order]), last[order])


def is_plain(trials: Trials) -> bool:
    """Whether every label is asked for and learnt before the next prediction."""
    eager = trials.gains is None and trials.delay == 0 and trials.budget >= len(trials.nodes)
    return bool(eager and np.isposinf(trials.limits).all())


@kernel
def play_until(
    s: CutArrays, order: Ints, labels: Ints, longest: bool, limit: TouchLimit, margins: Floats
) -> int:
    """Predict and learn the trials in turn until more arcs were touched than `limit` allows.

    `order` holds the rows of the nodes and `labels` their labels. The margins of the trials played are
    written to the front of `margins`, and how many those are is returned.
    """
    s = borrowed(s)
    for t in range(len(order)):
        margins[t] = _margin(s, order[t], longest)
        learn(s, order[t], labels[t])
        if s.tally[TOUCHES] > limit.total + limit.per_trial * (t + 1):
            return t + 1
    return len(order)


@inner_kernel
def _margin(s: CutArrays, v: int, longest: bool) -> float:
    """The margin of the node in row v by the lengths of its paths: ±1, ±½, or 0 without labels."""
    where = s.nodes[v, SIDE]
    if where != INNER:
        return float(where)
    start = length(s, 0, v, longest)
    if start == NONE:
        return 0.0
    if start == 1:  # no path is shorter, so the other length need not be known
        return -0.5
    return -0.5 if start <= length(s, 1, v, longest) else 0.5


@kernel
def _margins(s: CutArrays, wanted: Ints, longest: bool) -> Floats:
    """The margins of the nodes in the rows `wanted`, one each."""
    s, margins = borrowed(s), np.full(len(wanted), np.nan)
    for k in range(len(wanted)):
        margins[k] = _margin(s, wanted[k], longest)
    return margins


@kernel
def _teach(s: CutArrays, order: Ints, labels: Ints) -> None:
    """Learn the labels of the nodes in the rows `order`, in turn."""
    s = borrowed(s)
    for t in range(len(order)):
        learn(s, order[t], labels[t])

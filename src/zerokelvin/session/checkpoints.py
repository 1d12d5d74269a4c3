"""Places in a session's past from which its learner can go on again.

Correcting an answer means to learn all later ones again. So that this need not begin with the first, a
session keeps copies of its learner's game as it was after some of the events: one every `STEP` events, of
which, as more come, those stay whose distances from the present grow about geometrically. Of an answer among
the last hundred, some hundred and fifty events are then learnt again at most, and of one a share q from the
end of all events little more than that share of them.

All copies together hold at most `ROOM` bytes and are at most `MOST`; a game of which one copy is larger has
none, and its corrections replay all events; so do those on a packed graph. A copy is a twin of the game
(`Game.twin`), or else a snapshot that is put into a game started anew, or, where a learner has neither, there
is none. Copies never change: what goes on from one is a twin of it. Where a correction goes over growths
again (`session.growing`), copies from before a growth are kept too, and go over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.graph.domain import Domain
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.learners.base import Game
from zerokelvin.session.following import SessionTally

__all__ = ["MOST", "ROOM", "STEP", "Checkpoint", "Checkpoints", "Moment", "stretches"]

STEP = 64
"""Events between copies: with half as many, copies of `auto` would be a fifth of what learning takes."""

MOST = 10
"""Copies at most: at distances that double, enough for 64 · 2¹⁰ events."""

ROOM = 1 << 29
"""Bytes that all copies of one session may hold together."""

MUCH = 4
"""A game whose arrays are larger than so many times the room is not copied to see how small that gets."""

PLAIN = {int, float, bool, str, bytes, type(None)}
"""Types of which nothing can be reached."""

Snapshot = Mapping[str, NDArray[Any]]


class Moment(NamedTuple):
    """A moment of a session: the number of events, what they amount to, the graph, how often it had grown.

    Only growths that a correction goes over again are counted.
    """

    events: int
    tally: SessionTally
    graph: Graph
    growths: int


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A game as it was at a moment: a twin of it, or its snapshot; and the bytes that takes.

    `all_counted` says that these are all it holds, which is so once nothing else holds a part of it.
    """

    moment: Moment
    game: Game | None
    snapshot: Snapshot | None
    size: int
    all_counted: bool = False

    @classmethod
    def of(cls, game: Game, moment: Moment) -> Checkpoint | None:
        """A copy of a game; None where it has neither twin nor snapshot."""
        twin = game.twin(kept=True)
        if twin is not None:
            return cls(moment, twin, None, _own_bytes(twin, game))
        if game.fields:
            arrays = game.snapshot()
            return cls(moment, None, arrays, sum(array.nbytes for array in arrays.values()))
        return None

    @property
    def events(self) -> int:
        """How many events the game had learnt."""
        return self.moment.events

    def alone(self) -> Checkpoint:
        """The same where no other game shares what no label changes, so that all of it counts."""
        if self.game is None or self.all_counted:
            return self
        size = sum(array.nbytes for array in _arrays(self.game, with_graphs=True))
        return replace(self, size=size, all_counted=True)


class Checkpoints:
    """The copies that a session keeps, in the order of their events."""

    def __init__(self, kept: tuple[Checkpoint, ...] = (), possible: bool = True) -> None:
        self._kept = kept
        self._possible = possible  # whether a copy can be made and is small enough
        self._steps: Iterator[Game | None] | None = None  # of a copy that is being made

    @property
    def places(self) -> tuple[int, ...]:
        """After how many events there is a copy, ascending."""
        return tuple(one.events for one in self._kept)

    @property
    def size(self) -> int:
        """The bytes that all copies hold."""
        return sum(one.size for one in self._kept)

    def before(self, events: int) -> Checkpoint | None:
        """The last copy from before an event of this number or right before it."""
        return next((one for one in reversed(self._kept) if one.events <= events), None)

    def until(self, events: int) -> Checkpoints:
        """The copies that what comes after so many events cannot change."""
        return Checkpoints(tuple(one for one in self._kept if one.events <= events), self._possible)

    def grown(self) -> Checkpoints:
        """The copies after a growth: of games on smaller graphs, which nothing else needs now."""
        alone = (one.alone() for one in self._kept)
        return Checkpoints(_thinned(tuple(one for one in alone if one.size <= ROOM)))

    def visit(self, game: Game, moment: Moment, one_by_one: bool = False) -> None:
        """Keep a copy of a game as it is at a moment, if the last copy on its graph is long ago.

        Where it has learnt one event since the last visit, the copy is made in steps, if the game knows how,
        so that no answer waits for all of it.
        """
        events = moment.events
        last = self._kept[-1].events if self._kept and self._kept[-1].moment.graph is moment.graph else 0
        if not self._possible or events - last < STEP or isinstance(moment.graph, PackedGraph):
            return  # of a packed graph a copy would take more than all else
        if self._steps is None or not one_by_one:
            if not self._kept and sum(array.nbytes for array in _arrays(game)) > MUCH * ROOM:
                self._kept, self._possible = (), False
                return
            self._steps = game.keeping() if one_by_one else None
        twin = game if self._steps is None else next(self._steps, game)
        if twin is None:
            return
        self._steps = None
        if twin is game:  # there are no steps, or they have ended without a twin
            found = Checkpoint.of(game, moment)
        else:
            found = Checkpoint(moment, twin, None, _own_bytes(twin, game))
        if found is None or found.size > ROOM:
            self._kept, self._possible = (), False
            return
        self._kept = _thinned((*self._kept, found))


def stretches(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Parts of a long way at whose ends copies are of use: each half of what is left, the last two short.

    >>> list(stretches(0, 1000))
    [(0, 500), (500, 750), (750, 875), (875, 1000)]
    """
    while end - begin > 2 * STEP:
        middle = begin + (end - begin) // 2
        yield begin, middle
        begin = middle
    if begin < end:
        yield begin, end


def _thinned(kept: tuple[Checkpoint, ...]) -> tuple[Checkpoint, ...]:
    """As many as may be kept; that goes first whose absence is felt least beside its age."""
    while len(kept) > 1 and (len(kept) > MOST or sum(one.size for one in kept) > ROOM):
        places = [0, *(one.events for one in kept)]
        end = places[-1] + STEP
        felt = [(places[i + 1] - places[i - 1]) / (end - places[i]) for i in range(1, len(places) - 1)]
        least = int(np.argmin(felt))
        kept = kept[:least] + kept[least + 1 :]
    return kept


def _own_bytes(twin: Game, game: Game) -> int:
    """The bytes of the arrays that a twin does not share with its game."""
    shared = {id(array) for array in _arrays(game)}
    return sum(array.nbytes for array in _arrays(twin) if id(array) not in shared)


def _arrays(root: object, with_graphs: bool = False) -> Iterator[NDArray[Any]]:
    """The arrays that can be reached from an object, each once; those of graphs only where wanted."""
    waiting, known = [root], set[int]()
    while waiting:
        one = waiting.pop()
        if type(one) in PLAIN or id(one) in known:
            continue
        known.add(id(one))
        if isinstance(one, np.ndarray):
            if one.base is None:
                yield one
            else:
                waiting.append(one.base)
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, FunctionType):
            waiting.extend(cell.cell_contents for cell in one.__closure__ or ())
        elif hasattr(one, "__dict__") and not isinstance(one, type if with_graphs else (type, Domain)):
            waiting.extend(vars(one).values())

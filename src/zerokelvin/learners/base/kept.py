"""Games kept small: the arrays of a game packed, to be the game again when they are needed.

A session keeps copies of its game to go back to (`zerokelvin.session.checkpoints`). Much of what a game holds
is zero, or whole numbers that fit into half the room; packed, it takes a fraction, and comes back to the last
bit. A copy that is made in steps has parts that were packed before the last answers: these are learnt when it
is made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.learners.base.multiclass import Game

__all__ = ["BehindGame", "KeptGame", "PackedArray", "room_in_steps"]

SHORT = np.iinfo(np.int32)


PIECE, AT_ONCE = 1 << 20, 0.004
"""Bytes of room that are taken at a time, and the seconds after which taking more waits for the next step."""


def room_in_steps(arrays: Sequence[NDArray[Any]]) -> Generator[None, None, list[NDArray[Any]]]:
    """Room for copies of some arrays, taken in steps: the system gives it page by page, when it is touched.

    That takes thirty times as long as to copy what is to stand there, which is done at once, at the end; on
    virtual machines whose memory the host gives and takes, seven milliseconds a megabyte have been seen.
    """
    rooms, began = [np.empty_like(array) for array in arrays], time.perf_counter()
    for room in rooms if sum(room.nbytes for room in rooms) > PIECE else ():
        flat = room.reshape(-1)
        for start in range(0, room.size, PIECE // room.itemsize):
            flat[start : start + PIECE // room.itemsize].fill(0)
            if time.perf_counter() - began > AT_ONCE:
                yield None
                began = time.perf_counter()
    return rooms


class PackedArray:
    """A copy of an array of numbers in as little room as is found without much work.

    >>> array = np.zeros((100, 2))
    >>> array[7, 1] = 0.5
    >>> packed = PackedArray(array)
    >>> packed.content.nbytes + packed.places.nbytes, bool((packed.unpacked() == array).all())
    (12, True)

    An array that is neither is copied into `room`, if given.
    """

    def __init__(self, array: NDArray[Any], room: NDArray[Any] | None = None) -> None:
        self.shape, self.dtype = array.shape, array.dtype
        flat = array.reshape(-1)
        self.places = np.zeros(0, dtype=np.int32)
        self.sparse = 3 * np.count_nonzero(flat) < flat.size < SHORT.max
        if self.sparse:
            self.places = np.flatnonzero(flat).astype(np.int32)
            self.content = flat[self.places]
        elif array.dtype == np.int64 and flat.size and SHORT.min <= flat.min() <= flat.max() <= SHORT.max:
            self.content = flat.astype(np.int32)
        elif room is not None:
            np.copyto(room, array)
            self.content = room.reshape(-1)
        else:
            self.content = flat.copy()

    def unpacked(self) -> NDArray[Any]:
        """The array as it was before it was packed."""
        if not self.sparse:
            return self.content.astype(self.dtype).reshape(self.shape)
        flat = np.zeros(self.shape, dtype=self.dtype).reshape(-1)
        flat[self.places] = self.content
        return flat.reshape(self.shape)


class KeptGame(Game):
    """The packed arrays of a game, which is made again by its `twin`; nothing else can be asked of it."""

    def __init__(self, game: Game, begin: Callable[[], Game], rooms: Mapping[str, Any] | None = None) -> None:
        super().__init__(game.classes)
        self.arrays: Mapping[str, PackedArray] = {
            name: PackedArray(array, (rooms or {}).get(name)) for name, array in game.parts().items()
        }
        self._begin = begin

    @classmethod
    def in_steps(cls, game: Game, begin: Callable[[], Game]) -> Iterator[KeptGame | None]:
        """One that is made in steps between which the game may learn on; see `room_in_steps`."""
        arrays = {
            name: array for name, array in game.parts().items() if 3 * np.count_nonzero(array) >= array.size
        }
        rooms = yield from room_in_steps(list(arrays.values()))
        yield cls(game, begin, dict(zip(arrays, rooms, strict=True)))

    def twin(self, kept: bool = False) -> Game:
        """The game again; `begin` gives one to put the arrays into."""
        game = self._begin()
        game.restore({name: packed.unpacked() for name, packed in self.arrays.items()})
        return game

    def scores(self, nodes: Any) -> NDArray[np.float64]:
        """Raises TypeError: what is kept predicts nothing, its `twin` does."""
        raise TypeError("a kept game predicts nothing; its twin does.")

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Raises TypeError: what is kept learns nothing, its `twin` does."""
        raise TypeError("a kept game learns nothing; its twin does.")


class BehindGame(Game):
    """A kept game, and the answers that the one it was taken from has learnt since; only for its `twin`."""

    def __init__(self, kept: Game, nodes: Ints, codes: Ints) -> None:
        super().__init__(kept.classes)
        self.kept, self.nodes, self.codes = kept, nodes, codes

    def twin(self, kept: bool = False) -> Game | None:
        """A game to be played on: the twin of the kept one, which has then learnt those answers."""
        game = self.kept.twin()
        if game is not None:
            game.teach(self.nodes, self.codes)
        return game

    def scores(self, nodes: Any) -> NDArray[np.float64]:
        """Raises TypeError: what is kept predicts nothing, its `twin` does."""
        raise TypeError("a kept game predicts nothing; its twin does.")

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Raises TypeError: what is kept learns nothing, its `twin` does."""
        raise TypeError("a kept game learns nothing; its twin does.")

"""A label taken back: what learning it has overwritten, put back where it was, to the last bit.

To see what would follow an answer (`Session.supposing`), or to take the last answers back, a game need not be
copied: it learns the answer itself, keeps what that overwrites (`Game.learn_reversibly`), and puts it back.
Answers are taken back in the reverse order, the last one first, with nothing else learnt in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Undo"]


class Undo:
    """What one label has overwritten.

    Examples
    --------
    >>> array, undo = np.arange(4), Undo()
    >>> undo.keep(array, slice(1, 3))
    >>> array[1:] = 9
    >>> undo.back()
    >>> array.tolist(), undo.nbytes
    ([0, 1, 2, 9], 16)
    """

    def __init__(self) -> None:
        self.nbytes = 0
        self._steps: list[Callable[[], None]] = []

    def keep(self, array: NDArray[Any], index: Any = ...) -> None:
        """Note what an array holds at some places, before they change."""
        self.put(array, index, np.array(array[index]))

    def put(self, array: NDArray[Any], index: Any, values: NDArray[Any]) -> None:
        """Have values put into an array, which held them before; no place is named twice."""
        self.nbytes += values.nbytes + (index.nbytes if isinstance(index, np.ndarray) else 0)

        def back() -> None:
            array[index] = values

        self._steps.append(back)

    def then(self, step: Callable[[], None], nbytes: int = 0) -> None:
        """Have something else done, after all that is added later."""
        self.nbytes += nbytes
        self._steps.append(step)

    def join(self, other: Undo) -> None:
        """Have all of another put back too."""
        self.nbytes += other.nbytes
        self._steps.append(other.back)

    def back(self) -> None:
        """Put everything back, what was noted last first."""
        for step in reversed(self._steps):
            step()

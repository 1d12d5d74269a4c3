"""Where a session would stand after an answer that has not been given.

A page shows the next question at once if it was found while the person looked at the present one, for every
answer that is likely. A copy of the session could be told each of them, but on a large graph the copy alone
takes longer than a person does. So the game itself learns the answer, and takes it back afterwards, to the
last bit (`Game.learn_reversibly`). Meanwhile a `SupposedStanding` beside the present one tells what would be;
it learns nothing further, and is of no use once the answer has been taken back.

Where a game cannot take answers back, a copy is told them. An interruption leaves the game where nobody
knows, and it is made anew from the events, as after any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from zerokelvin.errors import SessionError
from zerokelvin.session.checkpoints import Checkpoints
from zerokelvin.session.prediction import LEARN, Event, Outcome
from zerokelvin.session.standing import Standing
from zerokelvin.undo import Undo

__all__ = ["SupposedStanding", "supposed"]


class SupposedStanding(Standing):
    """A standing with answers that were not given: it can be asked, and learns nothing."""

    @classmethod
    def beside(cls, standing: Standing) -> SupposedStanding:
        """One where a standing is, with its game."""
        other = cls.__new__(cls)
        vars(other).update(vars(standing))
        other.events, other.outcomes = standing.events.copy(), standing.outcomes[: len(standing.events)]
        other.checkpoints, other.checks, other.codes_read = Checkpoints(), standing.checks.copied(), []
        other.intact = True
        return other

    def take(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> None:
        """Refused: what is supposed learns nothing further."""
        raise SessionError("this only supposes answers, and learns none; tell them to the session itself.")

    def answer(self, events: Sequence[Event]) -> None:
        """Refused: what is supposed learns nothing further."""
        self.take(events, [])

    def renewed(self) -> Standing:
        """Refused: what it stands on is gone."""
        raise SessionError("what was supposed has been taken back; suppose it again.")

    def learn_for_now(self, event: Event) -> Undo | None:
        """Let the game learn an answer, and count it; what takes it back, None where the game cannot."""
        found = self.outcome(event.node) if event.kind == LEARN else Outcome()
        wanted = self._wanted([event], [found])
        undo = self.game.learn_reversibly(
            event.node, self.codes[event.label], None if wanted is None else wanted[0]
        )
        if undo is not None:
            self.note([event], [found])
        return undo


@contextmanager
def supposed(standing: Standing, events: Sequence[Event]) -> Iterator[SupposedStanding | None]:
    """Where a standing would be after answers and lessons, while the block lasts.

    None where that takes a copy: a class is new, or the game cannot take a label back.
    """
    standing.hold()
    other, done = SupposedStanding.beside(standing), list[Undo]()
    standing.intact = False
    for event in events:
        undo = other.learn_for_now(event) if event.label in other.codes else None
        if undo is None:
            break
        done.append(undo)
    whole = len(done) == len(events)
    try:
        yield other if whole else None
    finally:
        sound, other.intact = other.intact, False  # it is not where a call to the game was interrupted
        while done:
            done.pop().back()
        standing.intact = sound

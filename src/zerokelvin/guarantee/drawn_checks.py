"""The random checks of whatever learns: drawn at once, while what they hold is read later.

A draw is quick, but now and then the predictions for all nodes are to be held with it
(`Audit.may_be_due`), which takes seconds on a large graph. The node drawn does not depend on them. So they
are read where they are wanted, and at the latest before anything further is learnt: mostly while a person
looks at the node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from zerokelvin.guarantee.audit import Audit, Draw, ToldLabel

__all__ = ["RandomChecks"]


class RandomChecks:
    """An audit whose last draw may still have to find out what is held with it.

    Examples
    --------
    >>> checks = RandomChecks()
    >>> node = checks.draw([], 3, seed=1)
    >>> checks.draw([], 3, seed=1) == node, len(checks.draws)
    (True, 1)
    >>> checks.audit(list, lambda: ["spam", "ham", "spam"]).held[0].codes.tolist()
    [0, 1, 0]
    """

    def __init__(self, audit: Audit | None = None) -> None:
        # With what it was before the last draw, while that is undecided: one pair, so that an interrupt finds
        # either both as they were or both as they are to be.
        self._now: tuple[Audit, Audit | None] = (Audit() if audit is None else audit), None

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The nodes drawn, in order."""
        return self._now[0].draws

    def draw(self, told: Sequence[ToldLabel], nodes: int, seed: int) -> int:
        """The node that was drawn and waits for its answer; drawn now if none does."""
        before = self._now[0]
        found = before.pending(told)
        if found is None:
            self._now = before.drawing(told, nodes, seed), before if before.may_be_due() else None
            found = self.draws[-1].node
        return found

    def audit(
        self, told: Callable[[], Sequence[ToldLabel]], predictions: Callable[[], Sequence[Hashable]]
    ) -> Audit:
        """The audit, for which predictions are read if the last draw wants them.

        Nothing may have been told since that draw.
        """
        drawn, before = self._now
        if before is not None:
            so_far, labels = told(), predictions()
            held = before.holding(so_far, labels) if before.due(so_far, labels) else before
            self._now = replace(held, draws=drawn.draws), None
        return self._now[0]

    def copied(self) -> RandomChecks:
        """The same, going its own way."""
        other = RandomChecks()
        other._now = self._now
        return other

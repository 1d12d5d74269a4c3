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
        self._audit = Audit() if audit is None else audit
        self._before: Audit | None = None

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The nodes drawn, in order."""
        return self._audit.draws

    def draw(self, told: Sequence[ToldLabel], nodes: int, seed: int) -> int:
        """The node that was drawn and waits for its answer; drawn now if none does."""
        found = self._audit.pending(told)
        if found is not None:
            return found
        before = self._audit
        self._audit = before.drawing(told, nodes, seed)
        if before.may_be_due():
            self._before = before
        return self._audit.draws[-1].node

    def audit(
        self, told: Callable[[], Sequence[ToldLabel]], predictions: Callable[[], Sequence[Hashable]]
    ) -> Audit:
        """The audit, for which predictions are read if the last draw wants them.

        Nothing may have been told since that draw.
        """
        if self._before is not None:
            before, so_far, labels = self._before, told(), predictions()
            held = before.holding(so_far, labels) if before.due(so_far, labels) else before
            self._audit, self._before = replace(held, draws=self._audit.draws), None
        return self._audit

    def copied(self) -> RandomChecks:
        """The same, going its own way."""
        other = RandomChecks(self._audit)
        other._before = self._before
        return other

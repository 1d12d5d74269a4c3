"""A proven bound on the number of mistakes, taken apart into its terms.

A bound is a number with its reasons: the theorem it comes from, the named terms it was computed
from, and the theorem's assumptions, each with whether it holds here. A bound whose assumptions do
not all hold is still shown, but promises nothing: ``bound.holds`` says which it is. A bound in expectation
(over the draw of a spanning tree, say) speaks of the mean over many draws; one game may exceed it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NONE_KNOWN", "Assumption", "Bound"]

NONE_KNOWN = "no bound is known"
"""In the place of a theorem, where nothing is proven."""


@dataclass(frozen=True)
class Assumption:
    """One assumption of a theorem and whether it holds here."""

    text: str
    holds: bool


@dataclass(frozen=True)
class Bound:
    """An upper bound on mistakes with its theorem, terms and assumptions.

    Examples
    --------
    >>> bound = Bound(12.5, "Theorem 4.2", {"cut": 1.0}, (Assumption("the graph is connected", True),))
    >>> bound.holds, bound.allows(12), bound.allows(13)
    (True, True, False)
    >>> print(bound)
    at most 12.5 mistakes (Theorem 4.2)
    >>> print(Bound(12.5, "Theorem 2", expected=True))
    at most 12.5 mistakes in expectation (Theorem 2)
    """

    value: float
    theorem: str
    terms: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    parts: tuple[Bound, ...] = ()
    expected: bool = False

    @property
    def holds(self) -> bool:
        """Whether every assumption holds, so that the value is a guarantee.

        It is one for this game, or where `expected` for the mean over the learner's draws.
        """
        return all(assumption.holds for assumption in self.assumptions)

    @property
    def certain(self) -> bool:
        """Whether this one game cannot have more mistakes: it holds, and not only in expectation."""
        return self.holds and not self.expected

    def says_something(self, trials: int) -> bool:
        """Whether it holds and is below the number of trials, which no game can exceed in any case.

        >>> Bound(12.5, "Theorem 4.2").says_something(100), Bound(250.0, "Theorem 4.2").says_something(100)
        (True, False)
        """
        return self.holds and bool(self.value < trials)

    def told(self, trials: int, mistakes: int | None = None) -> str:
        """The bound in words beside the number of trials: what it proves here, or that it says nothing.

        >>> print(Bound(12.5, "Theorem 4.2").told(100, mistakes=5))
        at most 12.5 mistakes (Theorem 4.2): 2.5 times the 5 made
        >>> print(Bound(250.0, "Theorem 4.2").told(100))
        says nothing here: at most 250 mistakes (Theorem 4.2), more than the 100 trials
        """
        if not self.holds:
            return str(self)
        if not self.says_something(trials):
            return f"says nothing here: {self}, more than the {trials:,} trials"
        if not mistakes:
            return str(self)
        return f"{self}: {self.value / mistakes:.2g} times the {mistakes:,} made"

    def allows(self, mistakes: float) -> bool:
        """Whether this many mistakes stay within the value (up to rounding)."""
        return mistakes <= self.value * (1 + 1e-9) + 1e-9

    def is_broken_by(self, mistakes: int) -> bool:
        """Whether a game with this many mistakes shows the bound to be false, which never happens."""
        return self.certain and not self.allows(mistakes)

    @classmethod
    def total(cls, parts: Sequence[Bound]) -> Bound:
        """The bound of a one-vs-rest game: mistakes of the class are at most those of all problems.

        If every binary problem is right, exactly the true class has a non-negative margin, so the
        largest margin is the true class; a wrong class thus costs at least one binary mistake.
        """
        if len(parts) == 1:
            return parts[0]
        broken = [a for part in parts for a in part.assumptions if not a.holds]
        kept = parts[0].assumptions if parts else ()
        assumptions = tuple({a.text: a for a in (*kept, *broken)}.values())
        terms = {f"problem {i}": part.value for i, part in enumerate(parts)}
        theorem = f"{parts[0].theorem}, summed over {len(parts)} one-vs-rest problems"
        value, expected = math.fsum(p.value for p in parts), any(p.expected for p in parts)
        return cls(value, theorem, terms, assumptions, tuple(parts), expected)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an infinite value becomes None."""
        return {
            "value": self.value if math.isfinite(self.value) else None,
            "theorem": self.theorem,
            "terms": {k: v if math.isfinite(v) else None for k, v in self.terms.items()},
            "assumptions": [{"text": a.text, "holds": a.holds} for a in self.assumptions],
            "holds": self.holds,
            "expected": self.expected,
        }

    def __str__(self) -> str:
        if self.theorem.startswith(NONE_KNOWN):
            return NONE_KNOWN
        number = f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.4g}"
        number = number if math.isfinite(self.value) else "infinitely many"
        broken = [a.text for a in self.assumptions if not a.holds]
        promise = f"; no guarantee here, since it assumes that {' and '.join(broken)}" if broken else ""
        kind = " in expectation" if self.expected else ""
        return f"at most {number} mistakes{kind} ({self.theorem}){promise}"

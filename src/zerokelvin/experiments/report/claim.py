"""What a claim is: a statement of a paper, what agreement with it means, and how it is measured.

A claim is one class with one ``@claim("paper/name")`` line; the report, the command line and the tests find
it there. Its texts say what is printed and what counts as agreement: they, and the limits its checks
use, stand in the code before anything is run. `Claim.measure` gives a `Found`: checks, each with what is
printed, what was measured and whether the two agree, and what is to be seen (tables, charts, notes).

The verdict is computed from the checks alone: all agree, none does, or some do. A claim without a check that
could fail is only measured, such as what goes beyond the papers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.reproduction.reproduction import Table
from zerokelvin.registry import Registry

if TYPE_CHECKING:
    from zerokelvin.experiments.report.laboratory import Laboratory

__all__ = ["CLAIMS", "VERDICTS", "Check", "Claim", "Found", "chosen_claims", "claim"]

REPRODUCED, PARTLY, NOT, MEASURED = VERDICTS = ("reproduced", "partly", "not", "measured")


@dataclass(frozen=True)
class Check:
    """One comparison: what, as printed, as measured, and whether they agree (None: only shown)."""

    what: str
    printed: str
    measured: str
    agrees: bool | None = None

    @classmethod
    def close(cls, what: str, printed: float, measured: float, within: float, digits: int = 4) -> Check:
        """Agrees where the two differ by at most `within`.

        >>> Check.close("error", 0.0758, 0.0761, 0.0013).agrees
        True
        """
        agrees = bool(abs(measured - printed) <= within * (1 + 1e-9))
        return cls(what, f"{printed:,.{digits}f} ± {within:,.{digits}f}", f"{measured:,.{digits}f}", agrees)

    @classmethod
    def at_most(cls, what: str, limit: float, measured: float) -> Check:
        """Agrees where what was measured does not exceed the limit, up to rounding."""
        agrees = bool(measured <= limit * (1 + 1e-9) + 1e-9)
        return cls(what, f"at most {brief(limit)}", brief(measured), agrees)

    @classmethod
    def at_least(cls, what: str, limit: float, measured: float) -> Check:
        """Agrees where what was measured does not fall short of the limit, up to rounding."""
        agrees = bool(measured >= limit * (1 - 1e-9) - 1e-9)
        return cls(what, f"at least {brief(limit)}", brief(measured), agrees)

    @classmethod
    def between(cls, what: str, low: float, high: float, measured: float) -> Check:
        """Agrees where what was measured lies between the limits."""
        agrees = bool(low <= measured <= high)
        return cls(what, f"{brief(low)} to {brief(high)}", brief(measured), agrees)

    @classmethod
    def holds(cls, what: str, printed: str, measured: str, agrees: bool) -> Check:
        """A check whose verdict is `agrees`, of what was printed and what was measured."""
        return cls(what, printed, measured, bool(agrees))

    @classmethod
    def shown(cls, what: str, printed: str, measured: str) -> Check:
        """A check without a verdict: what was printed and what was measured stand side by side."""
        return cls(what, printed, measured, None)


@dataclass(frozen=True)
class Found:
    """What measuring a claim gave.

    `charts` are plain values that `zerokelvin.experiments.report.svg` draws; `rows` are raw figures, one row
    of a table each.
    """

    checks: tuple[Check, ...]
    charts: tuple[dict[str, Any], ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def verdict(self) -> str:
        """Reproduced, partly, not; measured where no check can fail.

        >>> Found((Check.at_most("mistakes", 12, 3), Check.at_most("bound", 12, 14))).verdict
        'partly'
        """
        told = [check.agrees for check in self.checks if check.agrees is not None]
        if not told:
            return MEASURED
        return REPRODUCED if all(told) else PARTLY if any(told) else NOT

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return asdict(self)

    @classmethod
    def read(cls, values: dict[str, Any]) -> Found:
        """The findings from what `as_dict` gave, also after a way through JSON."""
        tables = [
            Table(
                t["title"],
                tuple(t["columns"]),
                tuple(tuple(row) for row in t["rows"]),
                tuple(t["numbers"]),
                tuple(t["notes"]),
            )
            for t in values["tables"]
        ]
        return cls(
            tuple(Check(**check) for check in values["checks"]),
            tuple(values["charts"]),
            tuple(tables),
            tuple(values["notes"]),
            tuple(values["rows"]),
        )


class Claim(ABC):
    """A statement of a paper and the experiment that judges it.

    Attributes
    ----------
    title, place
        A few words, and where it stands: section, theorem, figure.
    says
        What the paper prints.
    tolerance
        When what was measured counts as agreeing.
    differs
        Where checks are known to fail: why, and what shows it. Seen only beside a failed check.
    data
        Data sets it reads, by name; their content is part of the key of its results.
    group
        Claims of one group run one after the other in one process, because they share results.
    cost
        Roughly the seconds it takes, for the time left.
    erratum
        Whether the statement fails as printed, and this is the evidence.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    place: ClassVar[str] = ""
    says: ClassVar[str] = ""
    tolerance: ClassVar[str] = ""
    differs: ClassVar[str] = ""
    data: ClassVar[tuple[str, ...]] = ()
    group: ClassVar[str] = ""
    cost: ClassVar[float] = 1.0
    erratum: ClassVar[bool] = False

    @abstractmethod
    def measure(self, lab: Laboratory) -> Found:
        """Play what it takes, and compare."""


CLAIMS: Registry[type[Claim]] = Registry(
    "claim", room="zerokelvin.experiments.reproduction", decorator="claim"
)
C = TypeVar("C", bound=type[Claim])


def claim(name: str) -> Callable[[C], C]:
    """Class decorator that puts a claim into the report, under ``paper/name``."""

    def register(cls: C) -> C:
        cls.name = name
        CLAIMS.add(name)(cls)
        return cls

    return register


def chosen_claims(only: Sequence[str] = ()) -> list[str]:
    """The names of all claims, or of those that `only` names: a claim, or a whole paper.

    >>> chosen_claims(["graph-perceptron/flower"])
    ['graph-perceptron/flower']
    """
    names = list(CLAIMS)
    if not only:
        return names
    papers = {name.partition("/")[0] for name in names}
    for wanted in only:
        if wanted not in papers and wanted not in CLAIMS:
            known = ", ".join(sorted(papers))
            raise ParameterError(
                f"there is no claim '{wanted}'; name a paper ({known}) or one of the claims that "
                "'zerokelvin reproduce all --list' shows."
            )
    return [name for name in names if name in only or name.partition("/")[0] in only]


def brief(value: float) -> str:
    """A number for people: four digits, thousands apart.

    >>> brief(0.12344), brief(12.0), brief(38561.2), brief(float("inf"))
    ('0.1234', '12', '38,561', 'infinite')
    """
    if not math.isfinite(value):
        return "infinite" if value > 0 else "minus infinite" if value < 0 else "undefined"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

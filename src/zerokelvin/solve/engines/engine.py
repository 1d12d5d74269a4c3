"""What an engine is: a frozen configuration that solves what leaf elimination leaves of a system.

``prepare(core)`` does all work that depends on the matrix alone; the prepared engine's
``solve(right, target)`` does the work per right-hand side. An engine is one file in this package:

    @engine("name")
    @dataclass(frozen=True)
    class Mine(CoreEngine):
        name: ClassVar[str] = "name"

        def prepare(self, core: Core) -> Prepared: ...

`ENGINES` maps every name to what makes the engine of that name with its usual parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.registry import Registry
from zerokelvin.solve.layout import Core, Layout, lay_out
from zerokelvin.solve.operator import Operator

__all__ = [
    "ASKED_FOR",
    "ENGINES",
    "Analysis",
    "CoreEngine",
    "Engine",
    "Prepared",
    "Task",
    "check_engine",
    "engine",
    "find_engine",
]


ASKED_FOR = "as asked for"
"""The reason for an engine that was not chosen here."""


class Prepared(Protocol):
    """An engine with its work on the matrix of one core of n nodes done."""

    @property
    def exact(self) -> bool:
        """Whether solutions are right whatever the weights span, as nothing was subtracted for them."""
        ...

    @property
    def skips_zeros(self) -> bool:
        """Whether it is linear in the right-hand side and faster where that is mostly 0."""
        ...

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        """Solve for one right-hand side (n,) or a block (n, k), k one of `machine.blocks.WIDTHS`.

        `target` holds the residual norm at which each column may stop. Returns the solution, in the shape
        of `right` and perhaps in its memory, and the iterations it took.
        """
        ...

    def exhausted(self, iterations: int) -> bool:
        """Whether a solve of so many iterations was cut off by the engine's limit."""
        ...

    def estimate(self, residual: Floats) -> Floats | None:
        """Roughly the error behind a residual, also along weak links; None where it cannot be told."""
        ...


@dataclass(frozen=True)
class Task:
    """A system to be solved: its operator, the relative residual wanted, whether weights differ too much."""

    operator: Operator
    tol: float
    ill_scaled: bool

    @cached_property
    def layout(self) -> Layout:
        """The system with leaves eliminated and nodes renumbered."""
        return lay_out(self.operator)


@dataclass(frozen=True)
class Analysis:
    """An engine begun on a task.

    Attributes
    ----------
    name, reason
        The engine in use, and why.
    layout, prepared
        The numbering that it works in and the engine prepared for the core; None where an inverse is held.
    inverse
        The whole inverse as an (n, n) array, where the engine forms it.
    """

    name: str
    reason: str
    layout: Layout | None = None
    prepared: Prepared | None = None
    inverse: Floats | None = None


class Engine(ABC):
    """A way to solve; the configuration of it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which it is known."""

    @abstractmethod
    def begin(self, task: Task) -> Analysis:
        """Do the work on a task that depends on its matrix alone."""


class CoreEngine(Engine):
    """An engine that solves with the core which leaf elimination leaves."""

    @abstractmethod
    def prepare(self, core: Core) -> Prepared:
        """Do the work that depends on the core's matrix alone."""

    def begin(self, task: Task) -> Analysis:
        """Lay the task out and prepare for its core."""
        return Analysis(self.name, ASKED_FOR, task.layout, self.prepare(task.layout.core))


ENGINES: Registry[Callable[[], Engine]] = Registry(
    "engine", room="zerokelvin.solve.engines", decorator="engine"
)

engine = ENGINES.add


def find_engine(chosen: object) -> Engine:
    """The engine of a name, or the configured engine given; everything else is refused.

    >>> find_engine("direct").name
    'direct'
    """
    if isinstance(chosen, Engine):
        return chosen
    if isinstance(chosen, str):
        return ENGINES[chosen]()
    raise ParameterError(f"engine={chosen!r} is no engine; give a name: {', '.join(ENGINES)}.")


def check_engine(chosen: object) -> None:
    """Refuse an engine that does not exist, also where none is needed."""
    find_engine(chosen)

"""What a reproduction is: a frozen dataclass of options that runs and reports.

An `Experiment` measures; the `Report` it gives holds tables for people, plain values for JSON and
pictures that are drawn when saved. Every figure of a report was measured in the run, except those
under a heading that names the paper.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from zerokelvin.errors import ParameterError
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.writable import writable_folder
from zerokelvin.registry import Registry
from zerokelvin.sweeps.cells import Spread, SweepCell, sweep
from zerokelvin.sweeps.places import Stage, Workplace
from zerokelvin.sweeps.result_store import KeptResult, code_version

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Experiment", "Picture", "Progress", "Report", "Table", "experiment"]
__all__ += ["make_experiment"]

Progress = Callable[[str, int, int | None], None]

FORMATS = ("png", "svg")


@dataclass(frozen=True)
class Table:
    """Cells for people; columns at the positions `numbers` are aligned to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A figure by name, drawn when it is saved."""

    name: str
    draw: Callable[[], Figure] = field(repr=False)


@dataclass(frozen=True)
class Report:
    """What an experiment found: tables for people, values for JSON, pictures that are drawn when saved."""

    experiment: str
    tables: tuple[Table, ...]
    values: dict[str, Any] = field(repr=False)
    pictures: tuple[Picture, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return {"experiment": self.experiment, **self.values}

    def save(self, folder: PathLike, progress: Progress | None = None) -> list[Path]:
        """Write the values as JSON and every picture as png and svg into `folder`, made if missing."""
        tell = progress or (lambda *_: None)
        base = free_folder(folder)
        base.mkdir(parents=True, exist_ok=True)
        values = base / f"{self.experiment}.json"
        with replacing(values) as draft:
            draft.write_text(json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n", encoding="utf-8")
        files = [values]
        for done, picture in enumerate(self.pictures):
            from zerokelvin.experiments.plots import save

            tell("Drawing", done, len(self.pictures))
            figure = picture.draw()
            files += [save(figure, base / f"{picture.name}.{suffix}") for suffix in FORMATS]
        tell("Drawing", len(self.pictures), len(self.pictures))
        return files


def free_folder(folder: PathLike, *names: str) -> Path:
    """The path, if files of these names can be written there; asked before any work is put into them."""
    return writable_folder(folder, *names)


@dataclass(frozen=True)
class Experiment(ABC):
    """Options of an experiment; subclasses are frozen dataclasses with defaults.

    Parameters
    ----------
    seed
        Decides every order, draw and coin.
    fast
        Smaller defaults: seconds instead of minutes.
    figures
        Also measure what the figures need.
    spread
        Where its parts are computed and kept; times are those of wherever that is.
    """

    name: ClassVar[str] = ""

    seed: int = 0
    fast: bool = False
    figures: bool = True
    spread: Spread = field(default_factory=Spread, kw_only=True)

    def parts(
        self,
        stage: Stage,
        cells: Sequence[SweepCell],
        progress: Progress,
        what: str = "Playing",
        otherwise: Workplace | None = None,
    ) -> list[KeptResult]:
        """The results of all cells, at the place chosen, else at `otherwise`."""
        with self.spread.place(otherwise) as place:
            return sweep(stage, cells, place, self.spread.store(), progress, what)

    def key(self, **about: Any) -> dict[str, Any]:
        """The key of a part of this experiment: what is given, and the code that measures it."""
        room = type(self).__module__.split(".")[3]
        return {"kind": "part", "experiment": self.name, **about, "code": code_version(room)}

    @abstractmethod
    def run(self, progress: Progress | None = None) -> Report:
        """Measure; `progress` is called with (what is being done, steps done, steps in all)."""


EXPERIMENTS: Registry[type[Experiment]] = Registry(
    "experiment", room="zerokelvin.experiments.reproduction", decorator="experiment"
)
E = TypeVar("E", bound=type[Experiment])


def experiment(name: str) -> Callable[[E], E]:
    """Class decorator that makes an experiment available under `name`."""

    def register(cls: E) -> E:
        cls.name = name
        EXPERIMENTS.add(name)(cls)
        return cls

    return register


def make_experiment(name: str, **options: Any) -> Experiment:
    """An experiment by name and options.

    >>> make_experiment("table5.1", data=("cora",))
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: experiment 'table5.1' has no option 'data'; it takes seed, fast, \
figures, shuffles, draws, gamma.
    """
    cls = EXPERIMENTS[name]
    known = [option.name for option in dataclasses.fields(cls)]
    shown = [name for name in known if name != "spread"]
    for option in options:
        if option not in known:
            raise ParameterError(
                f"experiment '{name}' has no option '{option}'; it takes {', '.join(shown)}."
            )
    return cls(**options)

"""Cells of a sweep: each known by its key, computed once, kept as soon as it is there.

A sweep that is started again computes only what is missing, wherever it was computed before: a cell has the
same key and the same file on this machine, in processes and on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zerokelvin.sweeps.choosing import choose_place
from zerokelvin.sweeps.places import Here, Stage, Work, Workplace
from zerokelvin.sweeps.result_store import KeptResult, ResultStore, default_folder, digest_of

__all__ = ["Progress", "Spread", "SweepCell", "sweep"]

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class SweepCell:
    """What is to be computed: a key of plain values, the task for the stage, its `Work.kind`."""

    key: Mapping[str, Any]
    task: Any = None
    kind: Any = None


@dataclass(frozen=True)
class Spread:
    """Where cells are computed and kept, as options say it.

    Parameters
    ----------
    jobs, cluster
        See `zerokelvin.sweeps.choosing.choose_place`.
    results
        Folder for results; by default one in the user's cache where `jobs` or `cluster` is given.
    """

    jobs: int | None = None
    cluster: str | None = None
    results: str | None = None
    used: list[ResultStore] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.place()

    @property
    def asked_for(self) -> bool:
        """Whether any option about places or results was given."""
        return any(option is not None for option in (self.jobs, self.cluster, self.results))

    def place(self, otherwise: Workplace | None = None) -> Workplace:
        """The place that the options name, else another, else this process; for a ``with`` block."""
        return choose_place(self.jobs, self.cluster) or otherwise or Here()

    def store(self) -> ResultStore:
        """The results; without options, none are kept."""
        folder = str(default_folder("sweeps")) if self.results is None and self.asked_for else self.results
        found = ResultStore(folder)
        self.used.append(found)
        return found

    def told(self) -> str:
        """How many results were computed and found, and where they are; empty where none are kept."""
        kept = [store for store in self.used if store.folder is not None]
        if not kept:
            return ""
        computed, found = sum(store.computed for store in kept), sum(store.found for store in kept)
        return f"{computed:,} computed, {found:,} known before; kept in {kept[0].folder}"


def sweep(
    stage: Stage,
    cells: Sequence[SweepCell],
    place: Workplace,
    store: ResultStore,
    progress: Progress | None = None,
    what: str = "Computing",
) -> list[KeptResult]:
    """The results of all cells, in their order; `stage.compute` gives a `KeptResult` for a task.

    Cells with equal keys are computed once. Results are kept in the order in which they come.

    Examples
    --------
    >>> class Squares:
    ...     def compute(self, task):
    ...         return KeptResult(task**2)
    >>> cells = [SweepCell({"of": i}, i) for i in (3, 4, 3)]
    >>> [kept.result for kept in sweep(Squares(), cells, Here(), ResultStore(None))]
    [9, 16, 9]
    """
    names = [digest_of(dict(cell.key)) for cell in cells]
    distinct = dict(zip(names, cells, strict=True))
    found: dict[str, KeptResult] = {}
    for name, cell in distinct.items():
        known = store.look_up(cell.key)
        if known is not None:
            found[name] = known
    for _ in _computed(stage, distinct, found, place, store):
        if progress is not None:
            by = place.told()
            progress(f"{what} · {by}" if by else what, len(found), len(distinct))
    return [found[name] for name in names]


def _computed(
    stage: Stage,
    cells: Mapping[str, SweepCell],
    found: dict[str, KeptResult],
    place: Workplace,
    store: ResultStore,
) -> Iterator[None]:
    """Compute what is missing; comes back at the beginning, with every result and with news of the place."""
    missing = [name for name in cells if name not in found]
    yield
    if not missing:
        return
    for done in place.results(stage, [Work(name, cells[name].task, cells[name].kind) for name in missing]):
        if done.number is not None:
            name = missing[done.number]
            store.keep(cells[name].key, done.result)
            found[name] = done.result
        yield

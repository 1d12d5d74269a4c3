"""``zerokelvin reproduce all``: every claim of the papers in one report.

Writes ``report.html``, which opens from the disk, and the raw results: ``checks.parquet`` with one row per
comparison, ``games.parquet`` with one row per game played.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zerokelvin
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.report.claim import CLAIMS, VERDICTS, chosen_claims
from zerokelvin.experiments.report.claim_run import UNMEASURED, ClaimResult, Order, run_claims
from zerokelvin.experiments.reproduction.reproduction import (
    Experiment,
    Progress,
    Report,
    Table,
    experiment,
    free_folder,
)
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.formats.result_tables import Column, write_table
from zerokelvin.sweeps.cells import Spread
from zerokelvin.sweeps.places import cores
from zerokelvin.sweeps.result_store import default_folder

__all__ = ["EveryClaim", "WholeReport"]

FILES = ("report.html", "checks.parquet", "games.parquet")


@dataclass(frozen=True)
class WholeReport(Report):
    """The report on many claims; saving writes one page and two tables."""

    results: tuple[ClaimResult, ...] = field(default=(), repr=False)
    command: str = ""

    def save(self, folder: PathLike, progress: Progress | None = None) -> list[Path]:
        """Write the page and the raw results into `folder`, made if missing."""
        from zerokelvin.experiments.report.report_page import render_report

        base = free_folder(folder, *FILES)
        base.mkdir(parents=True, exist_ok=True)
        page, checks, games = (base / name for name in FILES)
        with replacing(page) as draft:
            draft.write_text(render_report(self.results, self.command), encoding="utf-8")
        write_table(checks, [_columns(_check_rows(self.results))])
        written = [page, checks]
        rows = [{"claim": r.name, "version": r.version, **game} for r in self.results for game in r.games]
        if rows:
            write_table(games, [_columns(rows)])
            written.append(games)
        return written


@experiment("all")
@dataclass(frozen=True)
class EveryClaim(Experiment):
    """Every claim, table and figure of the five papers, and what goes beyond, in one file of HTML.

    Parameters
    ----------
    only
        Claims or papers by name; all by default.
    share
        ``"K/N"``: measure only the K-th of N shares of the claims, for machines that share a folder of
        results.

    By default as many processes work as there are cores, and results are kept in the user's cache.
    """

    only: tuple[str, ...] = ()
    share: str | None = None

    def __post_init__(self) -> None:
        chosen_claims(self.only)
        _share(self.share, [])

    def run(self, progress: Progress | None = None) -> WholeReport:
        """Measure what is not known yet."""
        names = _share(self.share, chosen_claims(self.only))
        order = Order(self.seed, self.fast, self.spread.results or str(default_folder()))
        chosen = self.spread if self.spread.jobs or self.spread.cluster else Spread(jobs=cores())
        with chosen.place() as place:
            found = run_claims(names, order, place, progress)
        table = Table(
            "Every claim",
            ("claim", "verdict", "checks that agree", "seconds"),
            tuple(_row(result) for result in found),
            numbers=(2, 3),
            notes=(_counts(found),),
        )
        values = {
            "settings": {"seed": self.seed, "fast": self.fast, "version": zerokelvin.__version__},
            "counts": dict(Counter(result.verdict for result in found)),
            "computed": sum(not result.kept for result in found),
            "claims": [_values(result) for result in found],
        }
        return WholeReport(self.name, (table,), values, (), tuple(found), self._command)

    @property
    def _command(self) -> str:
        words = ["zerokelvin reproduce all", *(f"--only {name}" for name in self.only)]
        words += [f"--seed {self.seed}", *(["--fast"] if self.fast else [])]
        return " ".join(words)


def _share(share: str | None, names: list[str]) -> list[str]:
    """The K-th of N shares of the names; groups stay together."""
    if share is None:
        return names
    number, slash, total = share.partition("/")
    if not (slash and number.isdigit() and total.isdigit() and 1 <= int(number) <= int(total)):
        raise ParameterError(f"share='{share}' is no share; write K/N, for instance 2/8.")
    groups = list(dict.fromkeys(CLAIMS[name].group or name for name in names))
    mine = set(groups[int(number) - 1 :: int(total)])
    return [name for name in names if (CLAIMS[name].group or name) in mine]


def _row(result: ClaimResult) -> tuple[str, ...]:
    told = [check.agrees for check in result.found.checks if check.agrees is not None]
    word = f"{result.verdict} (erratum)" if CLAIMS[result.name].erratum else result.verdict
    return result.name, word, f"{sum(told)} of {len(told)}", f"{result.seconds:.1f}"


def _counts(found: list[ClaimResult]) -> str:
    counts = Counter(r.verdict for r in found if not CLAIMS[r.name].erratum)
    words = [f"{counts[verdict]} {verdict}" for verdict in (*VERDICTS, UNMEASURED) if counts[verdict]]
    kept = sum(result.kept for result in found)
    return f"{', '.join(words)}; {kept} of {len(found)} were known from an earlier run."


def _values(result: ClaimResult) -> dict[str, Any]:
    checks = [dataclasses.asdict(check) for check in result.found.checks]
    return {
        "claim": result.name, "verdict": result.verdict, "seconds": result.seconds, "version": result.version,
        "command": result.command, "failure": result.failure, "checks": checks,
    }  # fmt: skip


def _check_rows(results: tuple[ClaimResult, ...]) -> list[dict[str, Any]]:
    rows = []
    for result in results:
        base = {
            "claim": result.name,
            "verdict": result.verdict,
            "seed": result.seed,
            "version": result.version,
        }
        for check in result.found.checks:
            told = "shown" if check.agrees is None else "agrees" if check.agrees else "differs"
            rows.append(
                base
                | {
                    "check": check.what,
                    "printed": check.printed,
                    "measured": check.measured,
                    "agreement": told,
                }
            )
        if not result.found.checks:
            rows.append(base | {"check": "", "printed": "", "measured": result.failure, "agreement": "none"})
    return rows


def _columns(rows: list[dict[str, Any]]) -> dict[str, Column]:
    return {name: [row[name] for row in rows] for name in rows[0]}

"""Table 2 and Figures 1–3 of selective sampling on graphs (Gu, Aggarwal, Liu, Han 2013).

The graph perceptron, `ollgc` and `sslgc` on the largest component of citation, co-author and film graphs,
in 20 random orders. Settled by what reaches the printed figures: the combinatorial Laplacian; 99 spectral
columns v_k/√σ_k and one constant column √2, for the perceptron as well; r_t with the current node inside;
κ = 0.4; errors and questions per one-vs-rest problem, mean over the classes. The multi-class error and the
nodes asked about, which is what a person pays, stand beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.labelled_problem import Problem, load_problem
from zerokelvin.experiments.reproduction.embedded_games import embed, play_jobs
from zerokelvin.experiments.reproduction.reproduction import (
    Experiment,
    Picture,
    Progress,
    Report,
    Table,
    experiment,
)
from zerokelvin.experiments.reproduction.selective_sampling.table2_measures import (
    HELD_OUT,
    MeasuredGraph,
    Play,
    RankSweep,
    RateSweep,
    Setting,
    measure,
    measure_ranks,
    measure_rates,
)
from zerokelvin.experiments.reproduction.selective_sampling.table2_tables import (
    as_values,
    rank_values,
    rate_values,
    tabulate,
)
from zerokelvin.io import read_dblp_four_area
from zerokelvin.sweeps.places import Threads, cores

__all__ = ["Table2"]

DATA = ("cora", "pubmed", "imdb_wiki")
RANKS = (10, 50, 100, 250, 500, 750, 1000)
KAPPAS = tuple(round(0.1 * k, 1) for k in range(1, 11))
SHARES = tuple(k / 8 for k in range(1, 9))
RANK_SHUFFLES = 5
FAST_SHUFFLES, FAST_RANKS, FAST_KAPPAS = 3, (10, 50, 100), (0.2, 0.4, 0.8)


@experiment("table2")
@dataclass(frozen=True)
class Table2(Experiment):
    """Graph perceptron, OLLGC and SSLGC on four graphs, with the figures of the paper.

    Parameters
    ----------
    data
        Data sets by name or path; Cora, PubMed and the film graph by default (Cora with `fast`).
    coauthor
        Folder with the DBLP four-area text files, which adds the paper's co-author graph.
    shuffles
        Random orders to play; 20 by default, as in the paper (3 with `fast`).
    rank, b, kappa
        Columns of the embedding, the constant one (√b) included; exponent of the asking rule.
    """

    data: tuple[str, ...] = ()
    coauthor: str | None = None
    shuffles: int | None = None
    rank: int = 100
    b: float = 2.0
    kappa: float = 0.4

    def __post_init__(self) -> None:
        if self.shuffles is not None and not 2 <= self.shuffles <= HELD_OUT:
            raise ParameterError(f"shuffles={self.shuffles} must lie between 2 and {HELD_OUT}, for a t-test.")

    @property
    def setting(self) -> Setting:
        """The rank, constant, asking rule, number of orders and seed that all games share."""
        default = FAST_SHUFFLES if self.fast else 20
        return Setting(self.rank, self.b, self.kappa, self.shuffles or default, self.seed)

    def run(self, progress: Progress | None = None) -> Report:
        """Play everything; the pictures are drawn when the report is saved."""
        with self.spread.place(Threads(cores())) as place:
            return self._run(
                progress or (lambda *_: None), partial(play_jobs, place=place, store=self.spread.store())
            )

    def _run(self, tell: Progress, play: Play) -> Report:
        ranks, kappas = (FAST_RANKS, FAST_KAPPAS) if self.fast else (RANKS, KAPPAS)
        problems = self._problems(tell)
        swept = next((p.name for p in problems if p.name == "cora"), problems[0].name) if self.figures else ""
        tables: list[Table] = []
        values: list[dict[str, Any]] = []
        pictures: list[Picture] = []
        for problem in problems:
            tell(f"{problem.name}: embedding", 0, None)
            largest = max(self.rank, *ranks) if problem.name == swept else self.rank
            arena = embed(problem, largest, self.b)
            tell(f"{problem.name}: embedding", 1, 1)
            measured = measure(arena, self.setting, SHARES if self.figures else (1.0,), tell, play)
            tables += tabulate(measured)
            values.append(as_values(measured))
            if not self.figures:
                continue
            rates = measure_rates(measured, self.setting, kappas, tell, play)
            values[-1]["rates"] = rate_values(rates)
            pictures += _pictures(measured, rates)
            if problem.name == swept:
                fewer = Setting(
                    self.rank, self.b, self.kappa, min(RANK_SHUFFLES, self.setting.shuffles), self.seed
                )
                sweep = measure_ranks(measured, fewer, ranks, tell, play)
                values[-1]["ranks"] = rank_values(sweep)
                pictures.insert(0, _rank_picture(sweep))
        settings = {"rank": self.rank, "b": self.b, "kappa": self.kappa, "seed": self.seed}
        settings |= {"shuffles": self.setting.shuffles, "fast": self.fast}
        return Report(self.name, tuple(tables), {"settings": settings, "data": values}, tuple(pictures))

    def _problems(self, tell: Progress) -> list[Problem]:
        """The largest component of every data set that is wanted, with its labels."""
        wanted = self.data or (() if self.coauthor and self.fast else ("cora",) if self.fast else DATA)
        problems = []
        if self.coauthor is not None:
            data = read_dblp_four_area(self.coauthor)
            graph, nodes = data.graph.largest_component()
            left = data.graph.num_nodes - graph.num_nodes
            problems.append(Problem("coauthor", graph, data.labels[nodes], left))
        for name in wanted:
            loaded = load_problem(
                name, component="largest", progress=lambda *at, name=name: tell(f"{name}: downloading", *at)
            )
            problems.append(Problem(Path(name).stem, loaded.graph, loaded.labels, loaded.left_out))
        return problems


def _pictures(measured: MeasuredGraph, rates: RateSweep) -> list[Picture]:
    """Figures 2 and 3 of a data set, drawn when they are saved."""

    def curves() -> Any:
        from zerokelvin.experiments.reproduction.selective_sampling.table2_figures import draw_rounds

        return draw_rounds(measured)

    def random() -> Any:
        from zerokelvin.experiments.reproduction.selective_sampling.table2_figures import draw_rates

        return draw_rates(rates)

    name = measured.arena.problem.name
    return [Picture(f"table2-figure2-{name}", curves), Picture(f"table2-figure3-{name}", random)]


def _rank_picture(sweep: RankSweep) -> Picture:
    def draw() -> Any:
        from zerokelvin.experiments.reproduction.selective_sampling.table2_figures import draw_ranks

        return draw_ranks(sweep)

    return Picture(f"table2-figure1-{sweep.arena.problem.name}", draw)

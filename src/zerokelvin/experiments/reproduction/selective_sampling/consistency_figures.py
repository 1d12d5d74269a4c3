"""Figures 1 to 3 of local and global consistency as claims of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.selective_sampling.consistency_claims import NAMES, table2_values

__all__ = ["RankOfTheEmbedding", "RoundByRound", "SelectiveAgainstRandom"]


@claim("ollgc-sslgc/figure-1")
class RankOfTheEmbedding(Claim):
    """Errors fall as the rank of the embedding grows."""

    title: ClassVar[str] = "Figure 1: the higher the rank, the lower the error"
    place: ClassVar[str] = "Section 6.4, Figure 1"
    says: ClassVar[str] = (
        "On Cora the error falls with the rank; at every rank OLLGC and SSLGC are better than GPA; time "
        "grows with d²."
    )
    tolerance: ClassVar[str] = (
        "From the lowest to the highest rank every error falls; the two are below GPA at every rank; from "
        "rank 100 to the highest the time of OLLGC grows at least in proportion to the rank."
    )
    data: ClassVar[tuple[str, ...]] = ("cora",)
    group: ClassVar[str] = "table 2"
    cost: ClassVar[float] = 40.0

    def measure(self, lab: Laboratory) -> Found:
        """Errors and times at ranks from 10 to 1,000."""
        found = table2_values(lab, "cora")["ranks"]
        ranks = found["ranks"]
        errors = {
            n: [(r, row["error_binary"]) for r, row in zip(ranks, found[n], strict=True)] for n in NAMES
        }
        times = {n: [(r, row["seconds"]) for r, row in zip(ranks, found[n], strict=True)] for n in NAMES}
        checks = [
            Check.at_most(
                f"{name}: error at rank {ranks[-1]} and {ranks[0]}", errors[name][0][1], errors[name][-1][1]
            )
            for name in NAMES
        ]
        checks += [
            Check.at_most(f"{name} below GPA, rank {rank}", errors["perceptron"][i][1], errors[name][i][1])
            for i, rank in enumerate(ranks)
            for name in NAMES[1:]
        ]
        if ranks[-1] > 100:
            at = ranks.index(100)
            ratio = times["ollgc"][-1][1] / times["ollgc"][at][1]
            checks.append(
                Check.at_least(f"ollgc: time at rank {ranks[-1]} over rank 100", ranks[-1] / 100, ratio)
            )
        charts = (
            curves("Cora: error", "rank", "one-vs-rest error", errors, log_x=True),
            curves("Cora: time of one game", "rank", "processor seconds", times, log_x=True, log_y=True),
        )
        return Found(tuple(checks), charts)


@claim("ollgc-sslgc/figure-2")
class RoundByRound(Claim):
    """Errors over the rounds of the game, as curves."""

    title: ClassVar[str] = "Figure 2: round by round"
    place: ClassVar[str] = "Section 6.5, Figure 2"
    says: ClassVar[str] = (
        "On IMDB and PubMed OLLGC and SSLGC stay below GPA; SSLGC queries far fewer and takes less time "
        "than OLLGC."
    )
    tolerance: ClassVar[str] = (
        "From a quarter of the rounds on both errors lie below GPA's; SSLGC asks for at most half of the "
        "labels; its time is below OLLGC's."
    )
    differs: ClassVar[str] = (
        "Not found: that SSLGC takes less time. It needs the variance, O(d²), in every round, OLLGC O(d) "
        "unless it is wrong. The short form plays Cora, on which the paper, too, asks for more than half "
        "(1,525 of 2,485)."
    )
    data: ClassVar[tuple[str, ...]] = ("cora", "pubmed", "imdb_wiki")
    group: ClassVar[str] = "table 2"
    cost: ClassVar[float] = 20.0

    def measure(self, lab: Laboratory) -> Found:
        """The curves of Table 2's games."""
        checks, charts = [], []
        for data in lab.pick(("pubmed", "imdb_wiki"), ("cora",)):
            found = table2_values(lab, data)["learners"]
            rounds = found["ollgc"]["curves"]["rounds"]
            half = len(rounds) // 4
            for name in NAMES[1:]:
                gaps = [
                    a - b
                    for a, b in zip(
                        found[name]["curves"]["error"], found["perceptron"]["curves"]["error"], strict=True
                    )
                ]
                checks.append(
                    Check.at_most(f"{data}: {name} − GPA, worst after a quarter", 0, max(gaps[half:]))
                )
            asked = found["sslgc"]["curves"]["queries"][-1] / rounds[-1]
            checks.append(Check.at_most(f"{data}: share of labels sslgc asks for", 0.5, asked))
            ours = found["sslgc"]["seconds"] / found["ollgc"]["seconds"]
            checks.append(Check.at_most(f"{data}: time of sslgc over ollgc", 1, ours))
            for what, title in (
                ("error", "error so far"),
                ("queries", "labels asked so far"),
                ("seconds", "processor seconds so far"),
            ):
                drawn = {n: found[n]["curves"][what] for n in NAMES}
                series = {n: list(zip(_rounds(rounds, row), row, strict=True)) for n, row in drawn.items()}
                charts.append(curves(f"{data}: {title}", "rounds", title, series))
        note = "sslgc needs the variance, O(d²), in every round; ollgc needs O(d) unless it is wrong."
        return Found(tuple(checks), tuple(charts), notes=(note,))


def _rounds(rounds: Sequence[float], row: Sequence[float]) -> Sequence[float]:
    """The rounds after which a curve has its values; times are taken at equal shares of the game."""
    return [rounds[-1] * (k + 1) / len(row) for k in range(len(row))] if len(row) != len(rounds) else rounds


@claim("ollgc-sslgc/figure-3")
class SelectiveAgainstRandom(Claim):
    """Asking by SSLGC against asking as often at random."""

    title: ClassVar[str] = "Figure 3: selective against random asking"
    place: ClassVar[str] = "Section 6.6, Figure 3"
    says: ClassVar[str] = (
        "SSLGC is better than random sampling consistently under different ratios of queried nodes."
    )
    tolerance: ClassVar[str] = (
        "At every κ below the error of GPA asking at random as often (the paper's comparison), and below "
        "that of OLLGC asking at random (the fair one)."
    )
    differs: ClassVar[str] = (
        "The paper compares with a first-order learner that asks at random. Where the same second-order "
        "learner asks at random as often, SSLGC loses on Cora: what helps there is the learner, not the "
        "choice of questions."
    )
    data: ClassVar[tuple[str, ...]] = ("cora", "pubmed", "imdb_wiki")
    group: ClassVar[str] = "table 2"
    cost: ClassVar[float] = 60.0

    def measure(self, lab: Laboratory) -> Found:
        """Play with κ from 0.1 to 1, and at random with as many questions."""
        checks, charts = [], []
        for data in lab.pick(("cora", "pubmed", "imdb_wiki"), ("cora",)):
            rates = table2_values(lab, data)["rates"]
            series = {
                "sslgc": list(zip(rates["rates"], (r["error_binary"] for r in rates["sslgc"]), strict=False))
            }
            for base, name in (("perceptron", "random + GPA"), ("ollgc", "random + ollgc")):
                errors = [r["error_binary"] for r in rates[f"random+{base}"]]
                series[name] = list(zip(rates["rates"], errors, strict=True))
                lost = [
                    k
                    for k, s, e in zip(rates["kappas"], rates["sslgc"], errors, strict=False)
                    if s["error_binary"] > e
                ]
                shown = "everywhere" if not lost else f"not at κ = {', '.join(f'{k:g}' for k in lost)}"
                checks.append(Check.holds(f"{data}: sslgc better than {name}", "at every κ", shown, not lost))
            charts.append(curves(f"{data}", "share of labels asked", "one-vs-rest error", series))
        return Found(tuple(checks), tuple(charts))

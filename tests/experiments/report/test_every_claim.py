"""Every claim of the papers, in the short form: measured once, kept, shown on one page."""

import html
import re

import pyarrow.parquet as pq
import pytest

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.report.claim import CLAIMS, Check, Claim, Found, chosen_claims
from zerokelvin.experiments.report.claim_run import ClaimResult, Order, run_claims
from zerokelvin.experiments.report.papers import PAPERS
from zerokelvin.experiments.report.report_page import render_report
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.sweeps.cells import Spread
from zerokelvin.sweeps.processes import Processes
from zerokelvin.sweeps.result_store import KeptResult, ResultStore

MAY_DIFFER = {"ollgc-sslgc/figure-2", "ollgc-sslgc/figure-3", "ollgc-sslgc/table-2", "second-order/table-5.1"}
"""Claims that do not agree in full, or not in a handful of games; the report says in what."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def report(folder):
    return make_experiment("all", fast=True, spread=Spread(jobs=1, results=str(folder))).run()


def test_every_claim_says_what_is_printed_and_when_it_agrees():
    assert len(CLAIMS) > 35
    for name, claim in CLAIMS.items():
        paper, _, rest = name.partition("/")
        assert paper in PAPERS, name
        assert rest
        for text in (claim.title, claim.place, claim.says, claim.tolerance):
            assert text, name


def test_every_claim_is_judged(report):
    verdicts = {result.name: result.verdict for result in report.results}
    assert list(verdicts) == list(CLAIMS)
    for name, verdict in verdicts.items():
        if verdict == "not measured":
            continue  # its data set is not at hand
        if CLAIMS[name].erratum:
            assert verdict == "not", name
        elif name not in MAY_DIFFER:
            assert verdict in ("reproduced", "measured"), name


def test_a_second_run_computes_nothing(report, folder, monkeypatch):
    for name in CLAIMS:
        monkeypatch.setattr(CLAIMS[name], "measure", lambda self, lab: pytest.fail("measured again"))
    known = [r.name for r in report.results if r.verdict != "not measured"]
    again = make_experiment(
        "all", only=tuple(known), fast=True, spread=Spread(jobs=2, results=str(folder))
    ).run()
    assert again.values["computed"] == 0
    assert [r.found for r in again.results] == [
        Found.read(r.found.as_dict()) for r in report.results if r.name in known
    ]


def test_another_seed_is_another_result(folder):
    order = Order(seed=1, fast=True, folder=str(folder))
    (result,) = run_claims(["graph-perceptron/label-noise"], order)
    assert not result.kept
    assert run_claims(["graph-perceptron/label-noise"], order)[0].kept


def test_processes_find_the_same(report):
    names = ["graph-perceptron/barbell", "pounce/figure-4"]
    found = run_claims(names, Order(fast=True), place=Processes(2))
    here = {r.name: r.found for r in report.results}
    assert [Found.read(here[n].as_dict()) for n in names] == [Found.read(r.found.as_dict()) for r in found]


def test_the_page_stands_alone_and_is_small(report, tmp_path):
    page, checks, games = report.save(tmp_path / "out")
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 3_000_000
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "url(" not in text
    assert "@import" not in text
    for result in report.results:
        assert f'id="{result.name}"' in text
        assert result.version in text
    assert text.count("<title>") > 200  # numbers on hover
    table = pq.read_table(checks)
    assert {"claim", "verdict", "check", "printed", "measured", "agreement", "seed", "version"} <= set(
        table.column_names
    )
    assert {"graph_hash", "learner", "params", "seed", "mistakes", "bound"} <= set(
        pq.read_table(games).column_names
    )


def test_the_page_shows_what_does_not_agree_first():
    checks = tuple(Check.at_most(f"check {i}", 1, 0 if i else 2) for i in range(12))
    result = ClaimResult("pounce/line", Found(checks[1:] + checks[:1]), (), 0.1, "abc", 0, True)
    text = render_report([result], "zerokelvin reproduce all")
    assert result.verdict == "partly"
    assert text.index("check 0") < text.index("check 1<")
    assert "11 of 12 agree" in text


def test_why_a_claim_differs_stands_beside_what_does_not_agree_and_nowhere_else():
    for name in MAY_DIFFER:
        why = CLAIMS[name].differs
        assert why
        for measured, times in ((5, 2), (2, 0)):  # in the summary and in the cell, or not at all
            checks = (Check.at_most("mistakes", 3, measured), Check.at_most("questions", 3, 1))
            result = ClaimResult(name, Found(checks), (), 1.0, "v", 0, fast=True)
            text = html.unescape(render_report([result], "zerokelvin reproduce all"))
            assert text.count(why) == times, name
            assert ("1 of 2 checks do not agree" in text) == (times > 0)


def test_a_claim_without_its_data_is_not_measured(monkeypatch):
    monkeypatch.setattr(CLAIMS["pounce/line"], "data", ("no-such-data",))
    (result,) = run_claims(["pounce/line"], Order(fast=True))
    assert result.verdict == "not measured"
    assert "no-such-data" in result.failure


def test_shares_are_all_of_it_and_groups_stay_together():
    everything = chosen_claims()
    from zerokelvin.experiments.reproduction.every_claim import _share

    shares = [_share(f"{k}/3", everything) for k in (1, 2, 3)]
    assert sorted(name for share in shares for name in share) == everything
    groups = [{CLAIMS[n].group for n in share} - {""} for share in shares]
    assert sum(len(g) for g in groups) == len(set().union(*groups))
    with pytest.raises(ParameterError, match="write K/N"):
        make_experiment("all", share="4/3")


def test_unknown_claims_are_refused():
    with pytest.raises(ParameterError, match="there is no claim 'pounce/lime'"):
        make_experiment("all", only=("pounce/lime",))


def test_damaged_results_are_computed_again(tmp_path):
    store, key = ResultStore(tmp_path), {"seed": 0}
    store.keep(key, KeptResult([1]))
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(file.read_bytes()[:-3])
    assert store.result(key, lambda: [2]) == [2]
    assert ResultStore(tmp_path).result(key, lambda: [3]) == [2]


def test_verdicts_follow_from_the_checks():
    good, bad, shown = Check.at_most("a", 1, 1), Check.at_least("b", 2, 1), Check.shown("c", "-", "-")
    assert Found((good, shown)).verdict == "reproduced"
    assert Found((good, bad)).verdict == "partly"
    assert Found((bad,)).verdict == "not"
    assert Found((shown,)).verdict == "measured"
    assert issubclass(CLAIMS["pounce/line"], Claim)

"""Table 2: its rules on small graphs, and its figures on Cora."""

import dataclasses
import json
import math

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import DataError, ParameterError
from zerokelvin.experiments.reproduction import EXPERIMENTS, make_experiment
from zerokelvin.experiments.reproduction.selective_sampling.table2_measures import Setting, Tried, _choose
from zerokelvin.experiments.reproduction.selective_sampling.table2_paper import PAPER
from zerokelvin.experiments.reproduction.selective_sampling.table2_tables import paired_test

CONFERENCES = "1\tKDD\n"


@pytest.fixture
def blobs(tmp_path, monkeypatch):
    """A small data set of three clusters, as an npz file in the working folder."""
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(2.5 * k, 1.0, size=(40, 2)) for k in range(3)])
    graph = zk.knn_graph(points, 5)
    np.savez(tmp_path / "blobs.npz", edges=graph.edges, labels=np.repeat([0, 1, 2], 40), n=120)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_registered_and_explained():
    assert {"table2", "table5.1"} <= set(EXPERIMENTS)
    with pytest.raises(ParameterError, match="did you mean 'table2'"):
        make_experiment("tabel2")
    with pytest.raises(ParameterError, match="'draws'"):
        make_experiment("table2", draws=3)
    with pytest.raises(ParameterError, match="shuffles=1"):
        make_experiment("table2", shuffles=1)


def test_paired_test_by_its_formula():
    rng = np.random.default_rng(0)
    base = rng.normal(0.12, 0.002, 20)
    errors = base - 0.01 + rng.normal(0, 0.001, 20)
    found = paired_test(errors, base)
    gaps = errors - base
    t = gaps.mean() / (gaps.std(ddof=1) / math.sqrt(20))
    half = 2.093024 * gaps.std(ddof=1) / math.sqrt(20)  # the 97.5 % point of t with 19 degrees of freedom
    assert found.difference == pytest.approx(gaps.mean())
    assert found.t == pytest.approx(t)
    assert found.p < 1e-10
    assert (found.low, found.high) == pytest.approx((gaps.mean() - half, gaps.mean() + half))
    assert found.significant
    assert not paired_test(base + rng.normal(0, 0.1, 20), base).significant


def test_paired_test_without_spread():
    base = np.array([0.25, 0.5, 0.75])
    found = paired_test(base + 0.125, base)
    assert (found.t, found.p, found.significant) == (None, None, True)
    assert not paired_test(base, base).significant
    thirds = np.array([0.1, 0.2, 0.3])  # the gaps differ by rounding
    assert paired_test(thirds + 0.1, thirds).p is None


def test_mu_is_that_of_least_error_and_for_sslgc_selective():
    tried = [Tried(0.1, 0.05, 95), Tried(1.0, 0.06, 60), Tried(10.0, 0.2, 10)]
    assert _choose("ollgc", tried, 100) == 0.1
    assert _choose("sslgc", tried, 100) == 1.0
    assert _choose("sslgc", tried[:1], 100) == 0.1


def test_the_held_out_order_is_not_among_those_reported():
    for shuffles in (2, 20, 10_000):
        setting = Setting(100, 2.0, 0.4, shuffles, 7)
        assert setting.held_out == 10_007
        assert setting.held_out not in setting.seeds
    assert list(Setting(100, 2.0, 0.4, 20, 7).seeds) == list(range(7, 27))


def test_a_data_set_of_ones_own_and_all_pictures(blobs):
    experiment = make_experiment("table2", data=("blobs.npz",), shuffles=3, rank=20, fast=True)
    steps = []
    report = experiment.run(lambda *step: steps.append(step))
    (values,) = report.values["data"]
    assert (values["name"], values["nodes"], values["classes"]) == ("blobs", 120, 3)
    arena_seeds = zk.play_shuffles(
        *_problem(), "ollgc", rank=20, mu=values["learners"]["ollgc"]["mu"], shuffles=3
    )
    assert values["learners"]["ollgc"]["error_binary"] == pytest.approx(arena_seeds.mean("error_binary"))
    assert values["learners"]["ollgc"]["error_binary_std"] == pytest.approx(arena_seeds.std("error_binary"))
    assert values["learners"]["perceptron"]["paper"] is None
    assert "–" in report.tables[0].rows[0]
    for task in {step[0] for step in steps}:
        last = [step for step in steps if step[0] == task][-1]
        assert last[1] == last[2], task
    files = report.save(blobs / "new" / "folder")
    assert [path.name for path in files] == [
        "table2.json",
        *(
            f"table2-figure{i}-blobs.{suffix}"
            for i in (1, 2, 3)
            for suffix in ("png", "svg")
        ),
    ]  # fmt: skip
    assert json.loads(files[0].read_text()) == json.loads(json.dumps(report.as_dict()))
    assert all(path.stat().st_size > 5000 for path in files)


def _problem():
    data = zk.load_dataset("blobs.npz")
    graph, nodes = data.graph.largest_component()
    return graph, data.labels[nodes]


def test_figures_are_left_out_when_not_wanted(blobs):
    report = make_experiment("table2", data=("blobs.npz",), shuffles=2, rank=10, figures=False).run()
    assert report.pictures == ()
    assert "rates" not in report.values["data"][0]
    assert len(report.tables) == 2


def test_pictures_show_the_measured_figures(blobs):
    report = make_experiment("table2", data=("blobs.npz",), shuffles=3, rank=20, fast=True).run()
    drawn = {picture.name: picture.draw() for picture in report.pictures}
    values = report.values["data"][0]
    errors = drawn["table2-figure1-blobs"].axes[0]
    for line, name in zip(errors.lines[::3], ("perceptron", "ollgc", "sslgc"), strict=False):
        assert line.get_xdata().tolist() == values["ranks"]["ranks"]
        assert line.get_ydata().tolist() == [row["error_binary"] for row in values["ranks"][name]]
    rounds = drawn["table2-figure2-blobs"].axes
    assert rounds[0].lines[1].get_ydata().tolist() == values["learners"]["ollgc"]["curves"]["error"]
    assert rounds[1].lines[2].get_ydata().tolist() == values["learners"]["sslgc"]["curves"]["queries"]
    assert len(rounds[2].lines) == 3
    left = drawn["table2-figure3-blobs"].axes[0]
    assert {text.get_text() for text in drawn["table2-figure3-blobs"].legends[0].get_texts()} == {
        "random + perceptron",
        "random + ollgc",
        "sslgc",
    }
    shown = sorted(left.containers[2].lines[0].get_ydata().tolist())
    assert shown == sorted(row["error_binary"] for row in values["rates"]["sslgc"])


def test_the_same_seed_gives_the_same_figures(blobs):
    options = {"data": ("blobs.npz",), "shuffles": 2, "rank": 10, "figures": False}
    one, two = (make_experiment("table2", **options).run().values["data"][0] for _ in range(2))
    other = make_experiment("table2", **options, seed=9).run().values["data"][0]
    for name, row in one["learners"].items():
        for figure in ("error_binary", "error_multiclass", "queries", "queried_nodes"):
            assert row[figure] == two["learners"][name][figure]
    assert other["learners"]["ollgc"]["error_binary"] != one["learners"]["ollgc"]["error_binary"]


def test_coauthor_is_read_from_its_text_files(tmp_path):
    rng = np.random.default_rng(3)
    area = rng.integers(0, 4, 90)
    papers = []
    for paper in range(400):
        field = paper % 4
        members = rng.choice(np.flatnonzero(area == field), 3, replace=False).tolist()
        papers += [
            (paper, author) for author in (*members, *([int(rng.integers(90))] if paper % 5 == 0 else []))
        ]
    texts = {
        "author": "".join(f"{i}\tA{i}\n" for i in range(90)),
        "paper": "".join(f"{i}\tP{i}\n" for i in range(400)),
        "conf": CONFERENCES,
        "paper_conf": "".join(f"{i}\t1\n" for i in range(400)),
        "paper_author": "".join(f"{p}\t{a}\n" for p, a in papers),
        "author_label": "".join(f"{i}\t{area[i]}\tA{i}\n" for i in range(90)),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    report = make_experiment("table2", coauthor=str(tmp_path), fast=True, figures=False, rank=30).run()
    (values,) = report.values["data"]
    assert (values["name"], values["nodes"], values["classes"]) == ("coauthor", 90, 4)
    assert values["learners"]["sslgc"]["paper"] == dataclasses.asdict(PAPER["coauthor"]["sslgc"])
    with pytest.raises(DataError, match="no folder"):
        make_experiment("table2", coauthor=str(tmp_path / "nowhere")).run()


@pytest.mark.data
def test_cora_is_the_printed_row(monkeypatch, data_folder):
    monkeypatch.setenv("ZEROKELVIN_DATA", str(data_folder))
    report = make_experiment("table2", fast=True, shuffles=6).run()
    (values,) = report.values["data"]
    found, printed = values["learners"], PAPER["cora"]
    assert (values["nodes"], values["edges"], values["classes"]) == (2485, 5069, 7)
    assert found["perceptron"]["error_binary"] == pytest.approx(printed["perceptron"].error, abs=0.002)
    assert found["ollgc"]["error_binary"] == pytest.approx(printed["ollgc"].error, abs=0.001)
    assert found["sslgc"]["error_binary"] == pytest.approx(printed["sslgc"].error, abs=0.004)
    assert found["sslgc"]["queries"] == pytest.approx(printed["sslgc"].queries, rel=0.03)
    assert found["perceptron"]["queries"] == found["ollgc"]["queries"] == 2485
    assert found["ollgc"]["test"]["significant"]
    assert found["sslgc"]["test"]["significant"]
    assert found["ollgc"]["mu"] == found["sslgc"]["mu"] == 1.0
    # the erratum: better than random + perceptron, worse than random + ollgc at the same number of labels
    rates = values["rates"]
    for i, selective in enumerate(rates["sslgc"][:2]):
        assert selective["error_binary"] < rates["random+perceptron"][i]["error_binary"] - 0.02
        assert selective["error_binary"] > rates["random+ollgc"][i]["error_binary"]
    errors = [row["error_binary"] for row in values["ranks"]["ollgc"]]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.data
def test_pubmed_is_the_printed_row(monkeypatch, data_folder):
    monkeypatch.setenv("ZEROKELVIN_DATA", str(data_folder))
    report = make_experiment("table2", data=("pubmed",), shuffles=4, figures=False).run()
    found, printed = report.values["data"][0]["learners"], PAPER["pubmed"]
    for name in ("perceptron", "ollgc", "sslgc"):
        assert found[name]["error_binary"] == pytest.approx(
            printed[name].error, abs=printed[name].error_std
        ), name
    assert found["sslgc"]["queries"] == pytest.approx(
        printed["sslgc"].queries, abs=1.5 * printed["sslgc"].queries_std
    )
    assert found["sslgc"]["mu"] == 0.001
    assert found["sslgc"]["queried_nodes"] > 1.3 * found["sslgc"]["queries"]

import json

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.experiments import EXPERIMENTS


@pytest.fixture
def ring(files):
    """Two joined rings with two classes, as an npz file in the working folder."""
    edges = [(i, (i + 1) % 20) for i in range(20)] + [(20 + i, 20 + (i + 1) % 20) for i in range(20)]
    labels = np.repeat([0, 1, 2, 0], 10)
    np.savez(files / "rings.npz", edges=np.array([*edges, (0, 20)]), labels=labels, n=40)
    return files


def test_without_a_name_the_experiments_are_listed(invoke, invoke_json):
    listed = invoke_json("reproduce")
    assert [row["name"] for row in listed] == list(EXPERIMENTS)
    assert all(row["summary"].endswith(".") for row in listed)
    shown = invoke("reproduce").stdout
    assert all(name in shown for name in EXPERIMENTS)


def test_table2_on_a_graph_of_ones_own(ring, invoke_json):
    printed = invoke_json(
        "reproduce", "table2", "--data", "rings.npz", "--shuffles", 2, "--fast", "--output", "new/results"
    )
    assert printed["experiment"] == "table2"
    assert printed["settings"]["shuffles"] == 2
    (data,) = printed["data"]
    assert (data["name"], data["nodes"], data["classes"]) == ("rings", 40, 3)
    assert list(data["learners"]) == ["perceptron", "ollgc", "sslgc"]
    graph = zk.read_graph("rings.npz")
    runs = zk.play_shuffles(
        graph, zk.load_dataset("rings.npz").labels, "ollgc", shuffles=2, mu=data["learners"]["ollgc"]["mu"]
    )
    assert data["learners"]["ollgc"]["error_binary"] == pytest.approx(runs.mean("error_binary"))
    assert all((ring / name).is_file() for name in printed["files"])
    saved = json.loads((ring / "new/results/table2.json").read_text())
    assert saved == {name: value for name, value in printed.items() if name != "files"}


def test_table2_for_people_without_figures_leaves_no_files(ring, invoke):
    before = sorted(ring.rglob("*"))
    result = invoke("reproduce", "table2", "--data", "rings.npz", "--shuffles", 2, "--no-figures")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    for part in (
        "rings: 40 nodes, 41 edges, 3 classes",
        "multi-class",
        "nodes asked",
        "paired t-test",
        "μ =",
    ):
        assert part in text
    assert "Saved" not in text
    assert sorted(ring.rglob("*")) == before


def test_table51_prints_paper_and_ours(files, invoke):
    result = invoke("reproduce", "table5.1", "--draws", 2, "--shuffles", 2, "--output", "out")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    for part in (
        "second-order, a = 10",
        "30.2 ± 6.2",
        "10.4 ± 6.0",
        "mean of 2 draws",
        "Saved out/table5.1.json",
    ):
        assert part in text
    assert (files / "out" / "table5.1-data.svg").read_bytes().startswith(b"<?xml")


def test_all_writes_one_page_and_the_raw_results(files, invoke, invoke_json):
    arguments = ("--only", "graph-perceptron/flower", "--fast", "--results", "kept", "--output", "out")
    printed = invoke_json("reproduce", "all", *arguments)
    assert printed["counts"] == {"reproduced": 1}
    assert printed["computed"] == 1
    assert (files / "out" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (files / "out" / "checks.parquet").is_file()
    again = invoke("reproduce", "all", *arguments)
    assert "1 of 1 were known from an earlier run" in " ".join(again.stdout.split())


def test_the_claims_are_listed(invoke, invoke_json):
    listed = invoke_json("reproduce", "all", "--list", "--only", "pounce")
    assert {"name", "title", "place"} == set(listed[0])
    assert all(row["name"].startswith("pounce/") for row in listed)
    assert "pounce/line" in invoke("reproduce", "all", "--list").stdout

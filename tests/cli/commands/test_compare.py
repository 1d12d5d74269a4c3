import pytest

import zerokelvin as zk

KEYS = [
    "graph", "nodes", "edges", "classes", "trials", "shuffles", "seed", "time_limit", "majority_error",
    "rows", "files",
]  # fmt: skip
ROW = [
    "name",
    "package",
    "error",
    "error_std",
    "queried_nodes",
    "seconds",
    "note",
    "games",
    "macro_f1",
    "auc",
    "average_precision",
]
QUICK = ("--learners", "perceptron,nearest", "--peers", "sklearn-spreading")


def test_json_has_the_figures_of_the_library(files, invoke_json):
    printed = invoke_json(
        "compare", "edges.csv", "labels.csv", *QUICK, "--shuffles", 2, "--seed", 3, "--no-picture"
    )
    assert list(printed) == KEYS
    assert [list(row) for row in printed["rows"]] == [ROW] * 3
    graph = zk.read_graph("edges.csv")
    runs = zk.play_shuffles(graph, ["x", "x", "y", "y", "x", "y", "y"], "nearest", shuffles=2, seed=3)
    (row,) = [row for row in printed["rows"] if row["name"] == "nearest"]
    assert row["error"] == pytest.approx(runs.mean("error_multiclass"))
    assert (printed["graph"], printed["nodes"], printed["files"]) == ("edges.csv", 7, [])


def test_table_and_picture(files, invoke):
    result = invoke(
        "compare", "edges.csv", "--labels", "labels.csv", *QUICK, "--output", "out", "--component", "largest"
    )
    assert result.exit_code == 0, result.stderr
    for text in ("perceptron", "sklearn-spreading", "scikit-learn", "nodes asked", "5 (100.0 %)"):
        assert text in result.stdout
    assert "2 nodes outside the largest component left out" in " ".join(result.stdout.split())
    assert (files / "out" / "compare.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (files / "out" / "compare.svg").read_text()
    assert "Saved out/compare.svg" in result.stdout


def test_none_leaves_a_side_out_and_the_time_limit_is_printed(files, invoke_json):
    printed = invoke_json(
        "compare", "edges.csv", "labels.csv", "--learners", "none", "--peers", "sklearn-spreading",
        "--time-limit", 1e-9, "--no-picture",
    )  # fmt: skip
    (row,) = printed["rows"]
    assert row["error"] is None
    assert "time limit of 1e-09 s" in row["note"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("edges.csv", "labels.csv", "--labels", "labels.csv"), "twice"),
        (("edges.csv", "labels.csv", "--learners", "perceptorn"), "perceptron"),
        (("edges.csv", "labels.csv", "--peers", "nobody"), "nobody"),
        (("edges.csv", "labels.csv", "--refit", "0"), "'--refit': 0 is not"),
        (("edges.csv",), "labels"),
        (("edges.csv", "labels.csv", "--output", "empty.csv"), "empty.csv"),
    ],
)
def test_bad_input(files, invoke, arguments, named):
    result = invoke("compare", *arguments)
    assert result.exit_code == 2
    assert named in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1

import numpy as np
import pytest

import zerokelvin as zk

KEYS = [
    "learner", "params", "nodes", "edges", "classes", "trials", "error_binary", "error_binary_std",
    "error_multiclass", "error_multiclass_std", "queries", "queried_nodes", "seconds", "bound",
    "majority_error", "macro_f1", "sought", "auc", "average_precision", "per_class",
]  # fmt: skip
GRAPH = zk.Graph.from_edges(
    [("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve"), ("eve", "ann"), ("fay", "gus")],
    [1, 2, 1, 0.5, 1, 1],
)
LABELS = ["x", "x", "y", "y", "x", "y", "y"]


def test_json_is_the_contract_and_the_figures_are_those_of_the_library(files, invoke_json):
    chosen = ("--learner", "perceptron", "--param", "b=2")
    printed = invoke_json("run", "edges.csv", "labels.csv", "--shuffles", 4, "--seed", 7, *chosen)
    assert list(printed) == KEYS
    runs = zk.play_shuffles(GRAPH, LABELS, "perceptron", shuffles=4, seed=7, b=2.0)
    assert (printed["nodes"], printed["edges"], printed["classes"], printed["trials"]) == (7, 6, 2, 7)
    assert printed["learner"] == "perceptron"
    assert printed["params"]["b"] == 2.0
    for figure in ("error_binary", "error_multiclass", "queries", "queried_nodes"):
        assert printed[figure] == pytest.approx(runs.mean(figure))
    assert printed["error_multiclass_std"] == pytest.approx(runs.std("error_multiclass"))
    assert printed["seconds"] > 0
    known = {"value", "theorem", "terms", "assumptions", "holds", "expected", "says_something"}
    assert set(printed["bound"]) == known
    assert printed["majority_error"] == pytest.approx(3 / 7)
    assert printed["sought"] == "x"
    for figure in ("macro_f1", "auc", "average_precision"):
        assert printed[figure] == pytest.approx(np.mean([getattr(run.figures, figure) for run in runs.runs]))
    recalls = np.mean([run.figures.recall for run in runs.runs], axis=0)
    assert [row["recall"] for row in printed["per_class"]] == pytest.approx(recalls.tolist())


def test_the_table_says_what_the_bound_is_worth(files, invoke):
    shown = " ".join(invoke("run", "edges.csv", "labels.csv", "--learner", "perceptron").stdout.split())
    assert "says nothing here" in shown or "no guarantee here" in shown
    for text in (
        "majority guess 42.86 % wrong",
        "macro-F1",
        "AUC",
        "average precision",
        "precision recall F1",
    ):
        assert text in shown
    edges = "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(60))
    labels = "node,label\n" + "".join(f"{i},{'ab'[i > 30]}\n" for i in range(61))
    (files / "line.csv").write_text(edges)
    (files / "halves.csv").write_text(labels)
    told = " ".join(invoke("run", "line.csv", "halves.csv", "--learner", "longest-path").stdout.split())
    assert " made" in told
    assert "says nothing" not in told


def test_largest_component_is_played_alone_with_a_finite_bound(files, invoke, invoke_json):
    arguments = ("run", "edges.csv", "labels.csv", "--shuffles", 3, "--component", "largest")
    printed = invoke_json(*arguments)
    assert (printed["nodes"], printed["edges"], printed["trials"]) == (5, 5, 5)
    assert printed["bound"]["holds"]
    assert printed["bound"]["value"] > 0
    assert "2 nodes outside the largest component left out" in " ".join(invoke(*arguments).stdout.split())


def test_every_option_of_the_game_reaches_it(files, invoke_json):
    options = {"policy": "random:0.5", "budget": 2, "label_noise": 0.3}
    options |= {"concept_noise": 0.2, "repeats": 3, "delay": 1}
    flags = {name: (f"--{name.replace('_', '-')}", value) for name, value in options.items()}

    def call(chosen):
        arguments = [text for name in chosen for text in flags[name]]
        base = ("run", "edges.csv", "labels.csv", "--shuffles", 5, "--learner", "perceptron")
        return invoke_json(*base, *arguments) | {"seconds": 0}

    printed = call(options)
    runs = zk.play_shuffles(GRAPH, LABELS, "perceptron", shuffles=5, **options)
    assert printed["trials"] == 21
    for figure in ("error_binary", "queries", "queried_nodes"):
        assert printed[figure] == pytest.approx(runs.mean(figure))
    for name in options:
        assert call(other for other in options if other != name) != printed, name


@pytest.mark.parametrize("flags", [("--policy", "random:0.5"), ("--budget", "2"), ("--delay", "1")])
def test_a_bound_promises_nothing_where_labels_are_missing_or_late(files, invoke_json, flags):
    base = ("run", "edges.csv", "labels.csv", "--shuffles", 1, "--component", "largest")
    assert invoke_json(*base)["bound"]["holds"]
    assert not invoke_json(*base, *flags)["bound"]["holds"]


def test_graph_and_labels_from_one_npz(files, invoke_json):
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    labels = np.array([0, 0, 1, -1])
    np.savez(files / "both.npz", edges=edges, labels=labels, n=4)
    printed = invoke_json("run", "both.npz", "--shuffles", 2)
    assert (printed["nodes"], printed["edges"], printed["classes"], printed["trials"]) == (4, 3, 2, 3)


def test_labels_file_beside_an_npz(files, invoke_json):
    np.savez(files / "graph.npz", edges=np.array([[0, 1], [1, 2]]), n=3)
    (files / "three.csv").write_text("0,u\n1,v\n2,w\n")
    assert invoke_json("run", "graph.npz", "three.csv", "--shuffles", 1)["classes"] == 3


def test_a_data_set_of_points_becomes_a_nearest_neighbour_graph(files, invoke_json):
    points = np.random.default_rng(0).normal(size=(30, 2))
    np.savez(files / "cloud.npz", X=points, labels=(points[:, 0] > 0).astype(int))
    printed = invoke_json("run", "cloud.npz", "--shuffles", 1, "--neighbors", 3)
    assert (printed["nodes"], printed["edges"]) == (30, zk.graph.knn_graph(points, 3).num_edges)


def test_table_for_people_shows_error_asked_and_bound(files, invoke):
    result = invoke("run", "edges.csv", "labels.csv", "--shuffles", 2, "--learner", "perceptron")
    text = " ".join(result.stdout.split())
    assert result.exit_code == 0
    for part in (
        "7 nodes, 6 edges, 2 classes",
        "perceptron (b=1.0",
        "nodes asked 7 (100.0 %)",
        "Theorem 2.1",
    ):
        assert part in text
    assert result.stderr.splitlines() == [
        "Read edges.csv: source = source, target = target, weight = weight, 6 rows; 7 nodes, 6 edges.",
        "Read labels.csv: node = node, label = label, 7 rows; 7 labels, 2 classes.",
    ]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plot_is_written_and_named(files, invoke, suffix):
    result = invoke("run", "edges.csv", "labels.csv", "--shuffles", 2, "--plot", f"curves.{suffix}")
    assert f"Saved curves.{suffix}" in result.stdout
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert (files / f"curves.{suffix}").read_bytes().startswith(start)


def test_costs_and_what_they_came_to_are_shown(files, invoke, invoke_json):
    prices = ("--cost", "miss=20", "--cost", "alarm=1", "--cost", "ask=0.5")
    chosen = ("run", "edges.csv", "labels.csv", "--learner", "llgc", "--shuffles", 3, *prices)
    runs = zk.play_shuffles(
        GRAPH, LABELS, "llgc", shuffles=3, seed=0, costs={"miss": 20, "alarm": 1, "ask": 0.5}
    )
    printed = invoke_json(*chosen)
    assert list(printed) == [*KEYS, "cost"]
    assert printed["cost"] == pytest.approx(runs.mean("cost"))
    table = invoke(*chosen).stdout
    assert f"{runs.mean('cost'):,.4g}: misses, false alarms and questions" in table
    assert "no bound is known" in table
    assert "infinitely" not in table

"""From tables to tables: predict, queue, evaluate."""

import json

import pyarrow.parquet as pq
import pytest

import zerokelvin as zk

COMMANDS = ("predict", "queue", "evaluate")


@pytest.fixture
def known(files):
    (files / "known.csv").write_text("node,label\nann,x\ndan,y\nfay,y\n")
    return files


def test_predict_writes_every_unlabelled_node(known, invoke, invoke_json):
    printed = invoke_json("predict", "edges.csv", "known.csv", "--learner", "nearest", "--out", "l.parquet")
    assert printed["known"] == 3
    assert printed["predicted"] == 4
    assert sum(one["predicted"] for one in printed["classes"]) == 4
    rows = {row["node"]: row for row in pq.read_table("l.parquet").to_pylist()}
    graph = zk.read_graph("edges.csv")
    session = zk.start(graph, "nearest", classes=["x", "y"], policy="value")
    session.teach({"ann": "x", "dan": "y", "fay": "y"})
    assert set(rows) == {"bob", "cem", "eve", "gus"}
    for name, row in rows.items():
        shown = session.predict(name)
        assert (row["label"], row["ask"], row["reason"]) == (shown.label, shown.ask, shown.reason)
        assert row["probability"] == max(session.predict_proba_one(name).values())
    assert printed["asked"] == sum(row["ask"] for row in rows.values())
    shown = invoke("predict", "edges.csv", "known.csv", "--learner", "nearest")
    assert shown.exit_code == 0
    assert "3 labels known, 4 nodes predicted" in shown.stdout
    assert "gus" in shown.stdout


def test_predict_prints_all_rows_as_json_without_a_file(known, invoke_json):
    printed = invoke_json("predict", "edges.csv", "known.csv", "--learner", "nearest", "--seed", "4")
    assert [row["node"] for row in printed["predictions"]] == ["bob", "cem", "eve", "gus"]
    assert printed["out"] is None
    again = invoke_json("predict", "edges.csv", "known.csv", "--learner", "nearest", "--seed", "4")
    assert again == printed


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "csv.gz"])
def test_predict_and_queue_in_every_format(known, invoke, suffix):
    for command in ("predict", "queue"):
        done = invoke(
            command, "edges.csv", "known.csv", "--learner", "nearest", "--out", f"{command}.{suffix}"
        )
        assert done.exit_code == 0, done.output
        assert f"Saved {command}.{suffix}" in done.stdout
        assert (known / f"{command}.{suffix}").stat().st_size > 20


def test_what_was_predicted_can_be_read_back_as_labels(known, invoke):
    invoke("predict", "edges.csv", "known.csv", "--learner", "nearest", "--out", "l.csv")
    graph = zk.read_graph("edges.csv")
    labels = zk.read_labels("l.csv", graph, node="node", label="label")
    assert int(labels.count()) == 4


def test_columns_by_name(known, invoke_json):
    named = (
        "--source",
        "payer",
        "--target",
        "payee",
        "--weight",
        "amount",
        "--node",
        "who",
        "--label",
        "kind",
    )
    (known / "some.csv").write_text("who,kind\nann,x\neve,y\n")
    for command in ("predict", "queue"):
        printed = invoke_json(
            command, "paid.csv", "some.csv", *named, "--learner", "nearest", "--policy", "margin"
        )
        rows = printed["predictions" if command == "predict" else "questions"]
        assert {row["node"] for row in rows} == {"bob", "cem", "dan"}
    found = invoke_json("evaluate", "paid.csv", "who.csv", *named, "--learner", "nearest", "--folds", "2")
    assert found["labels"] == 5


def test_queue_lists_the_most_urgent_first(known, invoke, invoke_json):
    printed = invoke_json("queue", "edges.csv", "known.csv", "--learner", "nearest", "--limit", "2")
    session = zk.start(zk.read_graph("edges.csv"), "nearest", classes=["x", "y"], policy="value")
    session.teach({"ann": "x", "dan": "y", "fay": "y"})
    assert [row["node"] for row in printed["questions"]] == session.open_questions(2)
    shown = invoke("queue", "edges.csv", "known.csv", "--learner", "nearest", "--file-limit", "nodes=100")
    assert shown.exit_code == 0
    assert "3 labels known, 4 not" in shown.stdout
    none = invoke("queue", "edges.csv", "known.csv", "--learner", "nearest", "--limit", "0")
    assert none.exit_code == 2
    full = invoke("queue", "edges.csv", "labels.csv", "--learner", "nearest")
    assert "Nothing: every node has a label." in full.stdout


@pytest.mark.parametrize("command", ["predict", "queue"])
def test_one_class_is_pointed_out(known, invoke, command):
    (known / "single.csv").write_text("node,label\nann,x\n")
    result = invoke(command, "edges.csv", "single.csv", "--learner", "nearest")
    assert result.exit_code == 0
    assert "Only the class 'x' is among the labels" in result.stderr


def test_whether_asking_is_worth_it_is_not_told_where_everything_is_asked(known, invoke):
    arguments = ("predict", "edges.csv", "known.csv", "--learner", "nearest", "--policy")
    assert "worth asking" not in invoke(*arguments, "always").stdout
    assert "worth asking" in invoke(*arguments, "margin:0.1").stdout


def test_evaluate_shows_the_majority_guess_and_every_class(known, invoke, invoke_json):
    arguments = ("evaluate", "edges.csv", "labels.csv", "--learner", "perceptron", "--folds", "3")
    found = invoke_json(*arguments)
    assert found["held_out"]["majority_error"] == pytest.approx(3 / 7)
    assert [row["label"] for row in found["held_out"]["per_class"]] == ["x", "y"]
    assert found["held_out"]["sought"] == "x"
    assert 0 <= found["held_out"]["auc"] <= 1
    runs = zk.play_shuffles(zk.read_graph("edges.csv"), list("xxyyxyy"), "perceptron", shuffles=3)
    assert found["online"]["error"] == runs.mean("error_multiclass")
    shown = invoke(*arguments).stdout
    for text in ("majority guess", "42.86 %", "macro-F1", "AUC", "average precision", "precision", "recall"):
        assert text in shown


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.csv", "known.csv"), "there is no file 'nowhere.csv'"),
        (("edges.csv",), "holds no labels"),
        (("edges.csv", "unknown.csv"), "labels node 'zoe', which is not in the graph"),
        (("edges.csv", "known.csv", "--learner", "nobody"), "nobody"),
        (("edges.csv", "known.csv", "--learner", "nearest", "--param", "k"), "write it as name=value"),
        (("edges.csv", "known.csv", "--policy", "sometimes"), "sometimes"),
        (("edges.csv", "known.csv", "--label", "colour"), "colour"),
    ],
)
def test_bad_input_is_one_sentence(known, invoke, command, arguments, said):
    result = invoke(command, *arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["predict", "queue"])
@pytest.mark.parametrize(
    ("out", "said"), [("l.xlsx", "unknown suffix"), ("no/l.csv", "no folder"), (".", "suffix")]
)
def test_where_the_table_goes_is_checked_first(known, invoke, monkeypatch, command, out, said):
    def work(*_arguments, **_options):
        raise AssertionError("worked before looking")

    monkeypatch.setattr("zerokelvin.experiments.predictions.unlabelled.start_from_labels", work)
    result = invoke(command, "edges.csv", "known.csv", "--out", out)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_full_graph_leaves_no_file(known, invoke):
    result = invoke("predict", "edges.csv", "labels.csv", "--learner", "nearest", "--out", "l.csv")
    assert result.exit_code == 2
    assert "every node has a label already" in result.stderr
    assert not (known / "l.csv").exists()


def test_a_formula_stays_text(known, invoke):
    (known / "evil.csv").write_text("source,target\n=cmd(),bob\nbob,ann\nann,=cmd()\n")
    (known / "one.csv").write_text("node,label\nann,@x\n")
    invoke("predict", "evil.csv", "one.csv", "--learner", "nearest", "--out", "l.csv")
    invoke("predict", "evil.csv", "one.csv", "--learner", "nearest", "--out", "l.jsonl")
    assert '"\'=cmd()","\'@x"' in (known / "l.csv").read_text()
    assert json.loads((known / "l.jsonl").read_text().splitlines()[0])["node"] == "=cmd()"

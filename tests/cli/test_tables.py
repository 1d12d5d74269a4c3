"""Tables whose columns are not plain, on the command line: named by options, announced on standard error."""

import json

import pytest

PAID = ("--source", "payer", "--target", "payee", "--weight", "amount", "--node", "who", "--label", "kind")


def test_columns_by_name(files, invoke):
    result = invoke("run", "paid.csv", "who.csv", *PAID, "--learner", "perceptron", "--shuffles", 1, "--json")
    assert result.exit_code == 0, result.stderr
    assert (json.loads(result.stdout)["nodes"], json.loads(result.stdout)["classes"]) == (5, 3)
    assert result.stderr == (
        "Read paid.csv: source = payer, target = payee, weight = amount, 1 of 5 rows dropped: self-loops; "
        "not read: date; 5 nodes, 4 edges.\n"
        "Read who.csv: node = who, label = kind, 5 rows; 5 labels, 3 classes.\n"
    )


@pytest.mark.parametrize("command", ["run", "compare"])
def test_columns_by_position_and_no_weights(files, invoke, command):
    columns = ("--source", 1, "--target", 2, "--weight", "none", "--node", 0, "--label", 1)
    only = (
        ("--learner", "perceptron") if command == "run" else ("--learners", "perceptron", "--peers", "none")
    )
    more = () if command == "run" else ("--no-picture",)
    result = invoke(command, "paid.csv", "who.csv", *columns, *only, *more, "--shuffles", 1, "--json")
    assert result.exit_code == 0, result.stderr
    assert (
        "source = payer, target = payee, 1 of 5 rows dropped: self-loops; not read: date, amount"
        in result.stderr
    )
    assert result.stderr.count("Read ") == 2


def test_a_header_can_be_denied_and_limits_raised(files, invoke):
    (files / "words.csv").write_text("account,user\nann,bob\n")
    (files / "some.csv").write_text("account,x\nann,y\n")
    command = ("run", "words.csv", "some.csv", "--learner", "perceptron", "--shuffles", 1, "--json")
    assert invoke(*command).exit_code == 2
    result = invoke(*command, "--no-header", "--limit", "nodes=4", "--limit", "classes=2")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["nodes"] == 4


def test_minus_one_is_announced_once(files, invoke):
    (files / "labels.csv").write_text("node,label\nann,0\nbob,-1\ncem,1\ndan,1\n")
    result = invoke("run", "edges.csv", "labels.csv", "--learner", "perceptron", "--shuffles", 1)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("-1 is a class like the others here") == 1

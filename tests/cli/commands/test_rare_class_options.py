"""Rare classes on the command line: --policy find:CLASS, --order, --cost."""

import pytest

import zerokelvin as zk

PRICES = ("--cost", "miss=20", "--cost", "alarm=1", "--cost", "class=x", "--cost", "ask=0.5")


@pytest.fixture
def known(files):
    (files / "known.csv").write_text("node,label\nann,x\ndan,y\nfay,y\n")
    return files


def session_with(**terms):
    session = zk.start(zk.read_graph("edges.csv"), "nearest", classes=["x", "y"], **terms)
    session.teach({"ann": "x", "dan": "y", "fay": "y"})
    return session


def test_queue_has_the_suspected_first(known, invoke_json):
    ranked = session_with().rank("x")
    for more in (("--policy", "find:x"), ("--policy", "always", "--order", "suspicion:x")):
        printed = invoke_json("queue", "edges.csv", "known.csv", "--learner", "nearest", *more)
        assert [row["node"] for row in printed["questions"]] == ranked
    assert printed["order"] == "suspicion:x"


def test_costs_decide_in_every_command(known, invoke_json):
    session = session_with(costs={"miss": 20, "alarm": 1, "ask": 0.5, "class": "x"})
    printed = invoke_json("predict", "edges.csv", "known.csv", "--learner", "nearest", *PRICES)
    for row in printed["predictions"]:
        shown = session.predict(row["node"])
        assert (row["label"], row["ask"]) == (shown.label, shown.ask)
        assert row["probability"] == pytest.approx(session.predict_proba_one(row["node"])[row["label"]])
    printed = invoke_json("queue", "edges.csv", "known.csv", "--learner", "nearest", *PRICES)
    assert [row["node"] for row in printed["questions"]] == session.open_questions()
    assert printed["policy"] == "costs:miss=20.0,alarm=1.0,ask=0.5,class=x"
    printed = invoke_json("run", "edges.csv", "known.csv", "--learner", "nearest", "--shuffles", "2", *PRICES)
    assert printed["trials"] == 3


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--policy", "find:z"), "'z', which is sought, is no class; give one of ['x', 'y']"),
        (("--cost", "miss=20"), "costs lack 'alarm'"),
        (("--cost", "miss"), "'miss' is no NAME=PRICE"),
        ((*PRICES, "--policy", "value"), "leave --policy value out"),
        (("--order", "suspicious"), "did you mean 'suspicion'"),
        (("--order", "suspicion:z"), "'z', which is sought, is no class"),
    ],
)
def test_what_cannot_be_is_one_sentence(known, invoke, more, says):
    result = invoke("queue", "edges.csv", "known.csv", "--learner", "nearest", *more)
    assert result.exit_code == 2
    assert says in result.stderr

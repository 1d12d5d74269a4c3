import json

import numpy as np

from zerokelvin import learners


def test_learners_lists_every_registered_one(invoke, invoke_json):
    printed = invoke_json("learners")
    assert [info["name"] for info in printed] == learners.names()
    for info in printed:
        assert info["summary"], info["name"]
        assert info["parameters"] == json.loads(json.dumps(learners.make(info["name"]).params())), info[
            "name"
        ]
    shown = invoke("learners").stdout
    assert all(name in shown for name in learners.names())


def test_learners_names_the_paper_and_the_defaults(invoke):
    text = " ".join(invoke("learners").stdout.split())
    assert "Herbster and Pontil 2006" in text
    assert "b=1.0" in text


def test_learners_explains_one(invoke, invoke_json):
    shown = invoke("learners", "perceptron").stdout
    assert "K = G⁺ + b·11ᵀ + c·I" in shown
    assert "Parameters" in shown
    assert invoke_json("learners", "perceptron")["text"] == shown.rstrip("\n")


def test_datasets_lists_what_is_found_and_what_could_be_downloaded(files, invoke, invoke_json, monkeypatch):
    folder = files / "data"
    folder.mkdir()
    np.savez(folder / "mine.npz", edges=np.array([[0, 1], [1, 2]]), labels=np.array([0, 1, -1]), n=3)
    monkeypatch.setenv("ZEROKELVIN_DATA", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(files / "cache"))
    found = {info["name"]: info for info in invoke_json("datasets")}
    assert found["mine"] == {
        "name": "mine", "where": str(folder / "mine.npz"), "nodes": 3, "edges": 2, "classes": 2,
    }  # fmt: skip
    assert found["digits"]["nodes"] == 1797
    assert found["cora"]["nodes"] is None
    shown = " ".join(invoke("datasets").stdout.split())
    assert "mine 3 2 2" in shown
    assert "cora – – – to be downloaded" in shown


def test_every_learner_names_its_paper(invoke_json):
    assert [info["name"] for info in invoke_json("learners") if not info["reference"]] == []

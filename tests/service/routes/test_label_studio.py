"""The Label Studio backend: what Label Studio sends, and what it is answered."""

import time

import pytest

from serving import app_client, label, make_project

CONFIG = """<View><Text name="text" value="$node"/>
<Choices name="kind" toName="text"><Choice value="fraud"/><Choice value="ok"/></Choices></View>"""


@pytest.fixture
def studio(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client, learner="perceptron")
        yield client


def hook(client, action, number=7, node="b", choice="fraud", **more):
    annotation = {"id": number, "result": [{"value": {"choices": [choice]}, "type": "choices"}], **more}
    body = {
        "action": action,
        "annotation": annotation,
        "task": {"id": 1, "data": {"node": node}},
        "project": {"id": 3},
    }
    return client.post("/label-studio/p/webhook", json=body)


def predict(client, *names):
    tasks = [{"id": i, "data": {"node": name}} for i, name in enumerate(names)]
    return client.post(
        "/label-studio/p/predict", json={"tasks": tasks, "label_config": CONFIG, "project": "1.2"}
    )


def state(client):
    return client.get("/v1/projects/p/state").json()


def test_it_is_there(studio):
    assert studio.get("/label-studio/p/health").json()["status"] == "UP"
    said = studio.post("/label-studio/p/setup", json={"project": "1", "schema": CONFIG, "hostname": "x"})
    assert said.json() == {"model_version": "p-0"}
    assert studio.get("/label-studio/q/health").status_code == 404


def test_predictions_are_choices(studio):
    label(studio, "/v1/projects/p", "a", "fraud")
    answer = predict(studio, "b", "nobody").json()
    first, second = answer["results"]
    assert first["result"][0]["from_name"] == "kind"
    assert first["result"][0]["to_name"] == "text"
    assert first["result"][0]["value"] == {"choices": ["fraud"]}
    assert 0.5 < first["score"] <= 1
    assert second["result"] == []
    times = []
    for _ in range(5):
        began = time.monotonic()
        predict(studio, "b")
        times.append(time.monotonic() - began)
    assert min(times) < 0.1


def test_annotations_are_learnt_corrected_and_taken_back(studio):
    assert hook(studio, "ANNOTATION_CREATED").json() == {"events": 1}
    assert hook(studio, "ANNOTATION_CREATED").json() == {"events": 1}  # sent again
    assert state(studio)["answers"] == 1
    assert hook(studio, "ANNOTATION_UPDATED", choice="ok").json() == {"events": 2}
    table = {row["node"]: row for row in studio.get("/v1/projects/p/labels").json()["labels"]}
    assert (table["b"]["label"], table["b"]["source"]) == ("ok", "asked")
    deleted = {"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 7}, {"id": 8}]}
    gone = studio.post("/label-studio/p/webhook", json=deleted)
    assert gone.json() == {"events": 3}
    assert state(studio)["answers"] == 0


def test_an_annotation_is_scored_against_its_prediction(studio):
    shown = predict(studio, "b").json()["results"][0]
    assert shown["result"][0]["value"]["choices"] == ["ok"]
    label(studio, "/v1/projects/p", "a", "fraud")
    assert predict(studio, "b").json()["results"][0]["result"][0]["value"]["choices"] == ["fraud"]
    hook(studio, "ANNOTATION_CREATED", prediction=shown)
    assert state(studio)["mistakes"] == 2


def test_what_is_none_of_ours_changes_nothing(studio):
    for action in ("TASKS_CREATED", "PROJECT_UPDATED"):
        assert studio.post("/label-studio/p/webhook", json={"action": action}).status_code == 200
    assert hook(studio, "ANNOTATION_CREATED", was_cancelled=True).json() == {"events": 0}
    assert hook(studio, "ANNOTATION_CREATED", choice="unheard").status_code == 422
    assert hook(studio, "ANNOTATION_CREATED", node=None).status_code == 422
    assert state(studio)["events"] == 0

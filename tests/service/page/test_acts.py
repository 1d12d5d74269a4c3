"""Acts on the page: answers, undo, change, skip; double sends; several people; killed in between."""

import csv
import io
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from serving import Served
from serving import app_client as served_app
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.reading import prepare
from zerokelvin.labelling.source import ItemOptions, ItemSource
from zerokelvin.service.page.page_project import create_page_project
from zerokelvin.service.routes.page import page_turn
from zerokelvin.service.store import open_store
from zerokelvin.stopping import stop_if_wanted

CLASSES = ("a", "b", "c")
app_client = partial(served_app, patience=60.0)  # what is compiled for the first time takes long
PATH = "/v1/projects/p"


def make(folder, count=30, classes=CLASSES, titles=None, labels=None, texts=None, audit_share=0.0):
    """A project of points in three heaps; item i belongs to class i mod 3."""
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    points = centres[np.arange(count) % 3] + rng.normal(size=(count, 2))
    names = [f"n{i:02d}" for i in range(count)]
    items = NewItems("text" if texts else "row", names, titles or names, texts, labels=labels)
    prepared = prepare(ItemSource(items, points), ItemOptions())
    store = open_store(folder)
    create_page_project(
        store, folder, "p", prepared, classes, open_classes=not classes, audit_share=audit_share
    )
    store.close()
    return prepared.graph


def truth(node):
    return CLASSES[int(node[1:]) % 3]


def act(kind, **more):
    return {"id": uuid.uuid4().hex, "kind": kind, **more}


def turn(client, *acts, reviewer="ann", **more):
    answer = client.post(f"{PATH}/turn", json={"reviewer": reviewer, "acts": list(acts), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def answer(question, label=None):
    node = question["node"]
    return act("answer", node=node, label=label or truth(node), decision=question["decision"])


def predicted(client):
    rows = client.get(f"{PATH}/labels").json()["labels"]
    return {row["node"]: (row["label"], round(row["probability"], 9)) for row in rows}


def test_a_whole_data_set_is_labelled_and_exported(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        shown = turn(client)
        while shown["question"] is not None:
            shown = turn(client, answer(shown["question"]))
            assert not shown["refused"]
        assert shown["done"] == "all-answered"
        rows = list(csv.DictReader(io.StringIO(client.get(f"{PATH}/export?format=csv").text)))
        assert [row["label"] for row in rows] == [truth(row["node"]) for row in rows]
        assert {row["by"] for row in rows} == {"ann"}


def test_a_double_send_counts_once(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        mine = answer(turn(client)["question"])
        first, second = turn(client, mine), turn(client, mine)
        assert first["saved"] == second["saved"] == [mine["id"]]
        assert first["events"] == second["events"]
        assert len(client.get(f"{PATH}/history").json()["answers"]) == 1


KINDS = st.lists(
    st.tuples(
        st.sampled_from(["answer", "undo", "redo", "change", "skip"]), st.integers(0, 9), st.integers(0, 2)
    ),
    min_size=1,
    max_size=14,
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("acts")
    graph = make(folder)
    with app_client(folder) as client:
        yield client, graph


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=KINDS)
def test_the_model_is_one_that_had_the_right_answers_from_the_start(project, steps):
    """Whatever was done and undone, the model is that of a session told only the answers that stand."""
    client, graph = project
    who = uuid.uuid4().hex  # everybody has a stack of their own
    stands, done, undone = {}, [], []
    for kind, place, label in steps:
        node, given_label = f"n{place:02d}", CLASSES[label]
        if kind in ("answer", "change"):
            before = stands.get(node)
            turn(client, act(kind, node=node, label=given_label, duplicates=False), reviewer=who)
            stands[node] = given_label
            done.append((node, before, given_label))
            undone.clear()
        elif kind == "undo" and done:
            turn(client, act("undo"), reviewer=who)
            node, before, after = done.pop()
            undone.append((node, before, after))
            stands.pop(node) if before is None else stands.__setitem__(node, before)
        elif kind == "redo" and undone:
            turn(client, act("redo"), reviewer=who)
            node, before, after = undone.pop()
            done.append((node, before, after))
            stands[node] = after
    rows = client.get(f"{PATH}/labels").json()["labels"]
    assert {row["node"]: row["label"] for row in rows if row["source"] != "predicted"} == stands
    session = zk.start(graph, "auto", classes=list(CLASSES), policy="value")
    session.teach([(node, stands[node]) for node in _order(client)])
    shares = session.predict_proba_all()
    for i, row in enumerate(rows):
        assert row["probability"] == pytest.approx(shares[i][CLASSES.index(row["label"])], abs=1e-9)
    while turn(client, act("undo"), reviewer=who)["saved"]:
        pass


def _order(client):
    """The answered nodes in the order in which the model was told of them."""
    project = client.hall.awake[0]
    return [
        project.session.graph.name(event.node) for event in project.session.events if event.label is not None
    ]


def test_undo_brings_the_item_back_and_redo_the_answer(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        question = turn(client)["question"]
        mine = answer(question, "b")
        turn(client, mine)
        back = turn(client, act("undo"))
        assert back["question"]["node"] == question["node"]
        assert back["standing"]["answered"] == 0
        assert turn(client, act("redo"))["standing"]["answered"] == 1
        changed = turn(client, act("change", of=mine["id"], label="c"))
        assert not changed["refused"]
        rows = client.get(f"{PATH}/review?show=answered").json()["rows"]
        assert [row["label"] for row in rows] == ["c"]
        assert turn(client, act("undo"))["standing"]["answered"] == 1  # the change alone
        assert turn(client, act("undo"))["standing"]["answered"] == 0
        refused = turn(client, act("undo"))["refused"]
        assert refused[0]["detail"] == "nothing is left to undo."


def test_skip_unsure_and_someone_else_return_by_their_rules(tmp_path):
    make(tmp_path, count=12)
    with app_client(tmp_path) as client:
        first = turn(client)["question"]["node"]
        second = turn(client, act("skip", node=first))["question"]["node"]
        third = turn(client, act("someone-else", node=second))["question"]["node"]
        turn(client, act("unsure", node=third))
        assert turn(client, reviewer="bob")["question"]["node"] == second  # handed over: first to others
        seen, shown = [], turn(client)
        while shown["question"] is not None and shown["question"]["node"] not in (first, third):
            seen.append(shown["question"]["node"])
            shown = turn(client, answer(shown["question"]))
        assert shown["question"]["node"] == first  # after all the others
        assert second not in seen  # never again to who handed it over


def foreseen(client, shown, reviewer):
    """The nodes that would follow each answer to a question, by answer."""
    asked = {"reviewer": reviewer, "node": shown["question"]["node"]}
    found = client.get(f"{PATH}/ahead", params=asked)
    assert found.status_code == 200, found.text
    after = found.json()["after"]
    return {one["answer"]: one["question"] for one in after}


def test_what_is_foreseen_keeps_the_rules_of_what_is_asked(tmp_path):
    """What somebody hands over comes first to others, and second looks come, where questions are foreseen."""
    make(tmp_path, count=12)
    with app_client(tmp_path) as client:
        bob = turn(client, reviewer="bob")
        handed = turn(client)["question"]["node"]
        anns = turn(client, act("someone-else", node=handed))
        assert {one["node"] for one in foreseen(client, bob, "bob").values()} == {handed}
        assert handed not in {one["node"] for one in foreseen(client, anns, "ann").values()}
        client.post(f"{PATH}/page", json={"overlap": 1.0})
        bob = turn(client, answer(bob["question"]), reviewer="bob", have=[handed])
        bob = turn(client, answer(bob["question"]), reviewer="bob")
        looks = []
        for _ in range(3):
            node, after = anns["question"]["node"], foreseen(client, anns, "ann")
            ahead = after[truth(node)]
            anns = turn(client, answer(anns["question"]))  # without what was foreseen
            assert (ahead["node"], ahead["hidden"]) == (anns["question"]["node"], anns["question"]["hidden"])
            looks.append(ahead["hidden"])
        assert any(looks)


def test_looking_ahead_gives_way_and_goes_on(tmp_path, monkeypatch):
    """Others who read wait for a part of a long look, which then goes on; an answer ends it."""
    make(tmp_path)
    real, parts, looks = page_turn._following, [], []

    def slow(session, **more):
        looks.append(len(parts))
        for _ in range(300 - min(len(parts), 299)):
            stop_if_wanted()
            time.sleep(0.02)
            parts.append(more["label"])
        return real(session, **more)

    monkeypatch.setattr(page_turn, "_following", slow)
    with app_client(tmp_path) as client, ThreadPoolExecutor(1) as pool:
        shown = turn(client)
        asked = {"reviewer": "ann", "node": shown["question"]["node"]}
        looking = pool.submit(client.get, f"{PATH}/ahead", params=asked)
        waited = []
        for _ in range(3):
            before = len(parts)
            while len(parts) < before + 5:
                time.sleep(0.01)
            begun = time.monotonic()
            assert client.get(f"{PATH}/labels").status_code == 200
            waited.append(time.monotonic() - begun)
        shown = turn(client, answer(shown["question"]))
        found = looking.result()
        assert found.status_code == 200
        assert found.json()["after"] == []  # of another moment
        assert max(waited) < 2.0
        assert len(looks) > 3
        assert len(parts) < 290
        monkeypatch.setattr(page_turn, "_following", real)
        assert len(foreseen(client, shown, "ann")) == len(CLASSES) + 1


def test_two_people_get_different_questions_and_their_agreement(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        client.post(f"{PATH}/page", json={"overlap": 1.0})
        mine, theirs = turn(client)["question"], turn(client, reviewer="bob")["question"]
        assert mine["node"] != theirs["node"]
        turn(client, answer(mine))
        shown = turn(client, answer(theirs), reviewer="bob")
        for _ in range(12):
            if shown["question"]["node"] == mine["node"]:
                break
            shown = turn(client, answer(shown["question"]), reviewer="bob")
        assert shown["question"]["node"] == mine["node"]
        assert shown["question"]["hidden"]
        turn(client, answer(shown["question"]), reviewer="bob")
        people = client.get(f"{PATH}/reviewers").json()
        assert people["overlap"] >= 1
        assert {one["reviewer"] for one in people["reviewers"]} == {"ann", "bob"}


def test_the_majority_counts_and_undo_takes_back_ones_own(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        for who, label in (("ann", "a"), ("bob", "b"), ("cem", "b")):
            turn(client, act("answer", node="n05", label=label), reviewer=who)
        row = client.get(f"{PATH}/review?show=all&search=n05").json()["rows"][0]
        assert row["label"] == "b"
        turn(client, act("undo"), reviewer="cem")
        row = client.get(f"{PATH}/review?show=all&search=n05").json()["rows"][0]
        assert row["label"] == "a"  # one each: the first


def test_many_items_in_one_act(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        body = {"reviewer": "ann", "id": "m", "indices": list(range(0, 30, 3)), "label": "a"}
        assert client.post(f"{PATH}/label-many", json=body).json()["standing"]["answered"] == 10
        found = client.post(f"{PATH}/select", json={"indices": list(range(0, 30, 3))}).json()
        assert found["count"] == 10
        assert found["labels"] == {"a": 10}
        assert (found["label"], found["disagree"], found["otherwise"], found["check_first"]) == (
            "a",
            0,
            0,
            [],
        )
        assert turn(client, act("undo", of="m"))["standing"]["answered"] == 0


def test_a_selection_counts_where_the_model_says_something_else(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        for node in ("n00", "n01", "n02", "n03"):
            turn(client, act("answer", node=node, label=truth(node)))
        guesses = {node: label for node, (label, _) in predicted(client).items()}
        names = [f"n{i:02d}" for i in range(30)]
        for wanted in (None, *CLASSES):
            body = {"indices": list(range(30))} | ({} if wanted is None else {"label": wanted})
            found = client.post(f"{PATH}/select", json=body).json()
            label = found["label"]
            others = {name for name in names if guesses[name] != label}
            assert found["disagree"] == len(others)
            assert set(found["check_first"][: len(others)]) <= others
            assert len(found["check_first"]) == 5
            told = [truth(name) for name in names[:4]]
            assert found["otherwise"] == sum(one != label for one in told)
            if wanted is None:
                assert len(others) == min(sum(guesses[n] != c for n in names) for c in CLASSES)
            else:
                assert label == wanted


def test_classes_typed_in_the_page(tmp_path):
    make(tmp_path, classes=())
    with app_client(tmp_path) as client:
        shown = turn(client)
        assert shown["done"] == "no-classes"
        assert shown["question"]["label"] is None
        page = client.post(f"{PATH}/page", json={"add_classes": ["a", " b "]}).json()
        assert [(one["label"], one["key"]) for one in page["classes"]] == [("a", "1"), ("b", "2")]
        shown = turn(client, act("answer", node="n00", label="a"), act("answer", node="n01", label="b"))
        assert len(shown["saved"]) == 2
        client.post(f"{PATH}/page", json={"add_classes": ["c"]})
        assert not turn(client, act("answer", node="n02", label="c"))["refused"]
        assert client.post(f"{PATH}/page", json={"add_classes": [""]}).status_code == 422


def test_guesses_are_hidden_on_random_checks_which_prove_something(tmp_path):
    make(tmp_path, count=120, audit_share=0.9)
    with app_client(tmp_path) as client:
        shown, hidden = turn(client), 0
        for _ in range(40):
            hidden += shown["question"]["audit"] and shown["question"]["hidden"]
            shown = turn(client, answer(shown["question"]))
        assert hidden > 20
        turn(client, act("undo"))  # undoing the last answer does not throw the checks away
        assert client.get(f"{PATH}/certificate").json()["checks"] > 10


def test_known_labels_are_taught_and_an_export_is_taken_back_in(tmp_path):
    labels = [truth(f"n{i:02d}") if i < 6 else None for i in range(30)]
    make(tmp_path / "one", labels=labels)
    with app_client(tmp_path / "one") as client:
        assert turn(client)["standing"]["answered"] == 6
        turn(client, answer(turn(client)["question"]))
        kept = {kind: client.get(f"{PATH}/export?format={kind}") for kind in ("csv", "jsonl")}
        before = predicted(client)
    for kind, file in kept.items():
        make(tmp_path / kind)
        with app_client(tmp_path / kind) as client:
            done = client.post(f"{PATH}/import", json={"content": file.text, "format": kind}).json()
            assert (done["taken"], done["unknown"]) == (7, 0)
            assert {node: label for node, (label, _) in predicted(client).items()} == {
                node: label for node, (label, _) in before.items()
            }


def test_parquet_and_h5ad_carry_the_certificate(tmp_path):
    import json

    import pyarrow.parquet as pq

    make(tmp_path)
    with app_client(tmp_path) as client:
        turn(client, act("answer", node="n03", label="a"))
        table = pq.read_table(io.BytesIO(client.get(f"{PATH}/export?format=parquet").content))
        assert json.loads(table.schema.metadata[b"zerokelvin"])["unasked"] == 29
        row = table.slice(3, 1).to_pylist()[0]
        assert (row["node"], row["label"], row["source"], row["by"]) == ("n03", "a", "asked", "ann")
        anndata = pytest.importorskip("anndata")
        path = tmp_path / "labels.h5ad"
        path.write_bytes(client.get(f"{PATH}/export?format=h5ad").content)
        cells = anndata.read_h5ad(path)
        assert cells.obs.loc["n03", "label"] == "a"
        assert "random checks" in cells.uns["zerokelvin"]["sentence"]


def test_formulas_in_names_do_not_leave_as_formulas(tmp_path):
    classes = ("=1+1", "@x")
    make(tmp_path, classes=classes)
    with app_client(tmp_path) as client:
        turn(client, act("answer", node="n00", label="=1+1"))
        text = client.get(f"{PATH}/export?format=csv").text
        assert ",=1+1" not in text
        assert "'=1+1" in text
        done = client.post(f"{PATH}/import", json={"content": text}).json()
        assert (done["taken"], done["known"]) == (0, 1)


def test_a_hundred_classes_and_html_are_only_data(tmp_path):
    html = "<img src=x onerror=alert(1)>"
    make(tmp_path, classes=tuple(f"c{i}" for i in range(100)), titles=[html] * 30, texts=[html] * 30)
    with app_client(tmp_path) as client:
        page = client.get(f"{PATH}/page").json()
        assert [one["key"] for one in page["classes"]][:10] == [*"123456789", None]
        shown = turn(client, act("answer", node="n00", label="c77", duplicates=False))
        assert shown["question"]["item"]["text"] == html
        shell = client.get("/label/p")
        assert "onerror" not in shell.text
        assert "default-src 'none'" in shell.headers["content-security-policy"]
        assert "<script>" not in shell.text
        assert "unsafe" not in shell.headers["content-security-policy"]


@pytest.mark.parametrize("first", ["p", ""])
def test_the_address_that_is_printed_is_the_page(tmp_path, first):
    """Of the one project, as `zerokelvin label` starts it, or the list of projects."""
    make(tmp_path)
    with app_client(tmp_path, first_project=first) as client:
        shell = client.get("/")
        assert shell.status_code == 200
        assert f'data-project="{first}"' in shell.text
        assert shell.headers["content-security-policy"].startswith("default-src 'none'")


def test_near_duplicates_are_answered_once(tmp_path):
    texts = [f"text {i}" for i in range(27)] + ["The same!", "the same", "THE  SAME."]
    names = [f"n{i:02d}" for i in range(30)]
    items = NewItems("text", names, texts, texts)
    points = np.random.default_rng(0).normal(size=(30, 2))
    prepared = prepare(ItemSource(items, points, doubles=texts), ItemOptions())
    store = open_store(tmp_path)
    create_page_project(store, tmp_path, "p", prepared, CLASSES, open_classes=False)
    store.close()
    with app_client(tmp_path) as client:
        assert turn(client, act("answer", node="n28", label="b"))["standing"]["answered"] == 3
        assert turn(client, act("undo"))["standing"]["answered"] == 0


def test_one_item_and_its_end(tmp_path):
    items = NewItems("row", ["only"], ["only"])
    prepared = prepare(ItemSource(items, np.zeros((1, 1))), ItemOptions())
    store = open_store(tmp_path)
    create_page_project(store, tmp_path, "p", prepared, CLASSES, open_classes=False)
    store.close()
    with app_client(tmp_path) as client:
        assert turn(client)["question"]["node"] == "only"
        assert turn(client, act("answer", node="only", label="a"))["done"] == "all-answered"


def test_nothing_is_lost_when_the_server_is_killed(tmp_path):
    make(tmp_path)
    mine = None
    for round_ in range(3):
        with Served(tmp_path, "--quiet") as served, httpx.Client(base_url=served.url, timeout=60) as client:
            if mine is not None:  # the page did not hear of it and sends it again
                assert turn(client, mine)["saved"] == [mine["id"]]
            seen = client.get(f"{PATH}/history")
            assert seen.status_code == 200, seen.text
            history = seen.json()["answers"]
            assert len(history) == 2 * round_
            turn(client, answer(turn(client)["question"]))
            mine = answer(turn(client)["question"])
            turn(client, mine)
            served.process.kill()
            served.process.wait()


def test_an_unknown_node_and_a_foreign_decision_are_refused_by_themselves(tmp_path):
    make(tmp_path)
    with app_client(tmp_path) as client:
        question = turn(client)["question"]
        other = "n00" if question["node"] != "n00" else "n01"
        bad = [
            act("answer", node="nobody", label="a"),
            act("answer", node=other, label="a", decision=question["decision"]),
            act("answer", node=question["node"], label="strange"),
            act("answer", node=question["node"], label="a"),
        ]
        shown = turn(client, *bad)
        assert shown["saved"] == [bad[-1]["id"]]
        assert len(shown["refused"]) == 3


@pytest.mark.parametrize("audit_share", [0.0, 0.5])
def test_the_question_after_each_likely_answer_is_the_one_that_comes(tmp_path, audit_share):
    make(tmp_path, audit_share=audit_share)
    foreseen = checks = 0
    with app_client(tmp_path) as client:
        shown = turn(client, act("answer", node="n00", label="a"), act("answer", node="n01", label="b"))
        for _ in range(6):
            question = shown["question"]
            asked = {"reviewer": "ann", "node": question["node"]}
            after = client.get(f"{PATH}/ahead", params=asked).json()["after"]
            promised = {one["answer"]: one["question"] for one in after}
            label = truth(question["node"])
            shown = turn(client, answer(question))
            if promised.get(label) is not None:
                foreseen += 1
                checks += promised[label]["audit"]
                for name in ("node", "audit", "hidden"):
                    assert promised[label][name] == shown["question"][name]
    assert foreseen >= 3
    assert bool(checks) == bool(audit_share)


def test_whoever_finds_nothing_but_a_check_on_another_screen_is_told_so(tmp_path):
    make(tmp_path, count=9, audit_share=0.9)
    with app_client(tmp_path) as client:
        words = set()
        for _ in range(12):
            ann, bob = turn(client), turn(client, reviewer="bob")
            for shown in (ann, bob):
                assert (shown["question"] is None) == (shown["done"] in {"all-answered", "leased-to-others"})
                words.add(shown["done"])
            if ann["question"] is not None:
                turn(client, answer(ann["question"]))
        assert words == {None, "leased-to-others"}  # bob keeps what he has


def test_the_command_says_where_it_listens_and_resumes(tmp_path):
    import subprocess
    import sys

    source = tmp_path / "t.csv"
    source.write_text("t\n" + "\n".join(f"word{i % 3} item {i}" for i in range(20)) + "\n")
    command = [sys.executable, "-m", "zerokelvin", "label", str(source), "--text", "t", "--classes", "x,y"]
    for count in (0, 1):
        process = subprocess.Popen(
            [*command, "--no-browser", "--project", str(tmp_path / "p")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            line = process.stdout.readline()
            assert line.startswith("listening on http://127.0.0.1:")
            base = f"{line.split()[-1]}/v1/projects/t"
            shown = httpx.post(f"{base}/turn", json={"reviewer": "ann"}, timeout=60).json()
            assert shown["standing"]["answered"] == count
            body = {"reviewer": "ann", "acts": [act("answer", node=shown["question"]["node"], label="x")]}
            httpx.post(f"{base}/turn", json=body, timeout=60)
            began = time.monotonic()
            process.terminate()
            process.wait(20)
            assert process.returncode == 0
            assert time.monotonic() - began < 15
        finally:
            process.kill()
            process.communicate()


def test_sixty_answers_label_the_digits(tmp_path):
    """What `zerokelvin bench labelling` measures: 60 answers, checks among them, for 99 in 100 labels."""
    from zerokelvin.labelling.sources.demo_digits import CLASSES as DIGITS
    from zerokelvin.labelling.sources.demo_digits import digit_truth, read_digit_items

    prepared, right = prepare(read_digit_items(), ItemOptions()), digit_truth()
    store = open_store(tmp_path)
    create_page_project(store, tmp_path, "p", prepared, DIGITS, open_classes=False, audit_share=0.1)
    store.close()
    with app_client(tmp_path) as client:
        shown = turn(client)
        for _ in range(60):
            question = shown["question"]
            shown = turn(client, answer(question, right[question["item"]["index"]]))
        rows = client.get(f"{PATH}/labels").json()["labels"]
        assert sum(row["label"] == own for row, own in zip(rows, right, strict=True)) >= 0.99 * len(right)

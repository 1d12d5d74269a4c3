"""A person simulated on the labelling page: answers against labels that are right, over HTTP, in one run.

    zerokelvin bench labelling [--data digits letters texts] [--answers 60] [--count 4000]

Every data set becomes a project of `zerokelvin label`, served by a process of its own, and a simulated person
answers by `POST turn`, as the page does, random checks included. Beside it, on the same graph with the same
learner and as many answers:

    random       items drawn at random
    least-sure   the item of least confidence first, in a loop of its own; `--activeml` adds the uncertainty
                 sampling of scikit-activeml with a logistic regression on the same vectors
    50 in a row  least-sure until 50 answers in a row were predicted right, then stop

"turn" is the time of one POST: the answer on the disk, learnt, and the next question there. Data:

    digits   the 1,797 digits of scikit-learn (--demo)
    letters  `--count` points of 26 classes in 16 dimensions, three heaps each
    texts    `--count` short texts of 8 topics, words drawn from overlapping vocabularies
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

import zerokelvin as zk
from zerokelvin.labelling.item_vectors import text_vectors
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.reading import prepare
from zerokelvin.labelling.source import ItemOptions, ItemSource
from zerokelvin.labelling.sources.demo_digits import CLASSES, digit_truth, read_digit_items
from zerokelvin.service.page.page_project import create_page_project
from zerokelvin.service.store import open_store

ROW = 50


def digits(_: int):
    source = read_digit_items()
    return source, digit_truth(), list(CLASSES)


def letters(count: int):
    rng = np.random.default_rng(0)
    heaps = rng.normal(size=(78, 16)) * 1.6
    heap = rng.integers(0, 78, count)
    points = heaps[heap] + rng.normal(size=(count, 16))
    classes = [chr(97 + i) for i in range(26)]
    names = [f"l{i:06d}" for i in range(count)]
    return ItemSource(NewItems("row", names, names), points), [classes[h % 26] for h in heap], classes


def texts(count: int):
    rng = np.random.default_rng(0)
    classes = [f"topic-{i}" for i in range(8)]
    topic = rng.integers(0, 8, count)
    common = [f"common{i}" for i in range(200)]
    own = [[f"word{t}x{i}" for i in range(60)] for t in range(8)]
    said = []
    for t in topic:
        words = [*rng.choice(common, 12), *rng.choice(own[t], 6), *rng.choice(own[(t + 1) % 8], 2)]
        said.append(" ".join(rng.permutation(words)))
    names = [f"t{i:06d}" for i in range(count)]
    items = NewItems("text", names, names, said)
    return ItemSource(items, text_vectors(said), cosine=True), [classes[t] for t in topic], classes


DATA = {"digits": digits, "letters": letters, "texts": texts}


def by_page(folder: Path, names: list[str], truth: list[str], answers: int):
    """Answer the page's questions; share right at the end, seconds of every turn, checks among them."""
    right = dict(zip(names, truth, strict=True))
    command = [sys.executable, "-m", "zerokelvin", "serve", "--data", str(folder), "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().split()[-1]
        with httpx.Client(base_url=f"{url}/v1/projects/p", timeout=600) as client:

            def post(path, body):  # a project that still compiles says 503 and when to come again
                while True:
                    answer = client.post(path, json=body)
                    if answer.status_code != 503:
                        answer.raise_for_status()
                        return answer.json()
                    time.sleep(0.5)

            shown, seconds, checks = post("/turn", {"reviewer": "bench"}), [], 0
            for i in range(answers):
                asked = shown["question"]
                if asked is None:
                    break
                checks += asked["audit"]
                act = {"id": str(i), "kind": "answer", "node": asked["node"], "label": right[asked["node"]]}
                act["decision"] = asked["decision"]
                began = time.perf_counter()
                shown = post("/turn", {"reviewer": "bench", "acts": [act]})
                seconds.append(time.perf_counter() - began)
            rows = client.get("/labels").raise_for_status().json()["labels"]
            share = np.mean([row["label"] == right[row["node"]] for row in rows])
            return float(share), seconds, checks, shown["standing"]["sentence"]
    finally:
        process.terminate()
        process.wait(30)


def by_rule(graph, names, truth, classes, answers, rule, stop=None):
    """Answer by a rule of one's own on the same learner; share right and answers given."""
    session = zk.start(graph, "auto", classes=classes, policy="always")
    right, order, streak, given = dict(zip(names, truth, strict=True)), rule(session), 0, 0
    for node in order:
        if given >= answers or (stop is not None and streak >= stop):
            break
        if stop is not None:
            streak = streak + 1 if session.predict(node).label == right[node] else 0
        session.learn(node, right[node])
        given += 1
    labels = session.predict_all().tolist()
    for event in session.events:
        labels[event.node] = event.label
    return float(np.mean([a == b for a, b in zip(labels, truth, strict=True)])), given


def random_order(names):
    return lambda _: [names[i] for i in np.random.default_rng(1).permutation(len(names))]


def least_sure(session):
    while True:
        found = session.open_questions(1)
        if not found:
            return
        yield found[0]


def by_activeml(vectors, truth, classes, answers):
    """Uncertainty sampling of scikit-activeml with a logistic regression on the vectors."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling
    from sklearn.linear_model import LogisticRegression

    code = np.array([classes.index(label) for label in truth], dtype=float)
    known = np.full(len(code), np.nan)
    model = SklearnClassifier(
        LogisticRegression(max_iter=300), classes=np.arange(len(classes)), random_state=0
    )
    query = UncertaintySampling(method="least_confident", random_state=0)
    for _ in range(answers):
        place = query.query(X=vectors, y=known, clf=model)[0]
        known[place] = code[place]
    guess = model.fit(vectors, known).predict(vectors)
    return float(np.mean(np.where(np.isnan(known), guess, known) == code))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--audit-share", type=float, default=0.1)
    parser.add_argument("--activeml", action="store_true")
    given = parser.parse_args()
    for name in given.data:
        source, truth, classes = DATA[name](given.count)
        prepared = prepare(source, ItemOptions())
        names = prepared.items.names
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(Path(folder))
            create_page_project(
                store, Path(folder), "p", prepared, classes, open_classes=False, audit_share=given.audit_share
            )
            store.close()
            share, seconds, checks, sentence = by_page(Path(folder), names, truth, given.answers)
        done = sorted(seconds)
        print(f"{name}: {len(names):,} items, {len(classes)} classes, {len(done)} answers ({checks} checks)")
        print(f"  the page      {share:.4f} right; {sentence}")
        half, most = done[len(done) // 2], done[min(int(0.99 * len(done)), len(done) - 1)]
        print(f"  turn          median {half * 1e3:.0f} ms, p99 {most * 1e3:.0f} ms")
        graph = prepared.graph
        drawn, _ = by_rule(graph, names, truth, classes, given.answers, random_order(names))
        print(f"  random        {drawn:.4f} right, {(1 - drawn) / max(1 - share, 1e-9):.1f} × the errors")
        sure, _ = by_rule(graph, names, truth, classes, given.answers, least_sure)
        print(f"  least-sure    {sure:.4f} right, {(1 - sure) / max(1 - share, 1e-9):.1f} × the errors")
        last, used = by_rule(graph, names, truth, classes, len(names), least_sure, stop=ROW)
        print(f"  {ROW} in a row   {last:.4f} right after {used:,} answers")
        if given.activeml:
            found = by_activeml(source.vectors, truth, classes, given.answers)
            print(f"  scikit-activeml, uncertainty sampling  {found:.4f} right")


if __name__ == "__main__":
    main()

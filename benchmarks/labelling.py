"""A person simulated on the labelling page: answers against labels that are right, over HTTP, in one run.

    zerokelvin bench labelling [--data digits heaps texts pendigits letters_points.npz] [--answers 60]

Every data set becomes a project of `zerokelvin label`, served by a process of its own, and a simulated person
answers by `POST turn`, as the page does, random checks included. Beside it, on the same graph with the same
learner and as many answers:

    random           items drawn at random
    least-sure       the item of least confidence first, with the same learner
    50 in a row      least-sure until 50 answers in a row were predicted right, then stop; after `--most`
                     answers at the latest
    scikit-activeml  its uncertainty sampling, with a logistic regression on the same vectors; where it is
                     installed (pip install scikit-activeml)

"turn" is the time of one POST: the answer on the disk, learnt, and the next question there; CPU is that of
the service's process, by turn. Data, with as many answers as `--answers` says for all, else

    digits   60    the 1,797 digits of scikit-learn (--demo)
    heaps    300   `--count` points of 26 classes in 16 dimensions, three heaps each, drawn here
    texts    150   docstrings of eight installed packages, to be sorted by package, whose names are taken out
    others   300   any data set of points that `zk.load_dataset` finds, by name or path. The letters of the
                   UCI archive come with Debian's r-cran-mlbench (LetterRecognition.rda): save the 16 columns
                   as X, the classes as labels and label_names in letters_points.npz
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
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
PACKAGES = ("igraph", "matplotlib", "networkx", "numpy", "pandas", "river", "scipy", "sklearn")
EACH = 1000
"""Docstrings of one package, the first by the names of files."""

LONG_ENOUGH = 80
"""Characters of a docstring that says something."""

ANSWERS = {"digits": 60, "texts": 150}
MORE_ANSWERS = 300
"""Of data sets that are not named in `ANSWERS`."""


def digits(_: int):
    source = read_digit_items()
    return source, digit_truth(), list(CLASSES)


def heaps(count: int):
    rng = np.random.default_rng(0)
    middles = rng.normal(size=(78, 16)) * 1.6
    heap = rng.integers(0, 78, count)
    classes = [chr(97 + i) for i in range(26)]
    return row_items(middles[heap] + rng.normal(size=(count, 16))), [classes[h % 26] for h in heap], classes


def points(name: str):
    found = zk.load_dataset(name)
    if found.points is None or np.ma.is_masked(found.labels):
        raise SystemExit(f"{name}: points are needed, every one with a label")
    classes = [str(one) for one in found.label_names]
    return row_items(found.points), [classes[code] for code in found.labels], classes


def row_items(vectors) -> ItemSource:
    names = [f"l{i:06d}" for i in range(len(vectors))]
    return ItemSource(NewItems("row", names, names), vectors)


def texts(count: int):
    said, kinds = [], []
    for package in PACKAGES:
        found = docstrings(package)[: min(EACH, max(count // len(PACKAGES), 1))]
        said += found
        kinds += [package] * len(found)
    order = np.random.default_rng(0).permutation(len(said)).tolist()
    said, kinds = [said[i] for i in order], [kinds[i] for i in order]
    names = [f"t{i:06d}" for i in range(len(said))]
    items = NewItems("text", names, names, said)
    return ItemSource(items, text_vectors(said), cosine=True), kinds, sorted(set(kinds))


def docstrings(package: str) -> list[str]:
    """The docstrings of a package that is installed, each once, without its names; none where it is not."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        print(f"{package} is not installed: no texts of it")
        return []
    names = "|".join(["scikit-learn", "np", "pd", "nx", "plt", *PACKAGES])
    own = re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
    found: dict[str, None] = {}
    for path in sorted(Path(spec.submodule_search_locations[0]).rglob("*.py")):
        if "test" in str(path.relative_to(spec.submodule_search_locations[0])):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's escapes
            tree = ast.parse(path.read_bytes())
        for part in ast.walk(tree):
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                text = own.sub("…", ast.get_docstring(part) or "")
                if len(text) >= LONG_ENOUGH:
                    found[text] = None
    return list(found)


DATA = {"digits": digits, "heaps": heaps, "texts": texts}


def by_page(folder: Path, names: list[str], truth: list[str], answers: int, think: float):
    """Answer the page's questions: share right at the end, seconds and CPU of turns, checks, sentence.

    Who takes some time to think lets the page look ahead meanwhile, as it does in a browser.
    """
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
            used = cpu_seconds(process.pid)
            for i in range(answers):
                asked = shown["question"]
                if asked is None:
                    break
                checks += asked["audit"]
                if think:
                    looking = threading.Thread(target=look_ahead, args=(f"{client.base_url}", asked["node"]))
                    looking.start()
                    time.sleep(think)
                act = {"id": str(i), "kind": "answer", "node": asked["node"], "label": right[asked["node"]]}
                act["decision"] = asked["decision"]
                began = time.perf_counter()
                shown = post("/turn", {"reviewer": "bench", "acts": [act]})
                seconds.append(time.perf_counter() - began)
            used = (cpu_seconds(process.pid) - used) / max(len(seconds), 1)
            rows = client.get("/labels").raise_for_status().json()["labels"]
            share = np.mean([row["label"] == right[row["node"]] for row in rows])
            return float(share), seconds, used, checks, shown["standing"]["sentence"]
    finally:
        process.terminate()
        process.wait(30)


def look_ahead(url: str, node: str) -> None:
    """Have the service find what follows each likely answer, as the page does while a person looks."""
    answer = httpx.get(f"{url}ahead", params={"reviewer": "bench", "node": node}, timeout=600)
    if answer.status_code != 409:  # answered before the service began to look
        answer.raise_for_status()


def cpu_seconds(process: int) -> float:
    """CPU time that a process has had; 0 where there is no /proc."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # before two classes are known it counts
        for _ in range(answers):
            place = query.query(X=vectors, y=known, clf=model)[0]
            known[place] = code[place]
        guess = model.fit(vectors, known).predict(vectors)
    return float(np.mean(np.where(np.isnan(known), guess, known) == code))


def measure(name: str, given: argparse.Namespace) -> None:
    """One data set, all ways, printed."""
    source, truth, classes = DATA[name](given.count) if name in DATA else points(name)
    answers = given.answers or ANSWERS.get(name, MORE_ANSWERS)
    prepared = prepare(source, ItemOptions())
    graph, names = prepared.graph, prepared.items.names
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        create_page_project(
            store, Path(folder), "p", prepared, classes, open_classes=False, audit_share=given.audit_share
        )
        store.close()
        share, seconds, used, checks, sentence = by_page(Path(folder), names, truth, answers, given.think)
    done = sorted(seconds)
    print(f"{name}: {len(names):,} items, {len(classes)} classes, {len(done)} answers ({checks} checks)")
    print(f"  the page         {share:.4f} right; {sentence}")
    half, most = done[len(done) // 2], done[min(int(0.99 * len(done)), len(done) - 1)]
    print(f"  turn             median {half * 1e3:.0f} ms, p99 {most * 1e3:.0f} ms; CPU {used * 1e3:.0f} ms")
    if given.alone:
        return

    def tell(what, right, more=""):
        errors = (1 - right) / max(1 - share, 1e-9)
        print(f"  {what:<16} {right:.4f} right{more}, {errors:.1f} × the errors of the page", flush=True)

    tell("random", by_rule(graph, names, truth, classes, answers, random_order(names))[0])
    tell("least-sure", by_rule(graph, names, truth, classes, answers, least_sure)[0])
    last, spent = by_rule(graph, names, truth, classes, given.most, least_sure, stop=ROW)
    tell(f"{ROW} in a row", last, f" after {spent:,} answers")
    if importlib.util.find_spec("skactiveml") is None:
        print("  scikit-activeml  is not installed")
    else:
        tell("scikit-activeml", by_activeml(source.vectors, truth, classes, answers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", nargs="+", default=list(DATA), help=f"of {', '.join(DATA)}, or data sets of points"
    )
    parser.add_argument("--answers", type=int, help="answers in each data set; by default its own number")
    parser.add_argument("--count", type=int, default=20000, help="points of heaps, texts at most")
    parser.add_argument(
        "--most", type=int, default=1500, help=f"answers at most until {ROW} in a row are right"
    )
    parser.add_argument("--audit-share", type=float, default=0.1)
    parser.add_argument(
        "--think", type=float, default=0.0, help="seconds before each answer, in which the page looks ahead"
    )
    parser.add_argument("--alone", action="store_true", help="the page alone, nothing beside it")
    given = parser.parse_args()
    for name in given.data:
        measure(name, given)


if __name__ == "__main__":
    main()

"""What a person waits for with `auto`: first use, start, a trial, a correction, a file, growth, questions.

    zerokelvin bench latency [--rows start game ...] [--million]

Every line has wall and CPU seconds of the same call (of a fresh process: its own), the goal, and CPU time as
a share of the goal, which is for two quiet cores and the sizes that are the defaults: below 1 it is reached.
"beside" is CPU time against something else measured in this run:

    mv        products of the graph's Laplacian with a vector (scipy), the shortest of 15
    gaussian  a whole game of `gaussian` on the same graph
    numpy     a fresh process that imports numpy
    ready     the same process again, with what the first had compiled
    play      `zk.play` with the same labels, and `predict_all`
    qdldl     ten lines of Python around qdldl's factor, of scipy's (splu) where qdldl is not installed

Of one call the best of several is given, of each clock its own; "p50" and "p99" are percentiles over many
calls, one after the other in a session. Before a clock runs, a short session on the same graph has compiled
and loaded all there is, but for the rows of fresh processes. Data sets that are not found are left out, with
a line that says so. Rows (`--rows`, all by default):

    first-use   the README's example in a fresh process, nothing compiled, and a session on 2,400 nodes
    import      `import zerokelvin` in a fresh process
    help        `zerokelvin --help`
    start       `zk.start`, on `--data` (and a million points with `--million`)
    game        `zk.play` over all nodes, likewise; with the largest memory of the process meanwhile
    trial       `predict` and `learn` in a session on `--session`
    correct     one of the last 100 of `--answers` answers there, and some of the first
    file        `save` and `load` of that session
    grow        `add_nodes` of 10 on a graph of `--nodes` points with `--known` answers
    questions   `open_questions(10)` after each answer, policy `value`, on `--points` points with `--classes`
                classes, and the list before the first of them
    ahead       on `--large` points with ten classes, policy `value`: an answer with the next question, what
                `foresee` takes for one answer, of that what supposing it takes, a copy, and `explain`; then
                with weights that all differ
    proba       `predict_proba_all` on the graph of `grow`
    classifier  `GraphClassifier` with `--labels` labels, fit and predict, on `--data`
    perceptron  a whole game of `perceptron` on a graph of `--knn` points
    slowest     a whole game of three learners that took longest: `second-order` on `--session`,
                `interpolation` on 12,000 points and `gaussian` on 7,500 nodes of mean degree 32
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib.util
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zerokelvin as zk
from compile_times import EXAMPLE
from parts.labelled_graphs import regions
from solvers import FAMILIES
from zerokelvin.errors import ZerokelvinError
from zerokelvin.jit.background import LOCK

MILLION = 1_000_000


class Times(NamedTuple):
    """Seconds by the clock on the wall and of the processor."""

    wall: float
    cpu: float


class Line(NamedTuple):
    """What was measured, where, its times, the goal in seconds or None, and what stands beside it."""

    row: str
    what: str
    times: Times
    goal: float | None
    beside: float
    unit: str


class Problem(NamedTuple):
    """A connected graph with a label for every node, and the shortest product with its Laplacian."""

    name: str
    graph: zk.Graph
    labels: Any
    product: float

    @property
    def classes(self):
        return sorted(set(self.labels.tolist()))

    def fresh(self):
        """The graph again, of which nothing has been computed yet."""
        return (zk.Graph(self.graph.indptr, self.graph.indices, self.graph.weights),)

    def order(self, seed=0):
        return np.random.default_rng(seed).permutation(self.graph.num_nodes)

    def answers(self, nodes):
        return [(node, self.labels[node].item()) for node in nodes.tolist()]

    def __str__(self):
        return f"{self.name}, {self.graph.num_nodes:,} nodes"


# -- clocks -------------------------------------------------------------------------------------------


def timed(action):
    """The times of one call, and its result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return Times(time.perf_counter() - wall, time.process_time() - cpu), result


def best(action, repeats, patience=20.0, given=tuple):
    """The least times of several calls, fewer where they take long, and the last result.

    Every call has the arguments that `given` makes for it before the clock runs.
    """
    least, spent = Times(math.inf, math.inf), 0.0
    for _ in range(repeats):
        arguments = given()
        times, result = timed(lambda arguments=arguments: action(*arguments))
        least = Times(min(least.wall, times.wall), min(least.cpu, times.cpu))
        spent += times.wall
        if spent > patience:
            break
    return least, result


def percentile(times, share):
    """A percentile of many times, of each clock its own."""
    return Times(*(float(np.percentile(clock, share)) for clock in zip(*times, strict=True)))


LARGER = """
import numpy
import zerokelvin as zk
drawn = zk.generators.planted_partition([400] * 6, 0.01, 0.0005, numpy.random.default_rng(0))
session = zk.start(drawn.graph, classes=list(range(6)))
for node in range(0, 2400, 300):
    session.learn(node, int(drawn.labels[node]))
    session.predict(node + 1)
"""
"""A first session on a graph that is too large for the interpreter."""


def process(command, folder, **environment):
    """The times of a fresh process that runs in a folder, of its own processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        env=os.environ | environment,
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def fresh(command, repeats):
    """The least times of several fresh processes."""
    with tempfile.TemporaryDirectory() as folder:
        times = [process(command, folder) for _ in range(repeats)]
    return Times(*(min(clock) for clock in zip(*times, strict=True)))


# -- what is played on --------------------------------------------------------------------------------


def problem(name, graph, labels):
    laplacian = graph.laplacian()
    vector = np.random.default_rng(0).standard_normal(graph.num_nodes)
    return Problem(name, graph, np.asarray(labels), best(lambda: laplacian @ vector, 15)[0].cpu)


@functools.cache
def data(name):
    """The largest component of a data set, nodes by number; None where it is not found."""
    try:
        found = zk.load_dataset(name)
    except ZerokelvinError as missing:
        print(f"{name} is left out: {missing}", file=sys.stderr)
        return None
    whole = found.graph if found.points is None else zk.knn_graph(found.points, 10)
    part, nodes = whole.largest_component()
    graph = zk.Graph(part.indptr, part.indices, part.weights)
    return problem(name, graph, np.unique(np.asarray(found.labels)[nodes], return_inverse=True)[1])


@functools.cache
def points(count, classes):
    """A graph of 10 nearest neighbours in the plane, whose classes are regions of it."""
    part, _ = FAMILIES["knn2"](count, np.random.default_rng(0)).largest_component()
    return problem("points", *regions(zk.Graph(part.indptr, part.indices, part.weights), classes))


@functools.cache
def weighted_points(count, classes):
    """The same with weights of which no two are equal, as distances make them."""
    plain = points(count, classes)
    weights = np.exp(-np.random.default_rng(1).gamma(2.0, 0.5, plain.graph.num_edges))
    graph = zk.Graph.from_edges(plain.graph.edges, weights, num_nodes=plain.graph.num_nodes)
    return problem("weighted points", graph, plain.labels)


@functools.cache
def groups(count):
    """Three groups of nodes whose mean degree is 32, three quarters of it inside."""
    size = max(1, count // 3)
    inside, outside = min(1.0, 24 / size), min(1.0, 4 / size)
    drawn = zk.generators.planted_partition([size] * 3, inside, outside, np.random.default_rng(0))
    part, nodes = drawn.graph.largest_component()
    return problem("groups", zk.Graph(part.indptr, part.indices, part.weights), drawn.labels[nodes])


def played_on(given):
    """The data sets of `--data` that are found, and a million points where they are asked for."""
    found = [here for name in given.data if (here := data(name)) is not None]
    return found + ([points(MILLION, 10)] if given.million else [])


def session_of(here, answers, **terms):
    """A session on a problem with so many answers, in random order."""
    session = zk.start(here.graph, classes=here.classes, **terms)
    session.learn_many(here.answers(here.order()[:answers]))
    return session


@functools.cache
def long_session(name, answers):
    """The session that `correct` and `file` share, after a short one like it has been through all of it."""
    here = data(name)
    if here is None:
        return None, None
    with tempfile.TemporaryDirectory() as folder:
        short, path = session_of(here, min(answers, 200)), Path(folder) / "short.zk"
        short.correct(int(here.order()[min(answers, 200) // 2]), here.classes[0])
        short.save(path)
        zk.load(path, here.graph)
    return here, session_of(here, min(answers, here.graph.num_nodes))


# -- the rows -----------------------------------------------------------------------------------------


def first_use(_):
    with tempfile.TemporaryDirectory() as folder:
        first, again = two_runs(EXAMPLE, folder)
    yield Line("first-use", "README example, nothing compiled", first, 8.0, first.cpu / again.cpu, "ready")
    yield Line("first-use", "the same again", again, None, 1.0, "ready")
    with tempfile.TemporaryDirectory() as folder:
        first, again = two_runs(LARGER, folder)
    what = "session on 2,400 nodes, nothing compiled"
    yield Line("first-use", what, first, None, first.cpu / again.cpu, "ready")
    yield Line("first-use", "the same again", again, None, 1.0, "ready")


def two_runs(script, folder, seconds=300.0):
    """Times with nothing compiled, and again when the process that this leaves behind, if any, has ended."""
    cache = Path(folder) / "cache"
    usual = {"NUMBA_CACHE_DIR": str(cache), "ZEROKELVIN_COMPILE": ""}
    first = process(["-c", script], folder, **usual)
    end = time.monotonic() + seconds
    while (cache / LOCK).exists() and not list(cache.glob("*.ahead")) and time.monotonic() < end:
        time.sleep(0.2)
    return first, process(["-c", script], folder, **usual)


def importing(given):
    numpy = fresh(["-c", "import numpy"], given.repeats)
    times = fresh(["-c", "import zerokelvin"], given.repeats)
    yield Line("import", "import zerokelvin", times, 0.3, times.cpu / numpy.cpu, "numpy")


def help_page(given):
    numpy = fresh(["-c", "import numpy"], given.repeats)
    times = fresh(["-m", "zerokelvin", "--help"], given.repeats)
    yield Line("help", "zerokelvin --help", times, 0.3, times.cpu / numpy.cpu, "numpy")


def starting(given):
    for here in played_on(given):
        goal = {"cora": 0.05, "pubmed": 0.2, "points": 5.0}.get(here.name)
        zk.start(*here.fresh(), classes=here.classes)
        times, _ = best(
            lambda graph, here=here: zk.start(graph, classes=here.classes), given.repeats, given=here.fresh
        )
        yield Line("start", f"auto, {here}", times, goal, times.cpu / here.product, "mv")


def whole_games(given):
    from learners_at_scale import forget_peak, peak

    for here in played_on(given):
        goal = {"cora": 0.5, "pubmed": 3.0, "points": 400.0}.get(here.name)
        zk.play(here.graph, here.labels, order=here.order()[:200])
        gaussian, _ = best(
            lambda graph, here=here: zk.play(graph, here.labels, "gaussian"), given.repeats, given=here.fresh
        )
        forget_peak()
        times, run = best(
            lambda graph, here=here: zk.play(graph, here.labels), given.repeats, given=here.fresh
        )
        most = "" if peak() is None else f", {peak() / 1e6:,.0f} MB"
        what = f"auto, {here}, {run.error_multiclass:.2%} wrong{most}"
        yield Line("game", what, times, goal, times.cpu / gaussian.cpu, "gaussian")


def trials(given):
    here = data(given.session)
    if here is None:
        return
    session = session_of(here, 20)
    for node, label in here.answers(here.order()[20:40]):
        session.predict(node)
        session.learn(node, label)
    nodes = here.order()[40:][: given.trials]
    predicted, learnt = [], []
    for node, label in here.answers(nodes):
        predicted.append(timed(lambda node=node: session.predict(node))[0])
        learnt.append(timed(lambda node=node, label=label: session.learn(node, label))[0])
    for what, times, goal in (("predict", predicted, 0.3e-3), ("learn", learnt, 3e-3)):
        for share in (50, 99):
            found = percentile(times, share)
            told = f"{what}, p{share} of {len(times):,}, {here}"
            yield Line("trial", told, found, goal if share == 99 else None, found.cpu / here.product, "mv")


def corrections(given):
    here, session = long_session(given.session, given.answers)
    if here is None:
        return
    order = here.order()[: len(session.events)].tolist()
    rng = np.random.default_rng(1)
    last = rng.choice(order[-100:], min(20, len(order)), replace=False).tolist()
    early = [order[len(order) * place // 8] for place in (0, 2, 4)]
    for what, nodes, goal in (("one of the last 100", last, 0.05), ("one of the first half", early, 1.0)):
        took = []
        for node in nodes:
            other = here.classes[(here.classes.index(here.labels[node]) + 1) % len(here.classes)]
            took.append(timed(lambda node=node, other=other: session.correct(node, other))[0])
        for kind, share in (("median", 50), ("worst", 100)):
            found = percentile(took, share)
            told = f"{what} of {len(order):,}, {kind} of {len(took)}, {here}"
            wanted = goal if share == 100 else None
            yield Line("correct", told, found, wanted, found.cpu / here.product, "mv")


def files(given):
    here, session = long_session(given.session, given.answers)
    if here is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.zk"
        saving, _ = best(lambda: session.save(path), given.repeats)
        loading, _ = best(lambda: zk.load(path, here.graph), given.repeats)
        size = path.stat().st_size / 1e6
    told = f"{len(session.events):,} answers, {here}"
    yield Line("file", f"save, {size:.1f} MB, {told}", saving, None, saving.cpu / here.product, "mv")
    yield Line("file", f"load, {told}", loading, 0.5, loading.cpu / here.product, "mv")


def growth(given):
    here = points(given.nodes, 10)
    session = session_of(here, given.known)
    rng = np.random.default_rng(1)
    took = []
    for turn in range(given.repeats + 1):
        count = session.graph.num_nodes
        near = [int(rng.integers(here.graph.num_nodes)) for _ in range(10)]
        pairs = [(count + k, other) for k, node in enumerate(near) for other in _some(here.graph, node)]
        times, _ = timed(lambda pairs=pairs: session.add_nodes(10, pairs))
        took += [times] if turn else []  # the first compiles
    found = percentile(took, 0)
    told = f"add_nodes of 10, {given.known:,} answers, {here}"
    yield Line("grow", told, found, 0.2, found.cpu / here.product, "mv")


def _some(graph, node):
    """A node and some of its neighbours."""
    return [node, *graph.neighbors(node)[:4].tolist()]


def queue(given):
    for here, goal in [(points(given.points, given.classes), 0.05)] + (
        [(points(MILLION, 10), 0.5)] if given.million else []
    ):
        session = zk.start(here.graph, classes=here.classes, policy="value")
        session.teach(here.answers(here.order()[:100]))
        for _ in range(2):  # compiles
            session.learn(*here.answers(np.array([session.open_questions(10)[0]]))[0])
        fresh_one = zk.start(here.graph, classes=here.classes, policy="value")
        fresh_one.teach(here.answers(here.order()[:100]))
        first, _ = timed(lambda fresh_one=fresh_one: fresh_one.open_questions(10))
        yield Line("questions", f"the first list, {here}", first, None, first.cpu / here.product, "mv")
        took = []
        for _ in range(given.asked):
            times, asked = timed(lambda session=session: session.open_questions(10))
            took.append(times)
            session.learn(*here.answers(np.array(asked[:1]))[0])
        for share in (50, 99):
            found = percentile(took, share)
            told = f"after each answer, p{share} of {len(took)}, {len(here.classes)} classes, {here}"
            wanted = goal if share == 99 else None
            yield Line("questions", told, found, wanted, found.cpu / here.product, "mv")


def ahead(given):
    for here in (points(given.large, 10), weighted_points(given.large, 10)):
        yield from _ahead(given, here)


def _ahead(given, here):
    session = zk.start(here.graph, classes=here.classes, policy="value:1000")  # always something to ask
    for node, label in here.answers(here.order()[: min(60, given.known)]):
        session.learn(node, label)
    first, asked = timed(lambda: session.open_questions(1))
    yield Line("ahead", f"the first list, {here}", first, None, first.cpu / here.product, "mv")
    took = {"answer and next question": [], "foresee": [], "supposing": [], "explain": []}
    for _ in range(given.asked):
        answer = here.answers(np.array(asked))[0]
        took["foresee"].append(timed(lambda answer=answer: session.foresee(answer[0], [answer[1]]))[0])
        took["supposing"].append(timed(lambda answer=answer: _suppose(session, answer))[0])
        took["explain"].append(timed(lambda answer=answer: session.explain(answer[0]))[0])
        times, asked = timed(lambda answer=answer: _answered(session, answer))
        took["answer and next question"].append(times)
    goals = {"answer and next question": 0.1, "supposing": 0.02, "explain": 0.05}
    for what, times in took.items():
        for share in (50, 99):
            found, wanted = percentile(times[1:], share), goals.get(what) if share == 99 else None
            told = f"{what}, p{share} of {len(times) - 1}, {here}"
            yield Line("ahead", told, found, wanted, found.cpu / here.product, "mv")
    times, _ = best(lambda: copy.copy(session), given.repeats)
    yield Line("ahead", f"a copy of the session, {here}", times, None, times.cpu / here.product, "mv")


def _suppose(session, answer):
    with session.supposing([answer]):
        pass


def _answered(session, answer):
    session.learn(*answer)
    return session.open_questions(1)


def probabilities(given):
    here = points(given.nodes, 10)
    session = session_of(here, given.known)
    session.predict_proba_all()
    took = []
    for node, label in here.answers(here.order()[given.known :][: given.repeats]):
        session.learn(node, label)  # nothing is kept from the call before
        took.append(timed(session.predict_proba_all)[0])
    found = percentile(took, 0)
    told = f"predict_proba_all, {given.known:,} answers, {here}"
    yield Line("proba", told, found, 0.3, found.cpu / here.product, "mv")


def classifier(given):
    from zerokelvin.sklearn import GraphClassifier

    for name in given.data:
        here = data(name)
        if here is None:
            continue
        nodes, everyone = here.order()[: given.labels], np.arange(here.graph.num_nodes)

        def ours(here=here, nodes=nodes, everyone=everyone):
            model = GraphClassifier(graph=here.graph, shuffle=False).fit(nodes, here.labels[nodes])
            return model.predict(everyone)

        session = session_of(here, len(nodes))
        ours()
        times, predicted = best(ours, given.repeats)
        playing, _ = best(
            lambda here=here, nodes=nodes: zk.play(
                here.graph, here.labels, order=nodes, classes=here.classes
            ),
            given.repeats,
        )
        reading, read = best(session.predict_all, given.repeats)
        assert np.array_equal(predicted, read), "the classifier predicts otherwise"
        goal = 1.2 * (playing.cpu + reading.cpu)
        told = f"fit + predict, {len(nodes)} labels, {here}"
        yield Line("classifier", told, times, goal, 1.2 * times.cpu / goal, "play")


def perceptron(given):
    from learners_at_scale import by_qdldl, by_scipy, plain_perceptron, planted

    here = points(given.knn, 2)
    labels, order = planted(here.graph, np.random.default_rng(1)), here.order()
    zk.play(here.graph, labels, "perceptron", order=order[:50])
    times, run = best(lambda: zk.play(here.graph, labels, "perceptron", order=order), given.repeats)
    name, source = ("qdldl", by_qdldl) if importlib.util.find_spec("qdldl") else ("splu", by_scipy)
    other, guesses = best(lambda: plain_perceptron(source(here.graph), order.tolist(), labels), given.repeats)
    same = float(np.mean(np.asarray(guesses) == run.predictions))
    assert same > 0.999, f"{name} predicts otherwise: {same}"
    goal = other.cpu if name == "qdldl" else None
    told = f"perceptron, {run.mistakes} mistakes, {here}"
    yield Line("perceptron", told, times, goal, times.cpu / other.cpu, name)


def slowest(given):
    found = [("second-order", data(given.session)), ("interpolation", points(given.far, 10))]
    for name, here in [*found, ("gaussian", groups(given.wide))]:
        if here is None:
            continue
        zk.play(here.graph, here.labels, name, order=here.order()[:50])
        times, run = best(
            lambda graph, here=here, name=name: zk.play(graph, here.labels, name), 1, given=here.fresh
        )
        told = f"{name}, {run.error_multiclass:.2%} wrong, {here}"
        yield Line("slowest", told, times, 20.0, times.cpu / here.product, "mv")


ROWS = {
    "first-use": first_use,
    "import": importing,
    "help": help_page,
    "start": starting,
    "game": whole_games,
    "trial": trials,
    "correct": corrections,
    "file": files,
    "grow": growth,
    "questions": queue,
    "ahead": ahead,
    "proba": probabilities,
    "classifier": classifier,
    "perceptron": perceptron,
    "slowest": slowest,
}


# -- the table ----------------------------------------------------------------------------------------


def told(seconds):
    """Seconds in words: ms below a second.

    >>> told(0.00123), told(12.3)
    ('1.23 ms', '12.3 s')
    """
    return f"{1e3 * seconds:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def show(line):
    goal = "–" if line.goal is None else f"≤ {told(line.goal)}"
    share = "–" if line.goal is None else f"{line.times.cpu / line.goal:.2f}"
    beside = f"{line.beside:,.2f}" if line.beside < 100 else f"{line.beside:,.0f}"
    cells = (line.row, line.what, told(line.times.wall), told(line.times.cpu), goal, share)
    print(f"| {' | '.join(cells)} | {beside} {line.unit} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--data", nargs="+", default=["cora", "pubmed"], help="data sets of whole games")
    parser.add_argument("--session", default="pubmed", help="the data set of sessions")
    parser.add_argument("--answers", type=int, default=10_000, help="answers in rows correct and file")
    parser.add_argument("--trials", type=int, default=3000, help="calls in row trial")
    parser.add_argument("--nodes", type=int, default=60_000, help="nodes in rows grow and proba")
    parser.add_argument("--known", type=int, default=3000, help="answers in rows grow and proba")
    parser.add_argument("--points", type=int, default=20_000, help="nodes in row questions")
    parser.add_argument("--classes", type=int, default=26, help="classes in row questions")
    parser.add_argument("--asked", type=int, default=30, help="answers in rows questions and ahead")
    parser.add_argument("--large", type=int, default=100_000, help="nodes in row ahead")
    parser.add_argument("--labels", type=int, default=300, help="labels in row classifier")
    parser.add_argument("--knn", type=int, default=10_000, help="nodes in row perceptron")
    parser.add_argument("--far", type=int, default=12_000, help="points of `interpolation` in row slowest")
    parser.add_argument("--wide", type=int, default=7500, help="nodes of `gaussian` in row slowest")
    parser.add_argument("--repeats", type=int, default=3, help="calls of which the best is given")
    parser.add_argument(
        "--million", action="store_true", help="also a million points: start, game, questions"
    )
    given = parser.parse_args()
    for name, value in vars(given).items():
        if type(value) is int and value < 1:
            parser.error(f"--{name} {value} must be at least 1.")
    print("| row | what | wall | CPU | goal | CPU / goal | beside |\n|---|---|---|---|---|---|---|")
    for name in given.rows:
        for line in ROWS[name](given):
            show(line)


if __name__ == "__main__":
    main()

"""Compiling ahead: what learners do in use, practised on small graphs by several processes.

What is compiled depends on the types of what a kernel is given, so the only list of all that a learner needs
is the learner at work. `warm` lets each do what users do: a session over names that learns, predicts, is
corrected, grows and is saved; games of two and of several classes with the policies; and a few trials on a
graph that is too large for n×n matrices. Every piece of work is a `Practice`, done by one of as many
processes as the machine has cores. The parts of `auto`, its experts, are practised on their own before, so
that they are compiled side by side. What one process has compiled the others find on disk.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.errors import DataError, ZerokelvinError
from zerokelvin.games import play
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.graph.generators import planted_partition
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.jit import CacheWarning, compilations
from zerokelvin.jit.background import mark
from zerokelvin.jit.small_work import compiling_now
from zerokelvin.learners import LEARNERS
from zerokelvin.learners.auto.experts import KINDS
from zerokelvin.session import Session, load, start
from zerokelvin.sweeps.places import cores

__all__ = ["DEFAULT", "Practice", "Practised", "practise", "warm"]

DEFAULT = ("auto",)
"""What the README's example, `zerokelvin run` and a session use unless told otherwise."""

POLICIES = ("always", "margin", "value")
LARGE = 3_200
"""Nodes of the large graph: more than `solve.choice` inverts as a matrix."""

Report = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Practice:
    """One piece of work: a learner, and which of `WORK`, or which kind of experts of `auto`."""

    learner: str
    work: str


@dataclass(frozen=True)
class Practised:
    """What came of it: kernels compiled, by signature; `note` says why it was not done to the end."""

    learner: str
    work: str
    kernels: int
    seconds: float
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as text and numbers, which JSON can hold."""
        return asdict(self)


def warm(
    learners: Sequence[str] = DEFAULT, jobs: int | None = None, report: Report | None = None
) -> list[Practised]:
    """Compile what learners need, and keep it on disk.

    Parameters
    ----------
    learners
        Names of learners.
    jobs
        How many processes work at a time; as many as this process may use cores by default.
    report
        Called with what was done last, how many pieces of work are done, and how many there are.

    Returns
    -------
    One entry for each piece of work, in the order in which they were done.
    """
    for name in learners:
        LEARNERS[name]  # refuse unknown ones before the work
    stages = _stages(learners)
    total = sum(len(stage) for stage in stages)
    tell = report or (lambda *_: None)
    done: list[Practised] = []
    pool = ProcessPoolExecutor(jobs or cores(), mp_context=multiprocessing.get_context("spawn"))
    tell("Compiling", 0, total)
    try:
        for stage in stages:
            for future in as_completed([pool.submit(practise, practice) for practice in stage]):
                done.append(future.result())
                tell("Compiling", len(done), total)
    finally:
        pool.shutdown(cancel_futures=True)
    for name in learners:
        mark(name)
    return done


def practise(practice: Practice) -> Practised:
    """Do one piece of work in this process; refuses where compiled code cannot be kept."""
    began = time.perf_counter()
    work = WORK.get(practice.work)
    note = ""
    with compilations() as compiled, warnings.catch_warnings(), compiling_now():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", CacheWarning)
        try:
            _expert(practice.work) if work is None else work(practice.learner)
        except CacheWarning as problem:
            raise DataError(str(problem)) from None
        except ZerokelvinError as problem:  # a learner that this graph is not for
            note = str(problem)
    kernels = sum(one.kept is not None for one in compiled)
    return Practised(practice.learner, practice.work, kernels, time.perf_counter() - began, note)


def _stages(learners: Sequence[str]) -> list[list[Practice]]:
    """What is to be done at the same time, one stage after the other.

    Two processes that need the same kernel at the same time both compile it. So the parts of `auto` are done,
    side by side, before it is itself; other learners, whose kernels are mostly their own, go with its parts.
    """
    parts = [Practice("auto", kind) for kind in KINDS] if "auto" in learners else []
    others = [name for name in dict.fromkeys(learners) if name != "auto"]
    first = [*parts, *(Practice(name, "games") for name in others)]
    then = [Practice(name, work) for name in dict.fromkeys(learners) for work in WORK]
    return [first, [practice for practice in then if practice not in first]]


def _first_steps(learner: str) -> Session:
    """A session of two classes by name: two answers and a prediction."""
    edges = [("ann", "bob"), ("bob", "cem"), ("ann", "cem"), ("cem", "dan"), ("dan", "eve"), ("eve", "fay")]
    graph = Graph.from_edges([*edges, ("dan", "fay")])
    session = start(graph, learner, classes=["fraud", "ok"])
    session.learn("ann", "fraud")
    session.learn("fay", "ok")
    session.predict("bob")
    return session


def _session(learner: str) -> None:
    """The same, with all that can be done with a session."""
    session = _first_steps(learner)
    session.predict_all()
    session.predict_proba_one("bob")
    session.explain("bob")
    session.open_questions(2)
    session.learn("eve", "ok")
    session.correct("eve", "fraud")
    session.bound({"ann": "fraud", "fay": "ok"})
    session.add_nodes(["gus"], edges=[("gus", "fay")])
    session.predict("gus")
    with tempfile.TemporaryDirectory() as folder:
        session.save(Path(folder) / "session.zk")
        load(Path(folder) / "session.zk", session.graph).predict("bob")


def _games(learner: str) -> None:
    """Games of two and of three classes with several policies, and a session of three."""
    rng = np.random.default_rng(0)
    for classes in (2, 3):
        if classes > 2 and not LEARNERS[learner].multiclass:
            continue
        drawn = planted_partition([8] * classes, 0.5, 0.1, rng)
        for policy in POLICIES:
            play(drawn.graph, drawn.labels, learner, policy=policy)
        session = start(drawn.graph, learner, classes=list(range(classes)))
        session.learn(0, int(drawn.labels[0]))
        session.learn(drawn.graph.num_nodes - 1, int(drawn.labels[-1]))
        session.predict(1)
        session.open_questions(2)


def _large(learner: str) -> None:
    """A few trials on a graph too large for n×n matrices."""
    rng = np.random.default_rng(0)
    points = rng.random((LARGE, 2))
    labels: list[int | None] = [None] * LARGE
    for node in range(24):
        labels[node] = int(points[node, 0] > 0.5) + int(points[node, 1] > 0.5)
    play(knn_graph(points, 5), labels, learner)


def _expert(kind: str) -> None:
    """One kind of experts of `auto` on its own: what it prepares, and its experts at work."""
    rng = np.random.default_rng(0)
    drawn = planted_partition([8, 8], 0.5, 0.1, rng)
    ready = KINDS[kind].prepare(drawn.graph, at_mean_degree(drawn.graph))
    nodes, codes = np.arange(6), np.array([0, 0, 1, 0, 1, 1])
    for one in KINDS[kind].start(ready, 2, 0.05, 0):
        one.evidence(nodes)
        one.learn(7, 0)
        one.evidence(nodes)
        one.learn_in_order(nodes, codes)


def _small_game(learner: str) -> None:
    """A few trials of three classes."""
    drawn = planted_partition([3] * 3, 0.8, 0.2, np.random.default_rng(0))
    labels = [int(label) if node % 3 < 2 else None for node, label in enumerate(drawn.labels)]
    play(drawn.graph, labels, learner)


def _questions(learner: str) -> None:
    """The same where questions are chosen, and a list of them that is kept up to date."""
    drawn = planted_partition([3] * 3, 0.8, 0.2, np.random.default_rng(0))
    play(drawn.graph, [int(label) for label in drawn.labels], learner, policy="value")
    session = start(drawn.graph, learner, classes=[0, 1, 2], policy="value")
    for node in range(0, 9, 3):
        session.learn(node, int(drawn.labels[node]))
        session.open_questions(2)
    session.predict_all()
    session.predict_proba_one(1)


PIECES: tuple[Callable[[str], object], ...] = (_first_steps, _small_game, _questions, _session)
"""Work that calls what learners are made of, small enough for the interpreter; first what is needed first."""

WORK: dict[str, Callable[[str], None]] = {"session": _session, "games": _games, "large graph": _large}
"""What every learner practises."""

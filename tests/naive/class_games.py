"""Games over several classes for tests of learners that share one state among them."""

import os
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.learners.base import Trials


@st.composite
def class_games(draw, max_nodes=9):
    graph = draw(strategies.graphs(max_nodes=max_nodes))
    classes = draw(st.integers(2, 4))
    nodes = draw(st.lists(st.integers(0, graph.num_nodes - 1), min_size=1, max_size=20))
    codes = draw(st.lists(st.integers(0, classes - 1), min_size=graph.num_nodes, max_size=graph.num_nodes))
    noise = draw(st.lists(st.integers(0, 9), min_size=len(nodes), max_size=len(nodes)))
    shown = [codes[i] if flip else (codes[i] + 1) % classes for i, flip in zip(nodes, noise, strict=True)]
    return graph, classes, list(zip(nodes, shown, strict=True)), np.array(codes)


def as_trials(trials, classes):
    codes = np.array([code for _, code in trials])
    targets = np.array([1]) if classes == 2 else np.arange(classes)
    signs = np.where(codes[:, None] == targets, 1, -1).astype(np.int8)
    return Trials(np.array([n for n, _ in trials]), signs, np.full(len(trials), np.inf), 0, 10**9)


def comparators(codes, classes):
    targets = [1] if classes == 2 else range(classes)
    return [np.where(codes == c, 1, -1) for c in targets]


def mistakes(margins, trials, classes):
    found = (margins[:, 0] >= 0).astype(int) if classes == 2 else margins.argmax(axis=1)
    return int((found != [code for _, code in trials]).sum())


def dataset(name):
    folder = Path(os.environ.get("ZEROKELVIN_DATA", Path(__file__).parents[3] / "shared" / "data"))
    data = zk.load_dataset(str(folder / f"{name}.npz"))
    graph, nodes = data.graph.largest_component()
    return graph, np.asarray(data.labels, dtype=object)[nodes]

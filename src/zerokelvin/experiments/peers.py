"""Other packages' classifiers for the same job, played as the learners are: one node at a time.

A batch classifier is fitted again as labels arrive and predicts from its last fit in between; `refit_due` is
the schedule. The nodes of a component without any label get the most frequent class so far, as in a game of
ours, and so does everything until two classes have been seen. Parameters are each package's defaults.

Each package is imported when one of its peers is started, so none of them has to be installed.
"""

from __future__ import annotations

import importlib.util
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.registry import Registry

if TYPE_CHECKING:
    from zerokelvin.graph import Graph

__all__ = ["PEERS", "Peer", "PeerGame", "Refitted", "refit_due"]

Fit = Callable[[Ints, Ints], NDArray[Any]]


class PeerGame(ABC):
    """One game of a peer: `predict` a class for a node, `learn` the class it had."""

    @abstractmethod
    def predict(self, node: int) -> int:
        """The class of a node, from what has been learnt."""

    @abstractmethod
    def learn(self, node: int, code: int) -> None:
        """Learn that a node has the class with this code."""


@dataclass(frozen=True)
class Peer:
    """A classifier of another package: how it is called, found and started."""

    name: str
    package: str
    module: str
    summary: str
    begin: Callable[[Graph, int, int | None], PeerGame]

    @property
    def installed(self) -> bool:
        """Whether the package that it belongs to is there to be imported."""
        return importlib.util.find_spec(self.module) is not None

    def start(self, graph: Graph, classes: int, refit: int | None = None) -> PeerGame:
        """Begin a game over so many classes; `refit` as in `refit_due`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a package says of its own dependencies
            return self.begin(graph, classes, refit)


PEERS: Registry[Peer] = Registry("peer")


def refit_due(labels: int, nodes: int, every: int | None = None) -> bool:
    """Whether a batch classifier is fitted again when this many labels are there.

    After every `every` labels; by default after each per cent of the nodes, and before the first per cent
    after 1, 2, 4, 8, … labels.

    >>> [k for k in range(1, 1100) if refit_due(k, 50_000)]
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 1000]
    >>> [k for k in range(1, 10) if refit_due(k, 50_000, every=3)]
    [3, 6, 9]
    """
    step = max(1, nodes // 100) if every is None else every
    return labels % step == 0 or (every is None and labels < step and labels & (labels - 1) == 0)


class Refitted(PeerGame):
    """A batch classifier, fitted again and again: ``fit(nodes, codes)`` gives a code for every node."""

    def __init__(self, graph: Graph, classes: int, refit: int | None, fit: Fit) -> None:
        self.components = graph.components
        self.refit = refit
        self.fit = fit
        self.nodes: list[int] = []
        self.codes: list[int] = []
        self.counts = np.zeros(classes, dtype=np.int64)
        self.predicted = np.zeros(graph.num_nodes, dtype=np.int64)

    def predict(self, node: int) -> int:
        """The class code of a node as of the last fit."""
        return int(self.predicted[node])

    def learn(self, node: int, code: int) -> None:
        """Keep a label, and fit again if it is time."""
        self.nodes.append(node)
        self.codes.append(code)
        self.counts[code] += 1
        if refit_due(len(self.nodes), len(self.predicted), self.refit):
            self._fit()

    def _fit(self) -> None:
        """Predict all nodes anew; the most frequent class where no label or prediction of theirs reaches."""
        nodes, codes = np.array(self.nodes), np.array(self.codes)
        self.predicted[:] = most_frequent(self.counts)
        seen, consecutive = np.unique(codes, return_inverse=True)
        if len(seen) < 2:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, of convergence and of empty components
            found = np.asarray(self.fit(nodes, consecutive)).astype(np.int64)
        labelled = np.zeros(self.components.max() + 1, dtype=np.bool_)
        labelled[self.components[nodes]] = True
        reached = labelled[self.components] & (found >= 0) & (found < len(seen))
        self.predicted[reached] = seen[found[reached]]


class _River(PeerGame):
    """Softmax regression on the spectral embedding, learning label by label."""

    def __init__(self, graph: Graph) -> None:
        from river import linear_model, preprocessing

        from zerokelvin.spectral.embedding_features import laplacian_coordinates

        self.rows = laplacian_coordinates(graph, 100, 0.0)
        self.model = preprocessing.StandardScaler() | linear_model.SoftmaxRegression()

    def predict(self, node: int) -> int:
        """The class now, the first one before any label."""
        found = self.model.predict_one(self._features(node))
        return 0 if found is None else int(found)

    def learn(self, node: int, code: int) -> None:
        """Let the model take one step of gradient descent on a node and its class code."""
        self.model.learn_one(self._features(node), code)

    def _features(self, node: int) -> dict[int, float]:
        return dict(enumerate(self.rows[node].tolist()))


def _scikit_network(kind: str) -> Callable[[Graph, int, int | None], PeerGame]:
    """What begins games of a class of ``sknetwork.classification``, by its name."""

    def begin(graph: Graph, classes: int, refit: int | None) -> PeerGame:
        import scipy.sparse as sp
        from sknetwork import classification

        model = getattr(classification, kind)()
        adjacency = sp.csr_matrix(graph.adjacency)

        def fit(nodes: Ints, codes: Ints) -> NDArray[Any]:
            known = np.full(graph.num_nodes, -1)
            known[nodes] = codes
            return np.asarray(model.fit_predict(adjacency, known))

        return Refitted(graph, classes, refit, fit)

    return begin


def _label_spreading(graph: Graph, classes: int, refit: int | None) -> PeerGame:
    """Begin a game of scikit-learn's LabelSpreading with the adjacency matrix as its kernel."""
    from sklearn.semi_supervised import LabelSpreading

    model = LabelSpreading(kernel=lambda *_: graph.adjacency)
    points = np.arange(graph.num_nodes, dtype=np.float64)[:, None]

    def fit(nodes: Ints, codes: Ints) -> NDArray[Any]:
        known = np.full(graph.num_nodes, -1)
        known[nodes] = codes
        return np.asarray(model.fit(points, known).transduction_)

    return Refitted(graph, classes, refit, fit)


def _harmonic(graph: Graph, classes: int, refit: int | None) -> PeerGame:
    """Begin a game of networkx's harmonic function on a copy of the graph."""
    import networkx as nx

    network = nx.Graph()
    network.add_nodes_from(range(graph.num_nodes))
    ends = zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True)
    network.add_weighted_edges_from((u, v, weight) for (u, v), weight in ends)

    def fit(nodes: Ints, codes: Ints) -> NDArray[Any]:
        for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
            network.nodes[node]["label"] = code
        return np.array(nx.node_classification.harmonic_function(network))

    return Refitted(graph, classes, refit, fit)


def _graph_learning(kind: str) -> Callable[[Graph, int, int | None], PeerGame]:
    """What begins games of a class of ``graphlearning.ssl``, by its name."""

    def begin(graph: Graph, classes: int, refit: int | None) -> PeerGame:
        import graphlearning
        import scipy.sparse as sp

        adjacency = sp.csr_matrix(graph.adjacency)

        def fit(nodes: Ints, codes: Ints) -> NDArray[Any]:
            labelled = np.isin(
                graph.components, graph.components[nodes]
            )  # its systems are singular elsewhere
            kept = np.flatnonzero(labelled)
            model = getattr(graphlearning.ssl, kind)(adjacency[kept][:, kept])
            found = np.full(graph.num_nodes, -1)
            found[kept] = model.fit_predict(np.searchsorted(kept, nodes), codes)
            return found

        return Refitted(graph, classes, refit, fit)

    return begin


def _river(graph: Graph, classes: int, refit: int | None) -> PeerGame:  # noqa: ARG001 - it never refits
    return _River(graph)


for _peer in (
    Peer(
        "sknetwork-diffusion",
        "scikit-network",
        "sknetwork",
        "heat diffusion from the labels (DiffusionClassifier)",
        _scikit_network("DiffusionClassifier"),
    ),
    Peer(
        "sknetwork-pagerank",
        "scikit-network",
        "sknetwork",
        "personalised PageRank per class (PageRankClassifier)",
        _scikit_network("PageRankClassifier"),
    ),
    Peer(
        "sklearn-spreading",
        "scikit-learn",
        "sklearn",
        "label spreading on the graph (LabelSpreading)",
        _label_spreading,
    ),
    Peer("networkx-harmonic", "networkx", "networkx", "harmonic_function, 30 iterations", _harmonic),
    Peer(
        "graphlearning-laplace",
        "graphlearning",
        "graphlearning",
        "Laplace learning (ssl.laplace)",
        _graph_learning("laplace"),
    ),
    Peer(
        "graphlearning-poisson",
        "graphlearning",
        "graphlearning",
        "Poisson learning (ssl.poisson)",
        _graph_learning("poisson"),
    ),
    Peer(
        "river-softmax",
        "river",
        "river",
        "softmax regression on 100 coordinates of the spectral embedding, label by label",
        _river,
    ),
):
    PEERS.add(_peer.name)(_peer)

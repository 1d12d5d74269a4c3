"""A scikit-learn classifier that plays the game.

``fit`` plays over the rows: the learner predicts one, asks, and learns from the answer in ``y``, several
times over if that is wanted, while ``partial_fit`` is the online game itself. ``predict`` reads the margins
at the end. The game is played on a graph the caller gives, whose node names are then ``X``, or on the
k-nearest-neighbour graph of the rows of a feature matrix ``X``.

A vector x that was not fitted has no node. Its margin in each binary problem is the mean of the margins
f of its k nearest fitted points x_i, weighted by inverse distance,

    f(x) = Σ_i w_i f(x_i) / Σ_i w_i,    w_i = 1 / ‖x − x_i‖,

and where x equals fitted points, the mean of theirs alone (Shepard 1968): a fitted row gets the very
margin of its node. Probabilities of a learner that has its own, as `auto` has, are spread likewise; those of
the others are the logistic function of the margins, normalised over the classes: ordered as the margins are,
not calibrated.

Above 300 lines: one class with the methods that scikit-learn expects, and docstrings that name all
parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking import names_policies
from zerokelvin.asking.class_chances import class_scores
from zerokelvin.asking.class_prior import prior_margins
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games.labels import class_array, class_order, decide
from zerokelvin.graph import Graph, with_attributes
from zerokelvin.graph.features import Features
from zerokelvin.learners import Learner, Policy
from zerokelvin.session import Session
from zerokelvin.session.opening import start_played
from zerokelvin.session.predicting import shares_of
from zerokelvin.sklearn.feature_points import fitted_rows, nearest_points, neighbor_graph
from zerokelvin.sklearn.inputs import (
    given_graph,
    is_unlabelled,
    label_list,
    node_indices,
    positive,
    require_classes,
    seed_of,
)
from zerokelvin.sklearn.sparse_points import METRICS, affinity_graph, canonical, unit_rows, unit_sums

__all__ = ["GraphClassifier"]

Trial = tuple[int, Hashable]  # node index, label


@names_policies
class GraphClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Online prediction of node labels as a scikit-learn classifier.

    Parameters
    ----------
    learner, params
        A registered name with a dict of its parameters, or a learner object.
    graph
        The graph whose node names ``X`` holds (one-dimensional, or one column). None: ``X`` is a feature
        matrix, and the graph joins every row to its `n_neighbors` nearest rows.
    attributes
        What is known of every node of `graph` beside its edges, as in `zerokelvin.start`.
    n_neighbors
        Neighbours per row, both in that graph and for the margin of a vector not fitted; with fewer rows,
        all of them. Not used where `graph` is given.
    metric
        By what rows are near each other: ``"euclidean"``, or ``"cosine"``, the angle between them, for word
        counts and embeddings. ``"precomputed"``: ``X`` is the square matrix of a graph's weights, dense or
        sparse, and a row that was not fitted holds its weights to the fitted nodes.
    policy, budget
        When to ask ({policies}) and how often at most. As in the game, a label in ``y`` that is not asked for
        is not used.
    repeats, shuffle
        How often `fit` plays the rows, and whether in a random order or as they come. Once is right for
        learners that use every answer, such as `auto`; one that changes only on mistakes, such as
        `perceptron`, needs several passes, say 10, before its last state is a good classifier. With
        ``repeats=1, shuffle=False`` `fit` is the online game. `partial_fit` always plays the rows once and
        as they come.
    random_state
        Decides the shuffle and every coin. An integer is the `seed` of `zerokelvin.play`, which gives the
        same game; None draws one from numpy's global state.

    Attributes
    ----------
    classes_
        The classes, sorted. With two, the first is −1 inside and the second +1.
    session_, graph_
        The session that was played, with its explanations and its bound, and its graph. Row i of a
        feature matrix is node i.
    transduction_
        The label of every node, as in ``sklearn.semi_supervised``: the answer that was learnt, else the
        prediction. Row i of a feature matrix is node i.
    mistakes_, queries_
        Rows whose label was predicted wrong before it was learned, and rows whose label was asked for.
    n_features_in_, feature_names_in_
        Of a feature matrix, as everywhere in scikit-learn.

    Notes
    -----
    A label −1 means unlabelled, as in ``sklearn.semi_supervised``, and so does one that is None, NaN, NA or
    masked: its row joins the graph but is not played. Two classes coded −1 and +1 are therefore refused; code
    them 0 and 1, or by names (text "-1" is a name).

    A pickle holds the graph and the answers and replays them when it is loaded.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = GraphClassifier(n_neighbors=2).fit(X, ["low", None, "low", "high", "high", None])
    >>> model.predict([[0.05], [5.3]]).tolist()
    ['low', 'high']
    >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
    >>> model = GraphClassifier(graph=graph).fit(["ann", "dan"], ["fraud", "ok"])
    >>> model.predict(["bob", "cem"]).tolist()
    ['fraud', 'ok']
    """

    _points: Any  # the feature matrix so far, dense or sparse; None on a given graph
    _trials: list[Trial]  # every answer offered so far, in the order played
    _named: tuple[Hashable, ...]  # classes announced to partial_fit

    def __init__(
        self,
        learner: str | Learner = "auto",
        *,
        graph: Graph | Features | None = None,
        attributes: Any = None,
        n_neighbors: int = 10,
        metric: str = "euclidean",
        params: Mapping[str, Any] | None = None,
        policy: Policy | str | None = None,
        budget: int | None = None,
        repeats: int = 1,
        shuffle: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.learner = learner
        self.graph = graph
        self.attributes = attributes
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.params = params
        self.policy = policy
        self.budget = budget
        self.repeats = repeats
        self.shuffle = shuffle
        self.random_state = random_state

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Play the game over the rows, `repeats` times in the same order, from a fresh start."""
        return self._play(X, y, (), first=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Play further rows, in the order they come.

        Any number of calls equals one `fit` with ``repeats=1, shuffle=False`` on all their rows. On a
        given graph the session goes on; a feature matrix gives a new graph over all rows so far, on which
        every answer is replayed. `classes` names classes still to come; one that nobody named may come
        too, and is learned as if it had been known from the start.
        """
        named = () if classes is None else np.asarray(classes).tolist()
        if any(is_unlabelled(label) for label in named):
            raise LabelError(
                "class -1 means unlabelled here, as in sklearn.semi_supervised; give the class another name."
            )
        return self._play(X, y, named, first=not hasattr(self, "session_"), online=True)

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class of every row of a feature matrix, or of every node named."""
        margins = self._margins(X)
        return self.classes_[decide(margins, len(self.classes_))]

    def decision_function(self, X: Any) -> Floats:
        """The margins: of two classes one number per row, positive for ``classes_[1]``; else one per class.

        A tie of two classes, margin 0, goes to ``classes_[1]`` and is shown as the least normal number; of
        several classes that are tied but for rounding, the one predicted has the largest margin.
        A node whose component has no label yet is predicted by the class shares so far, and those stand
        in for its margins (of two classes their difference, a tie counting for the first). A single
        class has nothing to decide and 0 everywhere.
        """
        margins = self._margins(X)
        if len(self.classes_) > 2:
            shown = margins.copy()
            shown[np.arange(len(shown)), decide(margins, len(self.classes_))] = margins.max(axis=1)
            return shown
        if len(self.classes_) < 2:
            return np.zeros(len(margins))
        return np.where(margins[:, 0] == 0, np.finfo(np.float64).tiny, margins[:, 0])

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities in the order of ``classes_``, the predicted class always the largest.

        Classes ahead of it share their sum with it, and where another is as probable, the predicted one is
        raised by one unit in the last place.
        """
        margins = self._margins(X)
        count = len(self.classes_)
        if self.session_.learner.calibrated:
            odds = self._spread(X, _node_chances)
        else:
            odds = np.asarray(softmax(log_expit(class_scores(margins)[:, :count]), axis=1))
        rows, codes = np.arange(len(odds)), decide(margins, count)
        ahead = odds >= odds[rows, codes][:, None]
        shared = (odds * ahead).sum(axis=1) / ahead.sum(axis=1)
        odds = np.where(ahead, shared[:, None], odds)
        tied = ahead.sum(axis=1) > 1
        odds[rows[tied], codes[tied]] = np.nextafter(shared[tied], 2.0)
        return odds

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on the rows whose label is known; rows marked −1, None or NaN are left out."""
        labels = label_list(y)
        predicted = self.predict(X).tolist()
        weights = (
            np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        )
        check_consistent_length(predicted, labels, weights)
        known = [i for i, label in enumerate(labels) if label is not None]
        if not known:
            raise LabelError("no row has a label; give at least one to score.")
        right = [predicted[i] == labels[i] for i in known]
        return float(np.average(right, weights=weights[known]))

    @property
    def mistakes_(self) -> int:
        """Rows whose label was predicted wrong before it was learned."""
        return self.session_.mistakes

    @property
    def transduction_(self) -> NDArray[Any]:
        """The label of every node: its answer, else the prediction."""
        check_is_fitted(self, "session_")
        return class_array(self.session_.node_columns()["label"])

    @property
    def queries_(self) -> int:
        """Rows whose label was asked for."""
        return self.session_.queries

    # -- plumbing ---------------------------------------------------------------------------------

    def _play(self, X: Any, y: Any, named: Sequence[Hashable], *, first: bool, online: bool = False) -> Self:
        """Play the labelled rows, after all rows so far unless it is the `first` time.

        On a given graph with no new class the session goes on; else a new one plays from the start.
        `online` keeps to the order of the rows and plays them once.
        """
        points, nodes = self._located(X, first)
        labels = label_list(y)
        check_consistent_length(nodes, labels)
        seed = seed_of(self.random_state) if first else self.session_.seed
        known = np.array([i for i, label in enumerate(labels) if label is not None], dtype=np.int64)
        order = np.random.default_rng(seed).permutation(known) if self.shuffle and not online else known
        order = np.tile(order, 1 if online else positive("repeats", self.repeats))
        new: list[Trial] = [(int(nodes[i]), labels[i]) for i in order]
        trials = new if first else [*self._trials, *new]
        announced = class_order(named if first else [*self._named, *named])
        classes = class_order([*announced, *(label for _, label in trials)])
        if not classes:
            raise LabelError("no row has a label; give at least one.")
        require_classes(y, classes, more=online)
        if points is not None:
            if self.attributes is not None:
                raise ParameterError(
                    "attributes are those of the nodes of a graph, and X holds features already; "
                    "give graph= too, or leave attributes out."
                )
            self._restart(self._graph_of(points), classes, trials, seed)
        elif first or classes != self.session_.classes:
            whole = with_attributes(given_graph(self.graph), self.attributes) if first else self.graph_
            self._restart(whole, classes, trials, seed)
        else:
            _answer(self.session_, new)
        self._points, self._trials, self._named = points, trials, announced
        return self

    def _graph_of(self, points: Any) -> Graph:
        """The graph of a feature matrix, or the one that it holds."""
        if self.metric == "precomputed":
            return affinity_graph(points)
        return neighbor_graph(points, positive("n_neighbors", self.n_neighbors))

    def _validated(self, X: Any, reset: bool) -> Any:
        """A feature matrix as it is kept: rows of length 1 for the cosine."""
        if self.metric not in METRICS:
            raise ParameterError(f"metric={self.metric!r} is unknown; choose one of {', '.join(METRICS)}.")
        points = canonical(validate_data(self, X, reset=reset, dtype=np.float64, accept_sparse="csr"))
        return unit_rows(points) if self.metric == "cosine" else points

    def _located(self, X: Any, first: bool) -> tuple[Any, Ints]:
        """All points so far (None on a given graph) and the nodes of the new rows."""
        if self.graph is not None if first else self._points is None:
            return None, node_indices(given_graph(self.graph) if first else self.graph_, X)
        points = self._validated(X, reset=first)
        count = points.shape[0]
        if first or self._points is None:
            return points, np.arange(count)
        if self.metric == "precomputed":
            raise ParameterError(
                "a precomputed graph cannot grow by rows; give graph= to partial_fit instead."
            )
        before = self._points.shape[0]
        if sp.issparse(points) or sp.issparse(self._points):
            both = canonical(sp.vstack([sp.csr_array(self._points), sp.csr_array(points)]))
        else:
            both = np.vstack([self._points, points])
        return both, np.arange(before, before + count)

    def _restart(
        self, graph: Graph | Features, classes: Sequence[Hashable], trials: list[Trial], seed: int
    ) -> None:
        """Play all trials in a new session, and keep it if they all went well."""
        session = start_played(
            trials,
            graph,
            self.learner,
            classes=classes,
            seed=seed,
            policy=self.policy,
            budget=self.budget,
            **(self.params or {}),
        )
        self.session_, self.graph_, self.classes_ = session, graph, class_array(classes)

    def _margins(self, X: Any) -> Floats:
        """The margin of every row in every binary problem."""
        return self._spread(X, _node_margins)

    def _spread(self, X: Any, read: Callable[[Session, Ints], Floats]) -> Floats:
        """What `read` says about the nodes of the rows, or of their nearest fitted rows."""
        check_is_fitted(self, "session_")
        if self._points is None:
            return read(self.session_, node_indices(self.graph_, X))
        points = self._validated(X, reset=False)
        if sp.issparse(self._points) != sp.issparse(points):
            points = canonical(sp.csr_array(points)) if sp.issparse(self._points) else points.toarray()
        if (
            self.metric == "precomputed"
            and points.shape == self._points.shape
            and not (points != self._points).sum()
        ):
            return read(self.session_, np.arange(points.shape[0]))
        twins, own = fitted_rows(self._points, points)
        if own.all():  # all of them fitted, each once: no search
            return read(self.session_, twins)
        if self.metric == "precomputed":
            weights = unit_sums(points)
            spread = np.asarray(weights @ read(self.session_, np.arange(self._points.shape[0])))
            spread[own] = read(self.session_, twins[own])
            return spread
        near, weights = nearest_points(self._points, points[~own], self.n_neighbors)
        nodes, position = np.unique(np.concatenate([near.ravel(), twins[own]]), return_inverse=True)
        values = read(self.session_, nodes)
        spread = np.empty((points.shape[0], values.shape[1]))
        spread[own] = values[position[near.size :]]
        spread[~own] = (weights[:, :, None] * values[position[: near.size].reshape(near.shape)]).sum(axis=1)
        return spread

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        session = state.pop("session_", None)
        return state if session is None else {**state, "_seed": session.seed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        seed = state.pop("_seed", None)
        super().__setstate__(state)
        if seed is not None:
            self._restart(self.graph_, self.classes_.tolist(), self._trials, seed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.graph is not None:
            tags.no_validation = True
            tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _answer(session: Session, trials: Sequence[Trial]) -> None:
    """Predict each node, and give the answer if it is asked for."""
    for node, label in trials:
        name = session.graph.name(node)
        if session.predict(name).ask:
            session.learn(name, label)
        else:
            session.skip(name)


def _node_chances(session: Session, nodes: Ints) -> Floats:
    """The learner's own probabilities at node indices: an array of shape (nodes, classes)."""
    return shares_of(session.standing, nodes)


def _node_margins(session: Session, nodes: Ints) -> Floats:
    """Margins of shape (nodes, problems); class shares where the component of a node has no label yet."""
    margins = np.array(session.standing.game.scores(nodes))
    answers = [event for event in session.events if event.label is not None]
    component = session.graph.label_components
    unseen = ~np.isin(component[nodes], component[[event.node for event in answers]])
    if answers and unseen.any():
        found = Counter(event.label for event in answers)
        margins[unseen] = prior_margins(np.array([found[label] for label in session.classes]))
    return margins

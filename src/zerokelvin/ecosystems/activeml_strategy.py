"""A query strategy of scikit-activeml: the samples in the order in which a session would ask for them.

The samples become nodes (of a given graph, or of the k-nearest-neighbour graph of their features), the labels
known so far are taught to a session, and `Session.open_questions` says what to ask next. The utility of a
sample is 1 for the most urgent and falls by equal steps; it is 0 where the policy does not ask.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from skactiveml.base import SingleAnnotatorPoolQueryStrategy
from skactiveml.utils import MISSING_LABEL, is_labeled, simple_batch

from zerokelvin.array_types import Floats
from zerokelvin.asking import names_policies
from zerokelvin.errors import ParameterError
from zerokelvin.graph import as_graph
from zerokelvin.session import start
from zerokelvin.sklearn.feature_points import neighbor_graph

__all__ = ["GraphQuery"]


@names_policies
class GraphQuery(SingleAnnotatorPoolQueryStrategy):  # type: ignore[misc]
    """Ask for the samples that a session on their graph wants most.

    Parameters
    ----------
    learner, params
        A registered name with a dict of its parameters, or a learner object.
    graph
        The graph whose node i is sample i. None: every sample is joined to its `n_neighbors` nearest.
    n_neighbors
        Neighbours per sample, where no graph is given.
    policy
        What is urgent: {policies}.
    classes
        The classes, where they are known before each has a label.
    missing_label, random_state
        As everywhere in scikit-activeml. An integer is also the seed of the session.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([0, np.nan, np.nan, np.nan, 1])
    >>> GraphQuery("gaussian", n_neighbors=2).query(X, y).tolist()
    [2]
    """

    def __init__(
        self,
        learner: Any = "auto",
        *,
        graph: Any = None,
        n_neighbors: int = 10,
        policy: Any = None,
        params: Mapping[str, Any] | None = None,
        classes: Sequence[Hashable] | None = None,
        missing_label: Any = MISSING_LABEL,
        random_state: Any = None,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.learner = learner
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.policy = policy
        self.params = params
        self.classes = classes

    def query(
        self,
        X: Any,
        y: Any,
        candidates: Any = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Any:
        """Places of the samples to ask for, of shape (batch_size,), and on request their utilities.

        Parameters
        ----------
        X, y
            Features of shape (samples, features) and labels, `missing_label` where unknown.
        candidates
            Places of the samples that may be asked for; all without a label by default. Samples that are not
            in `X` have no node and are refused.
        batch_size, return_utilities
            How many to choose; whether to give the utilities, of shape (batch_size, samples), too.
        """
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        _, mapping = self._transform_candidates(candidates, X, y, enforce_mapping=True)
        utilities = np.full(len(X), np.nan)
        utilities[mapping] = self._urgencies(X, y)[mapping]
        return simple_batch(
            utilities, self.random_state_, batch_size=batch_size, return_utilities=return_utilities
        )

    def _urgencies(self, X: Any, y: Any) -> Floats:
        """The utility of every sample; 0 for those that have a label."""
        if self.graph is None:
            graph = neighbor_graph(np.asarray(X, dtype=np.float64), self.n_neighbors)
        else:
            graph = as_graph(self.graph)
            if graph.num_nodes != len(X):
                raise ParameterError(
                    f"the graph has {graph.num_nodes} nodes for {len(X)} samples; sample i must be node i."
                )
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else 0
        session = start(
            graph,
            self.learner,
            classes=self.classes,
            open_classes=self.classes is not None,
            seed=int(seed),
            policy=self.policy,
            **(self.params or {}),
        )
        known = np.flatnonzero(is_labeled(y, missing_label=self.missing_label_))
        session.teach(
            [(graph.name(i), y[i].item() if hasattr(y[i], "item") else y[i]) for i in known.tolist()]
        )
        asked = [graph.index(node) for node in session.open_questions()]
        utilities = np.zeros(len(X))
        utilities[asked] = 1.0 - np.arange(len(asked)) / max(1, len(asked))
        return utilities

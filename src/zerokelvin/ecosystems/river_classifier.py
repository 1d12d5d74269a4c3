"""A river classifier: every example names a node of a graph, and the session learns from them as they come.

An example is a dict with the node under one key; the other keys are left to the rest of a pipeline.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from river import base

from zerokelvin.errors import NodeError
from zerokelvin.session import Session, start

__all__ = ["NodeClassifier"]


class NodeClassifier(base.Classifier):
    """Online prediction of node labels as a classifier of river.

    Parameters
    ----------
    graph
        The graph, or what `zerokelvin.start` takes for one.
    learner, params
        A registered name with a dict of its parameters, or a learner object.
    node
        The key of the node's name in an example.
    classes
        The classes, where they are known; else they are found as labels come.
    seed
        Decides every coin.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> model = NodeClassifier(Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")]))
    >>> model.learn_one({"node": "ann"}, "fraud")
    >>> model.learn_one({"node": "dan"}, "ok")
    >>> model.predict_one({"node": "bob"}), model.session.mistakes
    ('fraud', 2)
    """

    def __init__(
        self,
        graph: Any,
        learner: Any = "auto",
        *,
        node: str = "node",
        classes: Sequence[Hashable] | None = None,
        seed: int = 0,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self.graph = graph
        self.learner = learner
        self.node = node
        self.classes = classes
        self.seed = seed
        self.params = params
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session that plays, begun when first used; with its explanations, questions and bound."""
        if self._session is None:
            self._session = start(
                self.graph, self.learner, classes=self.classes, seed=self.seed, **(self.params or {})
            )
        return self._session

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Hashable, Any], y: Any) -> None:
        """Learn the label of the node that the example names."""
        self.session.learn(self._named(x), y)

    def predict_one(self, x: dict[Hashable, Any], **kwargs: Any) -> Any:
        """The predicted label; None while no class is known."""
        return self.session.predict_one(self._named(x))

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of every class; nothing while no class is known."""
        return self.session.predict_proba_one(self._named(x))

    def _named(self, x: Mapping[Hashable, Any]) -> Hashable:
        if not isinstance(x, Mapping):
            raise NodeError(f"an example is a dict that names a node, {{{self.node!r}: {x!r}}}, not {x!r}.")
        if self.node not in x:
            raise NodeError(
                f"the example has no '{self.node}' but {', '.join(map(str, x)) or 'nothing'}; "
                "name the key of the node with node=."
            )
        return x[self.node]

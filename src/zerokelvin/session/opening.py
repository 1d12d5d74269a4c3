"""Beginning a session, and going on with one that was saved."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.asking import names_policies
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games.class_names import class_name
from zerokelvin.games.counts import require_whole
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Graph, as_graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import Learner, Policy, parse_policy
from zerokelvin.session import saving
from zerokelvin.session.session import Session
from zerokelvin.session.standing import Standing, Terms

__all__ = ["load", "start"]


@names_policies
def start(
    graph: Graph | Features,
    learner: str | Learner = "auto",
    *,
    classes: Sequence[Hashable] | None = None,
    open_classes: bool = False,
    seed: int = 0,
    policy: Policy | str | None = None,
    budget: int | None = None,
    forget: int | None = None,
    **params: Any,
) -> Session:
    """Begin a session on a graph.

    Parameters
    ----------
    graph
        The graph, or what `zerokelvin.graph.as_graph` makes one of: a networkx or igraph graph, a sparse
        matrix, a frame or a list of edges. Its node names are what `predict` and `learn` take.
    learner, params
        A registered name with its parameters, or a learner object.
    classes
        The classes in order: text, numbers or tuples of those. There are no others then, so that a slip of
        the pen is refused. Without them they are found as answers come, and kept sorted.
    open_classes
        Whether answers may bring classes beside those given; a class never seen before may then come at any
        time, and is learnt as if it had been known from the start.
    seed
        Decides every coin.
    policy, budget
        When to ask ({policies}) and how often at most.
    forget
        Predict from the latest answers only, at least this many and below twice as many, for labels that
        change over time; see `zerokelvin.learners.wrappers.forgetting`.

    Examples
    --------
    >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
    >>> session = start(graph, "perceptron", classes=["fraud", "ok"])
    >>> session.learn("ann", "fraud")
    >>> session.learn("dan", "ok")
    >>> session.predict("bob").label, session.mistakes
    ('fraud', 2)
    >>> session.learn("cem", "Fraud")
    Traceback (most recent call last):
    zerokelvin.errors.LabelError: label 'Fraud' for node 'cem' is not among the classes ('fraud', 'ok'); \
give 'fraud', or start with open_classes=True if it is a class of its own.
    """
    domain = as_graph(graph)
    limit = None if budget is None else require_whole("budget", budget)
    number = require_whole("seed", seed)
    asking = parse_policy(policy)
    chosen = wrapped(learners.make(learner, **params), asking, forget)
    terms = Terms(chosen, asking, number, _given(classes), _truth("open_classes", open_classes))
    if terms.closed and not terms.given:
        raise LabelError("classes=[] names no class; leave classes= out to find them as answers come.")
    found = terms.classes_with([])
    chosen.check_domain(domain)
    return Session(Standing(terms, domain, found, limit))


def load(path: str | os.PathLike[str], graph: Graph | Features) -> Session:
    """Continue a saved session on the same graph; one whose graph has grown, on the grown graph."""
    return Session(saving.read(path, as_graph(graph)))


def _given(classes: Sequence[Hashable] | None) -> tuple[Hashable, ...] | None:
    if classes is None:
        return None
    given = tuple(class_name(label) for label in classes)
    if len(set(given)) != len(given):
        raise LabelError(f"classes {list(given)!r} hold a class twice.")
    return given


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name}={value!r} must be True or False.")
    return bool(value)

"""Beginning a session, also with a whole game, and going on with one that was saved.

With many labels in hand, of which the learner asks for those it wants (`start_played`), it plays them as
`zerokelvin.games.play` has it play, compiled where it can, and the session is then where predicting, learning
or skipping node by node would have brought it.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.asking import names_policies
from zerokelvin.asking.class_prior import follow_prior
from zerokelvin.asking.costs import priced_policy
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games.class_names import class_name, refuse_stranger
from zerokelvin.games.counts import require_whole
from zerokelvin.games.game import make_trials
from zerokelvin.games.labels import decide, to_signs
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Graph, as_graph, with_attributes
from zerokelvin.graph.features import Features
from zerokelvin.learners import Learner, Policy, parse_policy
from zerokelvin.session import saving
from zerokelvin.session.prediction import LEARN, SKIP, Event, Outcome
from zerokelvin.session.session import Session
from zerokelvin.session.standing import Standing, Terms

__all__ = ["load", "start", "start_played"]


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
    costs: Any = None,
    forget: int | None = None,
    obsp: str | None = None,
    attributes: Any = None,
    **params: Any,
) -> Session:
    """Begin a session on a graph.

    Parameters
    ----------
    graph
        The graph, or what `zerokelvin.graph.as_graph` makes one of: a networkx or igraph graph, a sparse
        matrix, a frame or a list of edges, an AnnData object. Its node names are what `predict` and `learn`
        take.
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
    costs
        What mistakes and questions cost, ``{"miss": 20, "alarm": 1, "ask": 0.5}``: they decide what is
        predicted and when to ask, in the place of a policy (`zerokelvin.asking.costs`). The class that may be
        missed is the rarest, or named as ``"class"``.
    forget
        Predict from the latest answers only, at least this many and below twice as many, for labels that
        change over time; see `zerokelvin.learners.wrappers.forgetting`.
    obsp
        Of an AnnData object, the graph's name in ``obsp``; ``"connectivities"`` by default.
    attributes
        What is known of every node beside its edges: an array, a sparse matrix or a frame with a row for
        each, as in `Graph.with_attributes`. `auto` predicts from them too.

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
    domain = with_attributes(as_graph(graph, obsp), attributes)
    limit = None if budget is None else require_whole("budget", budget)
    number = require_whole("seed", seed)
    asking = parse_policy(priced_policy(policy, costs))
    chosen = wrapped(learners.make(learner, **params), asking, forget)
    terms = Terms(chosen, asking, number, _given(classes), _truth("open_classes", open_classes))
    if terms.closed and not terms.given:
        raise LabelError("classes=[] names no class; leave classes= out to find them as answers come.")
    found = terms.classes_with([])
    chosen.check_domain(domain)
    standing = Standing(terms, domain, found, limit)
    standing.game.make_ready()
    return Session(standing)


def load(path: str | os.PathLike[str], graph: Graph | Features, *, attributes: Any = None) -> Session:
    """Continue a saved session on the same graph; one whose graph has grown, on the grown graph.

    `attributes` are those of all its nodes, where the session began with some and the graph does not carry
    them already.
    """
    return Session(saving.read(path, as_graph(graph), attributes))


def start_played(trials: Sequence[tuple[int, Hashable]], *terms: Any, **named: Any) -> Session:
    """A session, opened by `start` with the other arguments, over pairs of node index and label.

    Each is predicted in turn; its label is learnt where it is asked for, else the node is skipped. The labels
    must be among the classes of the session.

    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem")])
    >>> session = start_played([(0, "ok"), (2, "ok")], line, "longest-path", classes=["fraud", "ok"])
    >>> session.predict("bob").label, session.trials, session.queries
    ('ok', 2, 2)
    """
    session = start(*terms, **named)
    for node, label in trials:
        refuse_stranger(label, session.classes, session.graph.name(node))
    if trials:
        nodes, labels = zip(*trials, strict=True)
        _play(session.standing, np.array(nodes, dtype=np.int64), labels)
    return session


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


def _play(standing: Standing, nodes: Any, labels: Sequence[Hashable]) -> None:
    """Play a standing that has just begun; if interrupted, it is no longer intact."""
    graph, terms, count = standing.graph, standing.terms, len(standing.classes)
    codes = np.array([standing.codes[label] for label in labels], dtype=np.int64)
    trials = make_trials(
        graph, nodes, to_signs(codes, count), terms.policy, terms.seed, budget=standing.budget
    )
    standing.intact = False
    trace = standing.game.play(trials)
    by_margin = decide(trace.margins, count)
    predicted = by_margin.copy()
    asked = np.asarray(trace.asked.any(axis=1), dtype=np.bool_)
    if not standing.game.decides_alone:
        follow_prior(nodes, codes, asked, 0, graph.label_components, count, predicted)
    events, outcomes = [], []
    for t, (node, label) in enumerate(zip(nodes.tolist(), labels, strict=True)):
        asks = trace.asked[t]
        if not asks.any():
            events.append(Event(SKIP, node, None))
            outcomes.append(Outcome())
            continue
        events.append(Event(LEARN, node, label))
        overruled = bool(predicted[t] != by_margin[t])
        found = Outcome(standing.classes[predicted[t]], True, overruled, standing.left_out(asks))
        outcomes.append(found)
    standing.note(events, outcomes)
    standing.intact = True

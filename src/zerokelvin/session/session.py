"""The session: nodes and classes by name, predict, ask, learn, correct, grow, save.

A session's state is a pure function of (graph, learner, parameters, seed, ordered events), where an
event is an answer or a skip. Predicting changes nothing. Correcting an answer replays the events
with the right answer in its place, so the session equals one that had been given it from the start.
The graph may grow meanwhile; see `zerokelvin.session.growing`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.certify import Bound
from zerokelvin.errors import LabelError, SessionError
from zerokelvin.graph import Graph, as_graph
from zerokelvin.learners import Learner, Policy, parse_policy
from zerokelvin.learners.asking import coins, confidence, worth_asking
from zerokelvin.learners.forgetting import forgetful
from zerokelvin.learners.guided import guided
from zerokelvin.session import saving
from zerokelvin.session.bounds import game_bound
from zerokelvin.session.counts import require_whole
from zerokelvin.session.growing import extend
from zerokelvin.session.labels import (
    class_array,
    class_order,
    decide,
    encode_labels,
    is_unknown,
    num_problems,
    to_signs,
)
from zerokelvin.session.prediction import (
    LEARN,
    SKIP,
    Contribution,
    Event,
    Explanation,
    Outcome,
    Prediction,
)
from zerokelvin.session.questions import open_questions

__all__ = ["Session", "load", "start"]


class Session:
    """Predicts labels by node name, asks, learns and explains; made by `start` or `load`."""

    def __init__(
        self,
        graph: Graph,
        learner: Learner,
        classes: Sequence[Hashable] | None,
        seed: int,
        policy: Policy,
        budget: int | None,
    ) -> None:
        self.graph = graph
        self.learner = learner
        self.seed = seed
        self.policy = policy
        self.budget = budget
        self.events: list[Event] = []
        self._outcomes: list[Outcome] = []
        self._settled = 0  # events before the last growth: what they found is kept
        self._retold = False  # whether the learner saw those again on a larger graph
        if classes is not None and len(set(classes)) != len(classes):
            raise LabelError(f"classes {list(classes)!r} hold a class twice.")
        self._given = None if classes is None else tuple(classes)
        self.classes = self._classes_with([])
        learner.check_domain(graph)
        self._prepared = learner.prepare(graph)
        self._reset()

    # -- the game ---------------------------------------------------------------------------------

    @property
    def trials(self) -> int:
        """Answers and skips so far."""
        return len(self.events)

    def predict(self, node: Hashable) -> Prediction:
        """Predict the label of a node; changes nothing."""
        index = self.graph.index(node)
        if not self.classes:
            reason = "No label and no class is known yet: please give the first answer."
            return Prediction(node, None, 0.0, {}, 0.0, True, reason)
        margins = self._problems.margins(index)
        code, by_prior = self._decide(index, margins)
        ask, reason = self._judge(index, margins, by_prior)
        scores = self._scores(margins)
        margin = float(margins[0]) if len(margins) == 1 else scores[self.classes[code]]
        return Prediction(node, self.classes[code], margin, scores, confidence(margins), ask, reason)

    def learn(self, node: Hashable, label: Hashable) -> None:
        """Take an answer, asked for or not. An answer for the same node again is another trial."""
        index = self.graph.index(node)
        label = _value(label)
        if is_unknown(label):
            raise LabelError(f"label {label!r} for node {node!r} means unknown; call skip({node!r}) instead.")
        _require_hashable(label)
        event = Event(LEARN, index, label)
        if label not in self.classes:
            self.classes = self._classes_with([*self.events, event])
            self._replay(self.events, self._outcomes[: self._settled])
        self._apply(event)

    def skip(self, node: Hashable) -> None:
        """Pass over a node without an answer; counts as a trial."""
        self._apply(Event(SKIP, self.graph.index(node), None))

    def correct(self, node: Hashable, label: Hashable | None) -> None:
        """Replace the last answer for a node, or take it back with None; later answers are replayed."""
        index = self.graph.index(node)
        label = _value(label)
        at = next(
            (i for i in range(len(self.events) - 1, -1, -1) if self.events[i][:2] == (LEARN, index)), None
        )
        if at is None:
            raise SessionError(f"node {node!r} has no answer to correct; call learn({node!r}, label).")
        _require_hashable(label)
        replacement = [] if is_unknown(label) else [Event(LEARN, index, label)]
        events = [*self.events[:at], *replacement, *self.events[at + 1 :]]
        kept = self._outcomes[: self._settled]
        if at < self._settled and not replacement:
            del kept[at]
        self.classes = self._classes_with(events)
        self._replay(events, kept)

    def add_nodes(
        self, nodes: int | Iterable[Hashable], edges: Any = (), weights: Any = None
    ) -> list[Hashable]:
        """Let the graph grow by nodes, and by edges among old and new ones; the names of the new nodes.

        Parameters
        ----------
        nodes
            Their names; on a graph without names, how many (they take the next numbers).
        edges, weights
            As in `add_edges`, where new nodes may be named too.

        Examples
        --------
        >>> session = start(Graph.from_edges([("ann", "bob")]), "longest-path", classes=["fraud", "ok"])
        >>> session.learn("ann", "fraud")
        >>> session.add_nodes(["cem"], edges=[("ann", "cem")])
        ['cem']
        >>> session.predict("cem").label
        'fraud'
        """
        return extend(self, nodes, edges, weights)

    def add_edges(self, edges: Any, weights: Any = None) -> None:
        """Let the graph grow by edges between its nodes; one that is there already adds to its weight.

        Parameters
        ----------
        edges
            Pairs of node names; a node the graph does not have is refused, so that a slip adds none.
        weights
            One number per edge; all 1 by default.
        """
        extend(self, (), edges, weights)

    def predict_all(self) -> NDArray[Any]:
        """The predicted label of every node, in node order."""
        if not self.classes:
            raise SessionError("no class is known yet; learn one label or give classes= to start.")
        codes = decide(self._all_margins(), len(self.classes))
        if self._counts.any():
            codes[~self._labelled[self.graph.components]] = int(np.argmax(self._counts))
        return class_array(self.classes)[codes]

    def open_questions(self, limit: int | None = None) -> list[Hashable]:
        """The nodes worth asking about now, the least sure first; empty when nothing is left to ask."""
        return open_questions(self, limit)

    def variance(self, node: Hashable) -> float:
        """The predictive variance at a node, for learners that know one (`gaussian`, `auto`, `ollgc`, …)."""
        index = self.graph.index(node)
        if not self.learner.has_variance:
            raise SessionError(
                f"learner '{self.learner.name}' knows no variance; choose 'gaussian', 'auto' or 'ollgc'."
            )
        return float(self._problems.variance(index))

    @property
    def remaining_error(self) -> float | None:
        """The estimated share of nodes that go out wrong unasked, for learners with a target (`auto`).

        None before 30 answers. Once the budget is spent, the share of all nodes still to come.
        """
        return self._problems.remaining_error(self.budget is not None and self.queries >= self.budget)

    def explain(self, node: Hashable) -> Explanation:
        """The answers that decided the prediction for a node."""
        prediction = self.predict(node)
        if prediction.label is None:
            return Explanation(node, None, 0.0, (), prediction.reason)
        code = self.classes.index(prediction.label)
        problem = 0 if len(self.classes) <= 2 else code
        side = -1 if len(self.classes) <= 2 and code == 0 else 1
        state, index = self._problems.states[problem], self.graph.index(node)
        last = {event.node: event.label for event in self.events if event.kind == LEARN}
        shares = tuple(
            Contribution(self.graph.name(other), last.get(other), side * share)
            for other, share in state.explain(index)
        )
        path = tuple(map(self.graph.name, state.trail(index)))
        margin, trusted = prediction.scores[prediction.label], self._problems.trusted()
        return Explanation(node, prediction.label, margin, shares, prediction.reason, path, trusted)

    def bound(self, labels: Any) -> Bound:
        """The proven bound on the mistakes so far against a labelling (unknown labels allowed)."""
        if not self.classes:
            raise SessionError("no class is known yet; learn one label or give classes= to start.")
        labelling = encode_labels(self.graph, labels, self.classes)
        grown = any(event.kind == LEARN for event in self.events[: self._settled])
        grown = grown and (self._retold or not self._problems.bound_outlives_growth)
        return game_bound(self.graph, self._problems, labelling, by_prior=self._by_prior > 0, grown=grown)

    # -- names river users expect -----------------------------------------------------------------

    def predict_one(self, node: Hashable) -> Hashable:
        """The predicted label alone."""
        return self.predict(node).label

    def predict_proba_one(self, node: Hashable) -> dict[Hashable, float]:
        """Class probabilities: the learner's own where it has them (`auto`), else a softmax of the scores.

        The predicted class always has the largest: in a component without labels the class shares so far
        take the place of the scores, classes ahead of it share their sum with it, and a tie is tipped by one
        unit in the last place.
        """
        prediction = self.predict(node)
        if prediction.label is None:
            return {}
        if self._without_label(self.graph.index(node)):
            odds = self._counts.astype(np.float64)
        elif (chances := self._problems.chances(self.graph.index(node))) is not None:
            odds = chances[: len(self.classes)]
        else:
            scores = np.array(list(prediction.scores.values()))
            odds = np.exp(scores - scores.max())
        shares = dict(zip(self.classes, (odds / odds.sum()).tolist(), strict=True))
        own = shares[prediction.label]
        ahead = [label for label, share in shares.items() if share >= own]
        mean = sum(shares[label] for label in ahead) / len(ahead)
        shares.update(dict.fromkeys(ahead, mean))
        shares[prediction.label] = math.nextafter(mean, 2.0) if len(ahead) > 1 else mean
        return shares

    def learn_one(self, node: Hashable, label: Hashable) -> None:
        """The same as `learn`."""
        self.learn(node, label)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file that `load` continues from exactly."""
        saving.save(self, path)

    # -- plumbing ---------------------------------------------------------------------------------

    def _reset(self) -> None:
        """Back to before the first event."""
        count = num_problems(len(self.classes))
        self._problems = self.learner.start_problems(self.graph, count, self._prepared, self.seed)
        self.mistakes = 0
        self.queries = 0
        self._by_prior = 0
        self._counts = np.zeros(len(self.classes), dtype=np.int64)
        self._labelled = np.zeros(self.graph.num_components, dtype=np.bool_)

    def _replay(self, events: Sequence[Event], kept: Sequence[Outcome] = ()) -> None:
        """Go through the events anew; the first keep what they found, for that was on a smaller graph."""
        self._reset()
        self.events, self._outcomes = [], []
        self._settled, self._retold = len(kept), len(kept) > 0
        for i, event in enumerate(events):
            self._apply(event, kept[i] if i < len(kept) else None)

    def _apply(self, event: Event, found: Outcome | None = None) -> None:
        """Let one event change the state and the figures."""
        if event.kind == LEARN:
            found = self._outcome(event.node) if found is None else found
            code = self.classes.index(event.label)
            self.queries += found.asked
            self.mistakes += found.predicted != event.label
            self._by_prior += found.overruled
            self._problems.update(event.node, to_signs(np.array([code]), len(self.classes))[0])
            self._counts[code] += 1
            self._labelled[self.graph.components[event.node]] = True
        self._outcomes.append(Outcome() if found is None else found)
        self.events.append(event)

    def _outcome(self, node: int) -> Outcome:
        """What would be predicted for a node now, and whether it would be asked for."""
        margins = self._problems.margins(node)
        code, by_prior = self._decide(node, margins)
        overruled = by_prior and code != int(decide(margins[None, :], len(self.classes))[0])
        return Outcome(self.classes[code], self._wants(node, margins), overruled)

    def _classes_with(self, events: Sequence[Event]) -> tuple[Hashable, ...]:
        """The classes given, then new ones as they appear in the events; none given: all, sorted."""
        found = [event.label for event in events if event.kind == LEARN]
        classes = class_order(found) if self._given is None else tuple(dict.fromkeys([*self._given, *found]))
        if len(classes) > 2 and not self.learner.multiclass:
            raise LabelError(
                f"learner '{self.learner.name}' takes two classes, not {list(classes)!r}; "
                "choose another learner or another label."
            )
        return classes

    def _decide(self, node: int, margins: NDArray[np.float64]) -> tuple[int, bool]:
        """Class code, and whether it is the class prior's because the component has no label yet."""
        if self._without_label(node):
            return int(np.argmax(self._counts)), True
        return int(decide(margins[None, :], len(self.classes))[0]), False

    def _without_label(self, node: int) -> bool:
        """Whether labels are known, but none in the node's component."""
        return bool(self._counts.any() and not self._labelled[self.graph.components[node]])

    def _wants(self, node: int, margins: NDArray[np.float64]) -> bool:
        if self.queries >= (sys.maxsize if self.budget is None else self.budget):
            return False
        if not self._counts.any():
            return True
        number = np.array([self.trials])
        limit, gain, floor = (
            float(rule[0])
            for rule in (
                self.policy.limits(coins(self.seed, number)),
                self.policy.gains(number),
                self.policy.floors(number),
            )
        )
        spread = self._problems.variance(node) if self.policy.needs_variance else 0.0
        if self.policy.needs_value:
            spread = self._problems.value(node, self._waiting())
        return worth_asking(confidence(margins), spread, limit, gain, floor) and bool(
            self._problems.asks(node, self.trials).any()
        )

    def _waiting(self) -> NDArray[np.bool_]:
        """Which nodes have neither been answered nor skipped."""
        waiting = np.ones(self.graph.num_nodes, dtype=np.bool_)
        waiting[[event.node for event in self.events]] = False
        return waiting

    def _judge(self, node: int, margins: NDArray[np.float64], by_prior: bool) -> tuple[bool, str]:
        ask = self._wants(node, margins)
        if not self._counts.any():
            return ask, "No label has been learned yet, so this is only the tie rule's guess."
        if by_prior:
            return ask, "No node of its component has a label yet, so this is the most frequent class so far."
        wish = "the label is wanted" if ask else "no label is needed"
        if not ask and self.budget is not None and self.queries >= self.budget:
            wish = f"the budget of {self.budget} questions is spent"
        remark = self._problems.states[int(np.argmax(margins))].remark(node)
        decided = f"The {self.learner.name} decides with confidence {confidence(margins):.3g}"
        return ask, f"{decided}: {remark}; {wish}." if remark else f"{decided}; {wish}."

    def _scores(self, margins: NDArray[np.float64]) -> dict[Hashable, float]:
        if len(margins) > 1:
            return dict(zip(self.classes, margins.tolist(), strict=True))
        margin = float(margins[0])
        return dict(zip(self.classes, [-margin, margin], strict=False))  # one class is coded −1

    def _all_margins(self) -> NDArray[np.float64]:
        nodes = np.arange(self.graph.num_nodes)
        return np.column_stack([state.margins(nodes) for state in self._problems.states])


def start(
    graph: Graph,
    learner: str | Learner = "auto",
    *,
    classes: Sequence[Hashable] | None = None,
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
        The graph; its node names are what `predict` and `learn` take.
    learner, params
        A registered name with its parameters, or a learner object.
    classes
        The classes in order. Without them they are found as answers come, and kept sorted; a class
        never seen before may come at any time, and is learnt as if it had been known from the start.
    seed
        Decides every coin.
    policy, budget
        When to ask (``"always"``, ``"random:RATE"``, ``"margin:SCALE"``, ``"variance:KAPPA"``,
        ``"doubt:SCALE"``, ``"value:SCALE"``) and how often at most.
    forget
        Predict from the latest answers only, at least this many and below twice as many, for labels that
        change over time; see `zerokelvin.learners.forgetting`.

    Examples
    --------
    >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
    >>> session = start(graph, "perceptron", classes=["fraud", "ok"])
    >>> session.learn("ann", "fraud")
    >>> session.learn("dan", "ok")
    >>> session.predict("bob").label, session.mistakes
    ('fraud', 2)
    """
    graph = as_graph(graph)
    require_whole("budget", 0 if budget is None else budget)
    require_whole("seed", seed)
    values = None if classes is None else [_value(label) for label in classes]
    asking = parse_policy(policy)
    chosen = forgetful(guided(learners.make(learner, **params), asking), forget)
    return Session(graph, chosen, values, seed, asking, budget)


def load(path: str | os.PathLike[str], graph: Graph) -> Session:
    """Continue a saved session on the same graph; one whose graph has grown, on the grown graph."""
    graph = as_graph(graph)
    header, arrays = saving.read(path, graph)
    policy = parse_policy(header["policy"])
    alone = learners.make(header["learner"], **header["params"])
    learner = forgetful(guided(alone, policy), header.get("forget"))
    session = Session(graph, learner, header["classes_given"], header["seed"], policy, header["budget"])
    rows = arrays["events"].tolist()
    events = [
        Event(kind, node, header["classes"][code] if kind == LEARN else None) for kind, node, code in rows
    ]
    session.classes = session._classes_with(events)
    session._reset()
    kept = saving.outcomes(arrays, header["classes"])
    if kept is not None and saving.restore(session, arrays):
        session.events, session._outcomes = events, kept
        session._settled, session._retold = header["settled"], header["retold"]
    else:
        session._replay(events, [] if kept is None else kept[: header["settled"]])
    return session


def _require_hashable(label: Any) -> None:
    try:
        hash(label)
    except TypeError:
        raise LabelError(f"label {label!r} is not hashable; give text, a number or a tuple.") from None


def _value(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label

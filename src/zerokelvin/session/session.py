"""The session: nodes and classes by name, predict, ask, learn, teach, correct, grow, save.

A session's state is a pure function of (graph, learner, parameters, seed, ordered events), where an event is
an answer, a label that was owned already, or a skip. Predicting changes nothing. Correcting an answer replays
the events with the right answer in its place, so the session equals one that had been given it from the
start. The graph may grow meanwhile; see `zerokelvin.session.growing`.

Nothing is ever half done: all that changes is one `Standing`, replaced in one step or renewed from its events
(`zerokelvin.session.standing`), and threads wait for each other (`zerokelvin.session.guard`).

Above 300 lines: one class with a method for each verb, each with its example; what they do lies in the
modules beside.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.bound import Bound
from zerokelvin.errors import LabelError, SessionError
from zerokelvin.games.class_names import class_name, nearest, refuse_stranger
from zerokelvin.games.counts import require_whole
from zerokelvin.games.frames import make_frame
from zerokelvin.games.game_bound import game_bound
from zerokelvin.games.labels import encode_labels, is_unknown, label_pairs
from zerokelvin.graph import Graph
from zerokelvin.guarantee import Guarantee, guarantee
from zerokelvin.learners import Learner, Policy
from zerokelvin.session import predicting, saving
from zerokelvin.session.checkpoints import Checkpoints
from zerokelvin.session.guard import Guarded, alone, beside
from zerokelvin.session.late import ShownDecision, shown_outcome
from zerokelvin.session.prediction import LEARN, SKIP, TEACH, Event, Explanation, Outcome, Prediction
from zerokelvin.session.questions import questions
from zerokelvin.session.standing import Standing
from zerokelvin.session.supposing import supposed

__all__ = ["Session"]

SHOWN = 6
"""Classes that the representation of a session names."""

Answers = Mapping[Hashable, Hashable] | Iterable[tuple[Hashable, Hashable]]


class Session(Guarded):
    """Predicts labels by node name, asks, learns and explains; made by `start` or `load`.

    Any number of threads may use one session: every method runs alone, and all are counted.
    """

    # -- what it stands on --------------------------------------------------------------------------

    @property
    @beside
    def standing(self) -> Standing:
        """Graph, terms, game and events as they stand, made anew where a call before was interrupted.

        For the rooms above the session, which read it and change nothing in it.
        """
        return self._standing

    @property
    def graph(self) -> Graph:
        """The graph; after growth, the grown one."""
        return self._standing.graph

    @property
    def learner(self) -> Learner:
        """The learner, with its parameters and what is wrapped around it."""
        return self._standing.terms.learner

    @property
    def policy(self) -> Policy:
        """The policy that decides when the session asks."""
        return self._standing.terms.policy

    @property
    def seed(self) -> int:
        """The seed that all coins and draws of the session come from."""
        return self._standing.terms.seed

    @property
    def open_classes(self) -> bool:
        """Whether answers may bring classes that were not given."""
        return not self._standing.terms.closed

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The names of the classes, in the order of their numbers."""
        return self._standing.classes

    @property
    def budget(self) -> int | None:
        """How many questions may be asked in all; None for any number. May be set at any time."""
        return self._standing.budget

    @budget.setter
    def budget(self, budget: int | None) -> None:
        with self._lock:
            standing, number = self._standing, None if budget is None else require_whole("budget", budget)
            if number != standing.budget:
                standing.checkpoints = Checkpoints()  # what their events found may be another with it
            standing.budget = number

    @property
    def events(self) -> list[Event]:
        """Answers, lessons and skips so far, in order; a copy."""
        return self.standing.events.copy()

    @property
    def trials(self) -> int:
        """Answers and skips so far; what was taught is no trial."""
        return self.standing.trials

    @property
    def mistakes(self) -> int:
        """Answers that differed from the prediction."""
        return self.standing.mistakes

    @property
    def queries(self) -> int:
        """Answers that were asked for."""
        return self.standing.queries

    # -- the game -----------------------------------------------------------------------------------

    @alone
    def predict(self, node: Hashable) -> Prediction:
        """Predict the label of a node; changes nothing."""
        return predicting.predict(self._standing, node)

    @alone
    def predict_many(self, nodes: Iterable[Hashable]) -> list[Prediction]:
        """The predictions for several nodes, all made from the same answers: as `predict` of each.

        Their margins are read in one compiled call.
        """
        return predicting.predict_many(self._standing, nodes)

    @alone
    def predict_all(self) -> NDArray[Any]:
        """The predicted label of every node, in node order."""
        self._standing.require_classes()
        return self._standing.predicted()

    @alone
    def predict_proba_all(self) -> NDArray[np.float64]:
        """The probability of every class at every node, (nodes, classes), as `predict_proba_one` of each.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
        >>> session = start(line, "auto", classes=["fraud", "ok"])
        >>> session.teach({"ann": "fraud", "dan": "ok"})
        >>> shares = session.predict_proba_all()
        >>> shares.shape, bool(shares[1, 0] > shares[2, 0])
        ((4, 2), True)
        """
        self._standing.require_classes()
        return predicting.all_shares(self._standing)

    @alone
    def node_columns(self) -> dict[str, Any]:
        """The columns of `to_frame`, as arrays and lists."""
        self._standing.require_classes()
        return predicting.node_columns(self._standing)

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas or polars with one row per node, in node order.

        ``node``; ``label``, the last answer, or the prediction where there is none; its ``probability``, 1
        for an answer; whether the node was ``answered`` (or taught), and ``asked`` for.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> session = start(Graph.from_edges([("ann", "bob"), ("bob", "cem")]), "nearest")
        >>> session.teach({"ann": "fraud"})
        >>> session.to_frame()[["node", "label", "answered"]].to_numpy().tolist()
        [['ann', 'fraud', True], ['bob', 'fraud', False], ['cem', 'fraud', False]]
        """
        return make_frame(self.node_columns(), library)

    @alone
    def rank(self, label: Hashable, limit: int | None = None) -> list[Hashable]:
        """The nodes without an answer, those most suspected of a class first; at most `limit` of them.

        By the probability of the class (`predict_proba_all`), of equal ones by its score, then by name.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve")])
        >>> session = start(line, "auto", classes=["fraud", "ok"])
        >>> session.teach({"ann": "fraud", "eve": "ok"})
        >>> session.rank("fraud"), session.rank("ok", limit=1)
        (['bob', 'cem', 'dan'], ['dan'])
        """
        most = None if limit is None else require_whole("limit", limit)
        self._standing.require_classes()
        name = class_name(label)
        if name not in self.classes:
            near = nearest(name, self.classes)
            meant = f"give {near!r}" if near is not None else f"give one of {list(self.classes)!r}"
            raise LabelError(f"{name!r} is no class of this session; {meant}.")
        return predicting.ranked(self._standing, name, most)

    @alone
    def learn(self, node: Hashable, label: Hashable, shown: Prediction | ShownDecision | None = None) -> None:
        """Take an answer, asked for or not. An answer for the same node again is another trial.

        Parameters
        ----------
        node, label
            The node and its class.
        shown
            The prediction that whoever answers had seen, or a `zerokelvin.session.late.ShownDecision` of it.
            `mistakes` then counts against that one, and where other answers came in between, `bound` says
            that feedback was late. Without it the prediction of this moment counts.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> session = start(Graph.from_edges([("ann", "bob")]), "longest-path", classes=["fraud", "ok"])
        >>> first, second = session.predict_many(["ann", "bob"])
        >>> session.learn("ann", "fraud", shown=first)
        >>> session.predict("bob").label, second.label
        ('fraud', 'ok')
        >>> session.learn("bob", "fraud", shown=second)
        >>> session.mistakes
        2
        """
        event = Event(LEARN, self.graph.index(node), self._label(node, label))
        found = None if shown is None else shown_outcome(self._standing, node, shown)
        self._take([event], [found])

    @alone
    def learn_many(self, answers: Answers) -> None:
        """Take several answers one after the other, a mapping or pairs; none of them where one is refused.

        What each finds is what `learn` would have found. Where neither policy nor learner looks at more than
        margins, all are learnt in one compiled call, and an interruption leaves all of them or none.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
        >>> session = start(line, "longest-path", classes=["fraud", "ok"])
        >>> session.learn_many({"ann": "fraud", "bob": "fraud", "dan": "ok"})
        >>> session.trials, session.mistakes
        (3, 2)
        """
        told = self._pairs(answers, LEARN)
        if any(event.label not in self.classes for event in told):
            self._take(told, [None] * len(told))
        else:
            self._standing.answer(told)

    @alone
    def teach(self, labels: Answers) -> None:
        """Learn labels that are known already: a mapping, pairs of node and label, a Series or a frame.

        A Series of pandas has the nodes in its index; a frame of pandas or polars has columns ``node`` and
        ``label``. Of these, rows without a label are passed over.

        They are no questions: they spend no budget and are no trials, so that neither `mistakes` nor
        `queries` counts them and every coin stays what it was. All of them are learnt, or none where one is
        refused.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem")])
        >>> session = start(line, "longest-path", classes=["fraud", "ok"], budget=5)
        >>> session.teach({"ann": "fraud", "cem": "fraud"})
        >>> session.predict("bob").label, session.trials, session.queries
        ('fraud', 0, 0)
        """
        told = self._pairs(labels, TEACH)
        if told:
            self._take(told, [Outcome()] * len(told))

    @alone
    def skip(self, node: Hashable) -> None:
        """Pass over a node without an answer; counts as a trial."""
        self._standing.take([Event(SKIP, self.graph.index(node), None)], [Outcome()])

    @beside
    def correct(self, node: Hashable, label: Hashable | None) -> None:
        """Replace the last label for a node, or take it back with None; later answers are replayed."""
        standing, index = self._standing, self.graph.index(node)
        events = standing.events
        at = next((i for i in range(len(events) - 1, -1, -1) if _is_label(events[i], index)), None)
        if at is None:
            raise SessionError(f"node {node!r} has no answer to correct; call learn({node!r}, label).")
        self._standing = standing.corrected(at, None if is_unknown(label) else self._label(node, label))

    @beside
    def correct_many(self, corrections: Answers) -> None:
        """Replace the last labels of several nodes, or take them back with None, all of them or none.

        The session then equals one that `correct` was called on for each; later answers are replayed once.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
        >>> session = start(line, "longest-path", classes=["fraud", "ok"])
        >>> session.learn_many({"ann": "fraud", "bob": "fraud", "dan": "ok"})
        >>> session.correct_many({"ann": "ok", "bob": None})
        >>> session.predict("bob").label, session.trials
        ('ok', 2)
        """
        standing, changes = self._standing, dict[int, Hashable | None]()
        places = {event.node: at for at, event in enumerate(standing.events) if event.kind != SKIP}
        for node, label in corrections.items() if isinstance(corrections, Mapping) else corrections:
            at = places.get(self.graph.index(node))
            if at is None:
                raise SessionError(f"node {node!r} has no answer to correct; call learn({node!r}, label).")
            changes[at] = None if is_unknown(label) else self._label(node, label)
        if changes:
            self._standing = standing.revised(changes)

    @beside
    def add_classes(self, labels: Iterable[Hashable]) -> None:
        """Let classes join the present ones, behind them: as if they had been given from the start.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> session = start(Graph.from_edges([("ann", "bob")]), "nearest", classes=["fraud", "ok"])
        >>> session.add_classes(["unclear"])
        >>> session.learn("ann", "unclear")
        >>> session.classes, session.predict("bob").label
        (('fraud', 'ok', 'unclear'), 'unclear')
        """
        names = [class_name(label) for label in labels]
        new = [name for name in dict.fromkeys(names) if name not in self.classes]
        if new:
            self._standing = self._standing.with_classes([*self.classes, *new])

    @beside
    def add_nodes(
        self,
        nodes: int | Iterable[Hashable],
        edges: Any = (),
        weights: Any = None,
        attributes: Any = None,
    ) -> list[Hashable]:
        """Let the graph grow by nodes, and by edges among old and new ones; the names of the new nodes.

        Parameters
        ----------
        nodes
            Their names; on a graph without names, how many (they take the next numbers).
        edges, weights
            As in `add_edges`, where new nodes may be named too.
        attributes
            What is known of the new nodes, in their order and as it was given at the start, by whose rules it
            is read; without them nothing is known of these nodes. Of a table of features, the new vectors.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> session = start(Graph.from_edges([("ann", "bob")]), "longest-path", classes=["fraud", "ok"])
        >>> session.learn("ann", "fraud")
        >>> session.add_nodes(["cem"], edges=[("ann", "cem")])
        ['cem']
        >>> session.predict("cem").label
        'fraud'
        """
        before = self.graph.num_nodes
        self._standing = self._standing.extended(nodes, edges, weights, attributes)
        return [self.graph.name(i) for i in range(before, self.graph.num_nodes)]

    @beside
    def add_edges(self, edges: Any, weights: Any = None) -> None:
        """Let the graph grow by edges between its nodes; one that is there already adds to its weight.

        Parameters
        ----------
        edges
            Pairs of node names; a node the graph does not have is refused, so that a slip adds none.
        weights
            One number per edge; all 1 by default.
        """
        self._standing = self._standing.extended((), edges, weights)

    # -- what it knows ------------------------------------------------------------------------------

    @alone
    def open_questions(self, limit: int | None = None, order: str = "policy") -> list[Hashable]:
        """The nodes that may be asked for now, the most urgent first; empty when nothing is left to ask.

        By what the policy measures, never by the coin of a trial; see `zerokelvin.session.questions`. With
        ``order="suspicion"`` those most suspected of the rarest class come first, or of the class that the
        policy seeks; with ``order="suspicion:CLASS"`` of that one.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
        >>> session = start(line, "ollgc", classes=["no", "yes"], policy="doubt:0.2", mu=0.01)
        >>> session.learn("a", "no")
        >>> session.learn("d", "yes")
        >>> session.open_questions()
        ['b', 'c']
        >>> session.budget = session.queries  # nothing left to spend
        >>> session.open_questions()
        []
        """
        return questions(self._standing, limit, order)

    @contextmanager
    def supposing(self, answers: Answers, lessons: Answers = ()) -> Iterator[Session]:
        """A session as this one would be after answers, and after lessons (`teach`), while the block lasts.

        It can be asked whatever a session can, and learns nothing. Other threads wait for the end of the
        block, after which this session is where it was, to the last bit. On a large graph that takes a
        hundredth of the time that a copy takes; a learner that cannot take a label back is copied.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
        >>> session = start(line, "gaussian", classes=["no", "yes"])
        >>> session.learn("a", "no")
        >>> with session.supposing({"d": "yes"}) as other:
        ...     other.predict_one("c")
        'yes'
        >>> session.predict_one("c")
        'no'
        """
        with self._lock:
            standing = self.standing
            told, taught = self._pairs(answers, LEARN), self._pairs(lessons, TEACH)
            with supposed(standing, [*told, *taught]) as found:
                other = None
                if found is not None:
                    other = Session(found)
                    other._lock = self._lock
                    yield other
            if other is None:
                other = copy.copy(self)
                for event in told:
                    other.learn(self.graph.name(event.node), event.label)
                if taught:
                    other.teach([(self.graph.name(event.node), event.label) for event in taught])
                yield other

    def foresee(
        self, node: Hashable, labels: Iterable[Hashable] | None = None, limit: int = 1
    ) -> dict[Hashable, list[Hashable]]:
        """The questions that would be open after each of several answers for a node; all classes by default.

        As `open_questions(limit)` of a copy that has learnt the answer, with nothing learnt here.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
        >>> session = start(line, "auto", classes=["no", "yes"], policy="value:1")
        >>> session.learn("a", "no")
        >>> session.foresee("e")
        {'no': [], 'yes': ['c']}
        """
        found: dict[Hashable, list[Hashable]] = {}
        for label in self.classes if labels is None else labels:
            with self.supposing([(node, label)]) as other:
                found[label] = other.open_questions(limit)
        return found

    @alone
    def random_check(self) -> Hashable:
        """A node drawn uniformly from those without an answer: the question of a random check.

        It is the same until it is answered, or skipped, which counts as a wrong prediction. Answer some
        checks among other questions, or many at the end, and `guarantee` tells what they prove. The draws are
        a matter of the seed, never of the policy.

        Examples
        --------
        >>> from zerokelvin.session import start
        >>> line = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
        >>> session = start(line, "longest-path", classes=["no", "yes"])
        >>> session.learn("a", "no")
        >>> node = session.random_check()
        >>> node == session.random_check()
        True
        """
        self._standing.require_classes()
        standing = self._standing
        node = standing.checks.draw(standing.told_labels(), self.graph.num_nodes, self.seed)
        return self.graph.name(node)

    @alone
    def guarantee(self, confidence: float = 0.95) -> Guarantee:
        """What the random checks prove of the labels that go out unasked (`zerokelvin.guarantee`).

        The limit may be looked at after every answer, and work may stop when it is low enough: with the given
        confidence no limit of the session is ever below the truth.

        Examples
        --------
        >>> from zerokelvin import generators
        >>> from zerokelvin.session import start
        >>> cliques = generators.barbell(150)
        >>> session = start(cliques.graph, "nearest", classes=[-1, 1])
        >>> truth = cliques.labels.tolist()
        >>> session.teach({0: truth[0], 299: truth[299]})
        >>> for _ in range(120):
        ...     node = session.random_check()
        ...     session.learn(node, truth[node])
        >>> print(session.guarantee())
        with 0.95 confidence at most 3.9% of the 178 labels that go out unasked are wrong (120 random checks)
        """
        self._standing.require_classes()
        standing = self._standing
        return guarantee(standing.audit, standing.told_labels(), standing.predicted().tolist(), confidence)

    @alone
    def variance(self, node: Hashable) -> float:
        """The predictive variance at a node, for learners that know one (`gaussian`, `auto`, `ollgc`, …)."""
        index = self.graph.index(node)
        if not self.learner.has_variance:
            raise SessionError(
                f"learner '{self.learner.name}' knows no variance; choose 'gaussian', 'auto' or 'ollgc'."
            )
        return float(self._standing.game.variance(index))

    @property
    def remaining_error(self) -> float | None:
        """The estimated share of nodes that go out wrong unasked, for learners with a target (`auto`).

        None before 30 answers. Once the budget is spent, the share of all nodes still to come.
        """
        with self._lock:
            standing = self.standing
            return standing.game.remaining_error(standing.spent)

    @alone
    def explain(self, node: Hashable) -> Explanation:
        """The answers that decided the prediction for a node."""
        return predicting.explain(self._standing, node)

    @alone
    def bound(self, labels: Any) -> Bound:
        """The proven bound on the mistakes so far against a labelling (unknown labels allowed).

        What was taught is learnt without being counted, so `mistakes` is at most that of a session that had
        learnt it as answers, and the bound covers it.
        """
        self._standing.require_classes()
        standing = self._standing
        labelling = encode_labels(standing.graph, labels, standing.classes)
        grown = any(event.kind != SKIP for event in standing.events[: standing.settled])
        return game_bound(
            standing.graph,
            standing.game,
            labelling,
            by_prior=standing.overruled > 0,
            grown=grown and (standing.retold or not standing.game.bound_outlives_growth),
            late=standing.late > 0,
        )

    # -- names river users expect -------------------------------------------------------------------

    def predict_one(self, node: Hashable) -> Hashable:
        """The predicted label alone."""
        return self.predict(node).label

    @alone
    def predict_proba_one(self, node: Hashable) -> dict[Hashable, float]:
        """Class probabilities: the learner's own where it has them (`auto`), else a softmax of the scores.

        The predicted class always has the largest: in a component without labels the class shares so far
        take the place of the scores, classes ahead of it share their sum with it, and a tie is tipped by one
        unit in the last place.
        """
        return predicting.class_shares(self._standing, predicting.predict(self._standing, node))

    def learn_one(self, node: Hashable, label: Hashable) -> None:
        """The same as `learn`."""
        self.learn(node, label)

    @beside
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file that `load` continues from exactly."""
        saving.save(self._standing, path)

    # -- plumbing -----------------------------------------------------------------------------------

    @alone
    def _all_margins(self) -> NDArray[np.float64]:
        return predicting.all_margins(self._standing)

    def _take(self, events: list[Event], outcomes: list[Outcome | None]) -> None:
        """Learn events in place, or beside where they bring a class."""
        standing = self._standing
        if any(event.label not in standing.codes for event in events):
            told, kept = [*standing.events, *events], [*standing.kept(), *outcomes]
            self._standing = standing.retelling(told, kept, standing.settled, standing.growths)
        else:
            found = [
                standing.outcome(e.node) if f is None else f for e, f in zip(events, outcomes, strict=True)
            ]
            standing.take(events, found)

    def _pairs(self, labels: Answers, kind: int) -> list[Event]:
        pairs = label_pairs(labels)
        try:
            told = [(node, label) for node, label in pairs]
        except (TypeError, ValueError):
            raise LabelError(
                f"{type(labels).__name__} holds no labels of nodes; give {{node: label}} or pairs of both."
            ) from None
        return [Event(kind, self.graph.index(node), self._label(node, label)) for node, label in told]

    def _label(self, node: Hashable, label: Any) -> Hashable:
        """The label as one of the classes, or as a class to come where classes are open."""
        if is_unknown(label):
            raise LabelError(f"label {label!r} for node {node!r} means unknown; call skip({node!r}) instead.")
        name, terms = class_name(label), self._standing.terms
        if terms.closed:
            refuse_stranger(name, self.classes, node)
        return name

    def __copy__(self) -> Session:
        """Another session at the same place that goes its own way; quick where the learner can be copied."""
        with self._lock:
            standing = self.standing.copied()
            return _revived(saving.packed(self.standing)) if standing is None else Session(standing)

    def __reduce__(self) -> Any:
        """A copy goes by way of what would be saved, so that it shares nothing and has a lock of its own."""
        return _revived, (saving.packed(self.standing),)

    def __repr__(self) -> str:
        """What it is and where it stands; the bound where it depends on no labels but those learnt."""
        standing, graph = self.standing, self.standing.graph
        shown = list(map(repr, standing.classes[:SHOWN])) + ["…"] * (len(standing.classes) > SHOWN)
        spoken_for = not (standing.overruled or standing.late or standing.settled)
        bound = standing.game.bound_so_far() if spoken_for else None
        said = {
            "nodes": graph.num_nodes,
            "edges": graph.num_edges,
            "classes": f"[{', '.join(shown)}]",
            "answers": int(standing.counts.sum()),
            "mistakes": standing.mistakes,
            "bound": None if bound is None else f"{bound:.4g}",
            "queries": standing.queries,
            "budget": standing.budget,
        }
        parts = [f"{name}={value}" for name, value in said.items() if value is not None]
        return f"Session({self.learner.name}, {', '.join(parts)})"


def _revived(parts: saving.Packed) -> Session:
    return Session(saving.unpacked(parts))


def _is_label(event: Event, node: int) -> bool:
    return event.kind != SKIP and event.node == node

"""Where a session stands: everything that changes, in one object that is replaced in one step.

A standing is a pure function of (graph, terms, events). What could fail half way (a correction, a new class,
a growth, a file) builds another standing beside the present one, and the session then takes it by a single
assignment: before it, nothing has happened; after it, everything. Answers are learnt in place, since a
learner's state is too large to copy. They count from the moment the list of events has them, which is one
step too; a standing that was interrupted in between is not `intact`, and is `renewed` from its events before
it is used again.

In a game of several classes every class is a binary problem, and a selective learner asks for each of them.
An answer that was asked for is learnt by the problems that asked, the first of all by all of them, just as in
`zerokelvin.learners.base.Game.play`; one that was not asked for, or is taught, by all. On a grown graph
it is decided anew who asks, as in a session that had begun there.

Above 300 lines: all that must change in one step is one class, and its counts are told from the same
events.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.class_prior import most_frequent, without_label
from zerokelvin.asking.coin_hash import LEAST_COIN, coins
from zerokelvin.asking.decision import AskingRule, confidence, worth_asking
from zerokelvin.errors import LabelError, SessionError, ZerokelvinError
from zerokelvin.games.labels import class_array, class_order, decide
from zerokelvin.graph import Graph
from zerokelvin.guarantee import Audit, RandomChecks, ToldLabel
from zerokelvin.learners import Game, Learner, Policy
from zerokelvin.learners.base.growth import ORDERED, Growth
from zerokelvin.session.checkpoints import Checkpoint, Checkpoints, Moment, stretches
from zerokelvin.session.following import SessionTally, Situation, agreed, follow
from zerokelvin.session.growing import Before, before_growth, graph_before, same_graph
from zerokelvin.session.prediction import LEARN, SKIP, Event, Outcome
from zerokelvin.stopping import may_be_stopped, stop_if_wanted

__all__ = ["Standing", "Terms"]

PART = 512
"""Nodes that are read at once by what may be stopped."""


@dataclass(frozen=True)
class Terms:
    """What a session was started with; `given` are the classes, None where they are found as they come."""

    learner: Learner
    policy: Policy
    seed: int
    given: tuple[Hashable, ...] | None
    open_classes: bool

    @property
    def closed(self) -> bool:
        """Whether there are no classes but those given."""
        return self.given is not None and not self.open_classes

    def classes_with(self, events: Sequence[Event]) -> tuple[Hashable, ...]:
        """The classes given, then new ones as they appear in the events; none given: all, sorted."""
        if (
            self.given is not None
            and not self.open_classes
            and (len(self.given) <= 2 or self.learner.multiclass)
        ):
            return self.given
        found = [event.label for event in events if event.kind != SKIP]
        classes = class_order(found) if self.given is None else tuple(dict.fromkeys([*self.given, *found]))
        if len(classes) > 2 and not self.learner.multiclass:
            raise LabelError(
                f"learner '{self.learner.name}' takes two classes, not {list(classes)!r}; "
                "choose another learner or another label."
            )
        return classes


class Standing:
    """All that changes in a session; see the module."""

    def __init__(
        self,
        terms: Terms,
        graph: Graph,
        classes: tuple[Hashable, ...],
        budget: int | None,
        prepared: object = None,
        game: Game | None = None,
    ) -> None:
        self.terms = terms
        self.graph = graph
        self.classes = classes
        self.budget = budget
        self.prepared = terms.learner.prepare(graph) if prepared is None else prepared
        if game is None:
            named = terms.learner.named(classes, terms.closed)
            game = named.start_game(graph, max(2, len(classes)), self.prepared, terms.seed)
        self.game = game
        self.checkpoints = Checkpoints()
        self.events: list[Event] = []
        self.outcomes: list[Outcome] = []
        self.settled = 0  # events before the last growth: what they found is kept
        self.retold = False  # whether the learner saw those again on a larger graph
        self.growths: tuple[Before, ...] = ()  # those that a correction goes over again
        self.checks = RandomChecks()  # what they were told is in the events
        self.intact = True
        self.codes = {label: code for code, label in enumerate(classes)}
        self.tally = SessionTally.empty(len(classes), graph.num_components)
        self.codes_read: list[Ints] = []  # the codes predicted here that stopped looks have read so far

    # -- figures ------------------------------------------------------------------------------------

    @property
    def trials(self) -> int:
        """Answers and skips so far."""
        return self.tally.trials

    @property
    def mistakes(self) -> int:
        """Answers that differed from the prediction."""
        return self.tally.mistakes

    @property
    def queries(self) -> int:
        """Answers that were asked for."""
        return self.tally.queries

    @property
    def overruled(self) -> int:
        """Predictions in which the class prior overruled the margin."""
        return self.tally.overruled

    @property
    def late(self) -> int:
        """Answers after others had come since their prediction."""
        return self.tally.late

    @property
    def counts(self) -> Ints:
        """How many labels each class has had, (classes,)."""
        return self.tally.counts

    @property
    def labelled(self) -> Bools:
        """Whether each component has a label, or a learner that needs none there."""
        labelled = self.tally.labelled
        return np.ones_like(labelled) if self.game.decides_alone else labelled

    # -- random checks ------------------------------------------------------------------------------

    @property
    def audit(self) -> Audit:
        """The random checks so far; what the last draw wants held is read here if it was not yet."""
        return self.checks.audit(self.told_labels, self._predicted_to_hold)

    @audit.setter
    def audit(self, audit: Audit) -> None:
        self.checks = RandomChecks(audit)

    def _predicted_to_hold(self) -> list[Any]:
        """The predictions for all nodes; if interrupted, the standing is no longer intact."""
        try:
            return self.predicted().tolist()
        except ZerokelvinError:
            raise
        except BaseException:
            self.intact = False
            raise

    def told_labels(self) -> list[ToldLabel]:
        """What was told so far, as an audit sees it."""
        return [ToldLabel(event.node, event.label) for event in self.events]

    # -- building another beside this one -----------------------------------------------------------

    def corrected(self, at: int, label: Hashable | None) -> Standing:
        """One in which an event had another label, or never was where that is None."""
        events, kept, settled, growths = self.events.copy(), self.kept(), self.settled, self.growths
        if label is None:
            del events[at], kept[at]
            settled -= at < settled
            growths = tuple(one._replace(events=one.events - (at < one.events)) for one in growths)
        else:
            events[at] = events[at]._replace(label=label)
        other = self.retelling(events, kept, settled, growths, same=at)
        if label is None:
            other.audit = self._audit_without([at])
        return other

    def revised(self, changes: Mapping[int, Hashable | None]) -> Standing:
        """One in which some events, by their places, had other labels, or never were where that is None."""
        if len(changes) == 1:
            return self.corrected(*next(iter(changes.items())))
        gone = sorted(at for at, label in changes.items() if label is None)
        events = [
            event if (label := changes.get(at)) is None else event._replace(label=label)
            for at, event in enumerate(self.events)
            if at not in changes or changes[at] is not None
        ]
        kept = [found for at, found in enumerate(self.kept()) if at not in changes or changes[at] is not None]
        settled = self.settled - bisect_left(gone, self.settled)
        growths = tuple(
            one._replace(events=one.events - bisect_left(gone, one.events)) for one in self.growths
        )
        other = self.retelling(events, kept, settled, growths, same=min(changes))
        if gone:
            other.audit = self._audit_without(gone)
        return other

    def _audit_without(self, gone: Sequence[int]) -> Audit:
        """The random checks after the events at some places are taken back."""
        return self.audit.taken_back(gone, self.told_labels(), self.graph.num_nodes, self.terms.seed)

    def with_classes(self, classes: Sequence[Hashable]) -> Standing:
        """One that had these classes from the start, the present ones first; no others may come then."""
        terms = replace(self.terms, given=tuple(classes), open_classes=False)
        ready = None if self.growths else self.prepared
        first = Standing(terms, graph_before(self.graph, self.growths), tuple(classes), self.budget, ready)
        other = first.retelling(self.events, self.kept(), self.settled, self.growths)
        other.audit = self.audit
        return other

    def retelling(
        self,
        events: Sequence[Event],
        outcomes: Sequence[Outcome | None],
        settled: int,
        growths: Sequence[Before],
        same: int = 0,
    ) -> Standing:
        """One that goes through the events anew; where an outcome is given, with what was found then.

        For the first `settled` of them it always is. The first `same` events are those of this standing, so
        that a copy of its game from before their end is where it may begin. Growths that have their place
        among the events are gone over again; else all events are those of the present graph.
        """
        begin = self._copy_before(same) if self.terms.classes_with(events) == self.classes else None
        if begin is None or (self.settled > 0 and not self.retold and not self.growths):
            classes, ready = self.terms.classes_with(events), None if growths else self.prepared
            other = Standing(self.terms, graph_before(self.graph, growths), classes, self.budget, ready)
        else:
            other = self._back_at(begin)
        found = [one for one in outcomes[:settled] if one is not None]
        other = other._through(growths, self, events, found)
        told = len(other.events)
        other.retell(events[told:settled], [found for found in outcomes[told:settled] if found is not None])
        for start, stop in stretches(len(other.events), len(events)):
            other._go_over(events[start:stop], outcomes[start:stop])
            if stop < len(events):  # one of the present would be of no use to the next correction
                other._visit()
        other.settled, other.retold = settled, settled > 0 and not growths
        other.audit = self.audit
        return other

    def renewed(self) -> Standing:
        """One that is intact, with the same events and what they found."""
        events, outcomes = self.events, self.outcomes[: len(self.events)]
        begin = self._copy_before(len(events))
        if begin is None:
            graph, ready = graph_before(self.graph, self.growths), None if self.growths else self.prepared
            other = Standing(self.terms, graph, self.classes, self.budget, ready)
            retold = not self.growths and (self.retold or self.settled > 0)
        else:
            other, retold = self._back_at(begin), self.retold
        other = other._through(self.growths, self, events, outcomes)
        told = len(other.events)
        other.take(events[told:], outcomes[told:])
        other.settled, other.retold = self.settled, retold
        other.checks = self.checks.copied()  # this game is not to be asked any more
        return other

    def told(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> Standing:
        """The standing after events with what they found; one from the first graph where it has grown."""
        other = self
        if self.growths:
            first = Standing(self.terms, graph_before(self.graph, self.growths), self.classes, self.budget)
            other = first._through(self.growths, self, events, outcomes)
        done = len(other.events)
        other.take(events[done:], outcomes[done:])
        other.audit = self.audit
        return other

    def copied(self) -> Standing | None:
        """Another at the same place that goes its own way; None where the game has no twin."""
        game = self.game.twin()
        if game is None:
            return None
        other = Standing(self.terms, self.graph, self.classes, self.budget, self.prepared, game)
        other.events, other.outcomes = self.events.copy(), self.outcomes[: len(self.events)]
        other.settled, other.retold, other.growths = self.settled, self.retold, self.growths
        other.tally, other.checks, other.codes_read = self.tally, self.checks.copied(), self.codes_read.copy()
        other.checkpoints = self.checkpoints.until(len(self.events))
        return other

    def _through(
        self, growths: Sequence[Before], end: Standing, events: Sequence[Event], outcomes: Sequence[Outcome]
    ) -> Standing:
        """One that has gone over those of the growths to come, each after the events before it.

        `end` stands where the last of them leads.
        """
        other = self
        for k in range(len(self.growths), len(growths)):
            part = slice(len(other.events), growths[k].events)
            other.retell(events[part], outcomes[part])
            graph = graph_before(end.graph, growths[k + 1 :])
            other = other.grown(graph, end.prepared if graph is end.graph else None)
        return other

    def _copy_before(self, events: int) -> Checkpoint | None:
        """The last copy of the game from when it had learnt at most so many of the events."""
        return self.checkpoints.before(min(events, len(self.events)))

    def _back_at(self, begin: Checkpoint) -> Standing:
        """One as this was where a copy of its game was made; that game goes its own way."""
        game, graph = None if begin.game is None else begin.game.twin(), begin.moment.graph
        same = graph is self.graph or game is not None  # a game that is there needs no preparation
        other = Standing(self.terms, graph, self.classes, self.budget, self.prepared if same else None, game)
        if begin.snapshot is not None:
            other.game.restore(begin.snapshot)
        other.events, other.outcomes = self.events[: begin.events], self.outcomes[: begin.events]
        other.tally = begin.moment.tally
        other.growths = self.growths[: begin.moment.growths]
        other.checkpoints = self.checkpoints.until(begin.events)
        return other

    def _go_over(self, events: Sequence[Event], outcomes: Sequence[Outcome | None]) -> None:
        """Learn events, each with what it finds, or with what was found where that is given."""
        if len(events) > 1 and self._by_margins():
            self.note(events, follow(self.game, self._situation(), events, outcomes)[0])
            return
        for event, found_then in zip(events, outcomes, strict=True):
            now = self.outcome(event.node) if event.kind == LEARN else Outcome()
            self.take([event], [agreed(now, found_then)])

    def extended(
        self, nodes: int | Iterable[Hashable], edges: Any, weights: Any, attributes: Any = None
    ) -> Standing:
        """One on the graph with these nodes and edges added; itself where that adds nothing."""
        graph = self.graph.extended(nodes, edges, weights, attributes)
        if same_graph(self.graph, graph):
            return self
        self.hold()
        other = self.grown(graph)
        other.audit = self.audit
        return other

    def grown(self, graph: Graph, prepared: object = None) -> Standing:
        """One on a grown graph, to which the learner hands over what it knows."""
        self.terms.learner.check_domain(graph)
        other = Standing(self.terms, graph, self.classes, self.budget, prepared)
        if self.terms.learner.asks_apart():
            other.retell(self.events, self.outcomes)
        else:
            if self.counts.any():
                answers = Growth(self.graph, graph, lambda: self.lessons(self.events))
                other.game.take_over(self.game, answers)
            other.note(self.events, self.outcomes)
        other.settled, other.retold = len(self.events), self.retold
        if self.terms.learner.growth == ORDERED and self.counts.any():
            other.growths = (*self.growths, before_growth(self.graph, graph, len(self.events)))
            other.checkpoints = self.checkpoints.grown()
        return other

    def kept(self) -> list[Outcome | None]:
        """What every event found, where it cannot be found again: on a smaller graph, or as it was shown."""
        return [found if i < self.settled or found.shown else None for i, found in enumerate(self.outcomes)]

    def _situation(self) -> Situation:
        """What outcomes depend on, beside margins, where this stands."""
        return Situation(
            self.terms.policy,
            self.terms.seed,
            self.budget,
            self.classes,
            self.codes,
            self.graph.label_components,
            self.labelled,
            self.counts,
            self.trials,
            self.queries,
        )

    # -- learning in place --------------------------------------------------------------------------

    def hold(self) -> None:
        """Read what the last random check wants held, which must be done before anything is learnt."""
        _ = self.audit

    def take(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> None:
        """Learn events with what they found; if interrupted, the standing is no longer intact."""
        self.hold()
        self.intact = False
        for start, stop in stretches(0, len(events)):
            self._learn(events[start:stop], outcomes[start:stop])
            if stop < len(events):
                self._visit(events[:stop], outcomes[:stop])
        self.note(events, outcomes)
        self._visit(one_by_one=len(events) == 1)
        self.intact = True

    def answer(self, events: Sequence[Event]) -> None:
        """Learn answers one after the other, each with what it finds where it stands then."""
        if len(events) > 1 and self._by_margins():
            self.hold()
            self.intact = False
            place, found = self._situation(), list[Outcome]()
            for start, stop in stretches(0, len(events)):
                part, place = follow(self.game, place, events[start:stop], [None] * (stop - start))
                found += part
                if stop < len(events):
                    self._visit(events[:stop], found)
            self.note(events, found)
            self._visit()
            self.intact = True
            return
        for event in events:
            self.take([event], [self.outcome(event.node)])

    def _by_margins(self) -> bool:
        """Whether neither policy nor learner looks at more than the margins of a trial."""
        return not self.terms.policy.needs_spread and self.game.wants_every()

    def _learn(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> None:
        """Let the game learn events with what they found."""
        nodes, codes = self.lessons(events)
        wanted = self._wanted(events, outcomes)
        if wanted is None and len(nodes) > 1:
            self.game.teach(nodes, codes)
            return
        for i, (node, code) in enumerate(zip(nodes.tolist(), codes.tolist(), strict=True)):
            self.game.learn(node, code, None if wanted is None else wanted[i])

    def retell(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> None:
        """Learn events of a smaller graph with what they found there; who asks is decided on this one."""
        if not self.terms.learner.asks_apart():
            self.take(events, outcomes)
            return
        for event, found in zip(events, outcomes, strict=True):
            if event.kind == LEARN:
                found = found._replace(left_out=self.outcome(event.node).left_out)
            self.take([event], [found])

    def note(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> None:
        """Count events; the last step puts all of them into the list of events at once."""
        self.tally = self._tallied(events, outcomes)
        del self.outcomes[len(self.events) :]
        self.outcomes.extend(outcomes)
        self.events.extend(events)
        self.codes_read = []

    def _tallied(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> SessionTally:
        """The tally as it will be once these further events, with their outcomes, are counted too."""
        return self.tally.after(events, outcomes, self.lessons(events), self.graph.label_components)

    def _visit(
        self, events: Sequence[Event] = (), outcomes: Sequence[Outcome] = (), one_by_one: bool = False
    ) -> None:
        """Keep a copy of the game, which has learnt these events beside those noted, where one is due."""
        learnt, tally = len(self.events) + len(events), self._tallied(events, outcomes)
        self.checkpoints.visit(self.game, Moment(learnt, tally, self.graph, len(self.growths)), one_by_one)

    def lessons(self, events: Sequence[Event]) -> tuple[Ints, Ints]:
        """The nodes of answers and lessons, and their class numbers."""
        told = [(event.node, self.codes[event.label]) for event in events if event.kind != SKIP]
        nodes, codes = np.array(told, dtype=np.int64).reshape(-1, 2).T
        return np.ascontiguousarray(nodes), np.ascontiguousarray(codes)

    def _wanted(self, events: Sequence[Event], outcomes: Sequence[Outcome]) -> Bools | None:
        """Which problems learn each of them; None where all learn all."""
        told = [found for event, found in zip(events, outcomes, strict=True) if event.kind != SKIP]
        if not any(found.left_out for found in told) or len(self.classes) <= 2:
            return None
        return np.array([[c not in found.left_out for c in self.classes] for found in told], dtype=np.bool_)

    # -- reading ------------------------------------------------------------------------------------

    @property
    def spent(self) -> bool:
        """Whether the budget is spent."""
        return self.budget is not None and self.queries >= self.budget

    def outcome(self, node: int) -> Outcome:
        """What would be predicted for a node now, and whether it would be asked for."""
        margins = self.game.score(node)
        code, by_prior = self.decide(node, margins)
        overruled = by_prior and code != int(decide(margins[None, :], len(self.classes))[0])
        asks = self.asks(node, margins)
        return Outcome(self.classes[code], bool(asks.any()), overruled, self.left_out(asks))

    def decide(self, node: int, margins: Floats) -> tuple[int, bool]:
        """Class code, and whether it is the class prior's because the component has no label yet."""
        if self.without_label(node):
            return int(most_frequent(self.counts)), True
        return int(decide(margins[None, :], len(self.classes))[0]), False

    def decide_many(self, nodes: Ints, margins: Floats) -> Ints:
        """The class codes of several nodes, as `decide` gives them."""
        codes = decide(margins, len(self.classes))
        if self.counts.any():
            codes[self.unlabelled(nodes)] = int(most_frequent(self.counts))
        return codes

    def unlabelled(self, nodes: Ints) -> Bools:
        """Which of several nodes lie in a component without a label."""
        return np.asarray(~self.labelled[self.graph.label_components[nodes]])

    def margins_in_parts(self, first: int = 0) -> Iterator[Floats]:
        """The margins of part after part of the nodes where it may be stopped, of all at once elsewhere."""
        count = self.graph.num_nodes
        size = PART if may_be_stopped() else max(count, 1)
        with self.graph.read_through():
            for start in range(first, max(count, 1), size):
                stop_if_wanted()
                yield self.game.scores(np.arange(start, min(start + size, count)))

    def predicted(self) -> NDArray[np.generic]:
        """The predicted label of every node, in node order.

        What a look that was stopped has read is not read again while nothing further is learnt.
        """
        parts = self.codes_read if may_be_stopped() else self.codes_read.copy()
        done = sum(map(len, parts))
        for margins in self.margins_in_parts(done):
            parts.append(self.decide_many(np.arange(done, done + len(margins)), margins))
            done += len(margins)
        return class_array(self.classes)[np.concatenate(parts)]

    def without_label(self, node: int) -> bool:
        """Whether labels are known, but none in the node's component."""
        return bool(without_label(self.counts, self.labelled, int(self.graph.label_components[node])))

    def asks(self, node: int, margins: Floats) -> Bools:
        """Which problems want the label of a node in this trial; none where it is not worth asking for."""
        if self.spent:
            return np.zeros(len(margins), dtype=np.bool_)
        if not self.counts.any():
            return np.ones(len(margins), dtype=np.bool_)
        coin = float(coins(self.terms.seed, np.array([self.trials]))[0])
        if not self._worthwhile(node, margins, coin, self.spread(node)):
            return np.zeros(len(margins), dtype=np.bool_)
        return self.game.asks(node, self.trials)

    def left_out(self, asks: Bools) -> tuple[Hashable, ...]:
        """The classes whose problem does not want a label that another's wants."""
        if len(asks) == 1 or not asks.any():
            return ()
        return tuple(label for label, wanted in zip(self.classes, asks, strict=True) if not wanted)

    def require_classes(self) -> None:
        """Refuse where no class is known yet."""
        if not self.classes:
            raise SessionError("no class is known yet; learn one label or give classes= to start.")

    def may_ask(self, node: int, margins: Floats, spread: float) -> bool:
        """Whether the label of a node would be asked for now by some coin."""
        if self.spent or not self.counts.any():
            return not self.spent
        worth = self._worthwhile(node, margins, LEAST_COIN, spread)
        return worth and self.game.may_ask(node, self.trials)

    def spread(self, node: int, waiting: Bools | None = None) -> float:
        """The variance or the value at a node, whichever the policy looks at; 0 where at neither."""
        policy = self.terms.policy
        if policy.needs_value:
            return float(self.game.value(node, self.waiting() if waiting is None else waiting))
        return float(self.game.variance(node)) if policy.needs_variance else 0.0

    def rule(self, coin: float) -> AskingRule:
        """What the confidence of the present trial is compared with, given its coin."""
        policy, number = self.terms.policy, np.array([self.trials])
        coin_given = np.array([coin])
        rules = policy.limits(coin_given), policy.gains(number), policy.floors(number, coin_given)
        return AskingRule(*(float(rule[0]) for rule in rules))

    def _worthwhile(self, node: int, margins: Floats, coin: float, spread: float) -> bool:
        return worth_asking(confidence(margins), spread, *self.rule(coin))

    def waiting(self) -> Bools:
        """Which nodes have neither been answered nor skipped."""
        waiting = np.ones(self.graph.num_nodes, dtype=np.bool_)
        waiting[[event.node for event in self.events]] = False
        return waiting

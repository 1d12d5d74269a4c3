"""The mixture of `auto` at work: all experts of one game, whom to trust, when to ask, and why.

Above 300 lines: one class: judging, learning, taking back and keeping change the same few arrays.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.target import ENOUGH, Target
from zerokelvin.jit import kernel
from zerokelvin.learners.auto.experts import Expert, PreparedExperts, start_experts
from zerokelvin.learners.auto.hedge import largest
from zerokelvin.learners.auto.learnt_weights import FREQUENCIES
from zerokelvin.learners.auto.mixing import Mixing
from zerokelvin.learners.auto.settings import CHUNK
from zerokelvin.learners.auto.stacked import Readers
from zerokelvin.learners.auto.subspace_regression import SubspaceRegression
from zerokelvin.learners.base import Game
from zerokelvin.learners.base.kept import BehindGame
from zerokelvin.learners.base.multiclass import MIXED, put_back
from zerokelvin.learners.base.ties import DEAD_ZONE, first_largest
from zerokelvin.learners.gaussian.diffusion import to_margins
from zerokelvin.learners.gaussian.gaussian import GaussianGame
from zerokelvin.threads import in_threads
from zerokelvin.undo import Undo

__all__ = ["Mixture"]

Value = TypeVar("Value")

MANY = 1 << 8
"""Nodes from which on the experts speak in several threads: for fewer, these take longer to start."""

LONG = 0.003
"""Seconds of learning besides that of the slowest expert from which on they learn in several threads."""

OWN = f"0/{MIXED}"
"""Before the names of the mixture's own arrays in a snapshot."""

OWN_ATTRIBUTES = "own attributes"
"""The expert that says what each attribute adds (`learners.auto.experts.known_attributes`)."""

KEPT_AT_ONCE = 1
"""Experts that are copied between two answers."""


class Judged(NamedTuple):
    """Several nodes, with the margins of each in every problem, and the probability of every class."""

    nodes: Ints
    margins: Floats
    chances: Floats


class Mixture:
    """All experts of one game, and who is trusted."""

    def __init__(
        self, prepared: PreparedExperts, problems: int, tol: float, target: float | None, seed: int
    ) -> None:
        classes = max(2, problems)
        self.problems = problems
        self.experts = start_experts(prepared, classes, tol, seed)
        self.names = [expert.name for expert in self.experts]
        self.names += [FREQUENCIES, "combination"]
        known = [expert.uses_attributes for expert in self.experts]
        if any(known):
            self.names += ["combination of attributes", "combination of everything"]
        floors = [expert.floor for expert in self.experts]
        estimates = [expert.is_estimate for expert in self.experts]
        self.mixing = Mixing(floors, estimates, classes, known, [expert.name for expert in self.experts])
        self.attributes, self.local = prepared.attributes, prepared.local
        self._readers: Readers | None = Readers(self.experts)  # None: to be made when they are needed
        self.first = first_gaussian(self.experts)
        self.asking = None if target is None else Target(target, seed)
        self._last: tuple[int, int, tuple[int, Floats]] | None = None
        self._table: Judged | None = None
        self._note: str | None = None
        self._journal: list[tuple[Ints, Ints]] | None = None  # what is learnt while a copy is made in steps
        self._seconds = [0.0] * len(self.experts)  # that each took for the last label

    @property
    def labels(self) -> int:
        """How many labels were learnt so far."""
        return int(self.mixing.counts.sum())

    def judge(self, node: int) -> tuple[int, Floats]:
        """The class predicted and the probabilities; the last answer is kept until a label is learnt."""
        key = (node, self.labels)
        if self._last is None or self._last[:2] != key:
            values = np.empty((len(self.experts), len(self.mixing.counts)))
            if self._readers is None:
                self._readers = Readers(self.experts)
            self._readers.tell(node, values)
            self._last = (*key, self.mixing.judge(values))
        return self._last[2]

    def margins(self, node: int) -> Floats:
        """The lead of every problem's class, 0 before any label."""
        margins = np.zeros(self.problems)
        if self.labels:
            leads(*self.judge(node), margins)
        return margins

    def all_margins(self, nodes: Ints) -> Floats:
        """The same for several nodes, (nodes, problems), kept until a label is learnt for all problems."""
        return self._judged(nodes).margins

    def all_chances(self, nodes: Ints) -> Floats:
        """The probabilities of several nodes, (nodes, classes), as `judge` gives each; kept alike."""
        return self._judged(nodes).chances

    def _judged(self, nodes: Ints) -> Judged:
        """Margins and probabilities of several nodes; before any label the former are 0."""
        if self._table is None or not np.array_equal(self._table.nodes, nodes):
            margins = np.zeros((len(nodes), self.problems))
            chances = np.full((len(nodes), len(self.mixing.counts)), np.nan)
            for start in range(0, len(nodes) if self.labels else 0, CHUNK):
                part = slice(start, start + CHUNK)
                values = self._told(
                    [partial(one.evidence, nodes[part]) for one in self.experts], len(nodes[part])
                )
                winners, chances[part] = self.mixing.judge_all(values)
                all_leads(winners, chances[part], margins[part])
            self._last, self._table = None, Judged(np.array(nodes), margins, chances)
        return self._table

    def risk(self, node: int) -> float:
        """The probability that the class predicted is wrong."""
        winner, chances = self.judge(node)
        return float(1.0 - chances[winner])

    def learn(self, node: int, code: int) -> None:
        """Let every expert learn the class of a node, and weigh them by what they had said."""
        winner, chances = self.judge(node)
        if self.asking is not None:
            self.asking.learn(node, float(1.0 - chances[winner]), winner != code)
        self.mixing.learn(code)
        self._teach(lambda expert: expert.learn(node, code))
        self._last = self._table = self._note = None
        if self._journal is not None:
            self._journal.append((np.array([node]), np.array([code])))

    def learn_reversibly(self, node: int, code: int) -> Undo | None:
        """The same as `learn`, and what takes it back; None where an expert has neither a way nor a twin."""
        winner, chances = self.judge(node)
        undo = Undo()
        undo.then(self._unjudged)
        if self.asking is not None:
            before = copy.deepcopy(self.asking)
            undo.then(partial(setattr, self, "asking", before))
            self.asking.learn(node, float(1.0 - chances[winner]), winner != code)
        for array in self.mixing.parts().values():
            undo.keep(array)
        self.mixing.learn(code)
        ways_back = self._teach(lambda expert: _learn_reversibly(expert, node, code))
        for back in filter(None, ways_back):
            undo.join(back)
        if None in ways_back:
            undo.back()
            return None
        self._unjudged()
        if self._journal is not None:
            self._journal.append((np.array([node]), np.array([code])))
            undo.then(partial(self._journal.__delitem__, -1))
        return undo

    def _teach(self, lesson: Callable[[Expert], Value]) -> list[Value]:
        """What every expert makes of a lesson: in threads where the last one took long, the slowest first.

        Experts have nothing to do with each other, so it is the same in any order.
        """
        seconds, given = self._seconds, dict[int, Value]()

        def teach(k: int) -> None:
            began = time.perf_counter()
            given[k] = lesson(self.experts[k])
            seconds[k] = time.perf_counter() - began

        slowest_first = sorted(range(len(self.experts)), key=seconds.__getitem__, reverse=True)
        in_threads([partial(teach, k) for k in slowest_first], worth=sum(seconds) - max(seconds) > LONG)
        return [given[k] for k in range(len(self.experts))]

    def _unjudged(self) -> None:
        """Keep no answer from before a label."""
        self._last = self._table = None

    def learn_in_order(self, nodes: Ints, codes: Ints, margins: Floats) -> None:
        """Judge and learn nodes one after the other, expert by expert; fills in the margins before each."""
        values = self._told([partial(one.learn_in_order, nodes, codes) for one in self.experts], len(codes))
        fresh = self.labels == 0
        winners, chances = self.mixing.play(values, codes)
        all_leads(winners, chances, margins)
        if fresh:
            margins[0] = 0.0
        self._last = self._table = self._note = None
        if self._journal is not None:
            self._journal.append((nodes.copy(), codes.copy()))

    def _told(self, tasks: Sequence[Callable[[], Floats]], count: int) -> Floats:
        """What the experts say about `count` nodes, (experts, nodes, classes), each by its own task."""
        values = np.empty((len(tasks), count, len(self.mixing.counts)))

        def fill(k: int) -> None:
            values[k] = tasks[k]()

        voters_first = sorted(
            range(len(tasks)), key=lambda k: self.experts[k].is_kernel
        )  # which take longest
        in_threads([partial(fill, k) for k in voters_first], worth=count >= MANY)
        return values

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of what `snapshot` holds; none where an expert has none."""
        parts = [(prefix, game.fields) for prefix, game in self._games()]
        if not all(names for _, names in parts):
            return ()
        own = [f"{OWN}{name}" for name in self.mixing.parts()]
        asking = [] if self.asking is None else [f"{OWN}{name}" for name in self.asking.snapshot()]
        return (*own, *asking, *(prefix + name for prefix, names in parts for name in names))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of all that learning changes: whom to trust, when to ask, and every expert's behind it."""
        if not self.fields:
            return {}
        found = {f"{OWN}{name}": array.copy() for name, array in self.mixing.parts().items()}
        if self.asking is not None:
            found |= {f"{OWN}{name}": array for name, array in self.asking.snapshot().items()}
        for prefix, game in self._games():
            found |= {prefix + name: array for name, array in game.snapshot().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh mixture to where `snapshot` was taken."""
        for name, array in self.mixing.parts().items():
            put_back(name, arrays[f"{OWN}{name}"], array)
        if self.asking is not None:
            self.asking.restore({name: arrays[f"{OWN}{name}"] for name in self.asking.snapshot()})

        def restore(prefix: str, game: Game) -> None:
            game.restore({name: arrays[prefix + name] for name in game.fields})

        in_threads([partial(restore, *one) for one in self._games()], worth=self.labels >= MANY)
        self._last = self._table = self._note = None

    def twin(self, kept: bool = False) -> Mixture | None:
        """Another mixture at the same place; None where an expert's game has no twin."""
        games = [expert.game.twin(kept) for expert in self.experts]
        if any(game is None for game in games):
            return None
        return self._with(cast(list[Game], games), kept)

    def keeping(self) -> Iterator[Mixture | None]:
        """Another that is to be kept, in steps of a few experts each, between which this one may learn on.

        Experts learn apart from each other, so those that are copied first need only learn what came since.
        Every step gives None but the last; there is no last one where an expert's game has no twin.
        """
        journal = self._journal = list[tuple[Ints, Ints]]()
        copies: list[tuple[Game, int]] = []
        try:
            for k, expert in enumerate(self.experts):
                game = None
                for game in expert.game.keeping() or [expert.game.twin(kept=True)]:
                    if game is None:
                        yield None
                if game is None:
                    return
                copies.append((game, len(journal)))
                if (k + 1) % KEPT_AT_ONCE == 0:
                    yield None
            yield self._with([_behind(game, journal[at:]) for game, at in copies], kept=True)
        finally:
            if self._journal is journal:
                self._journal = None

    def _with(self, games: list[Game], kept: bool) -> Mixture:
        """Another where this one is, with other games of its experts."""
        other = copy.copy(self)
        other.experts = [copy.copy(expert) for expert in self.experts]
        for expert, game in zip(other.experts, games, strict=True):
            expert.game = game
        other.mixing, other.asking = self.mixing.twin(), copy.deepcopy(self.asking)
        other._seconds = self._seconds.copy()
        if kept:
            del other.first  # a packed game answers for nothing
        else:
            other.first = first_gaussian(other.experts)
        other._last = other._table = other._note = other._journal = other._readers = None
        return other

    def _games(self) -> list[tuple[str, Game]]:
        """The experts' games, each behind what the names of its arrays begin with: its own name."""
        return [(f"{expert.name}/", expert.game) for expert in self.experts]

    def trusted(self) -> dict[str, float]:
        """The weight of every expert, by its name."""
        return dict(zip(self.names, self.mixing.trust.tolist(), strict=True))

    def acquainted(self) -> float:
        """The share of trust in those that use attributes."""
        known = [expert.uses_attributes for expert in self.experts]
        own = [*known, *(name.endswith(("attributes", "everything")) for name in self.names[len(known) :])]
        return float(self.mixing.trust[np.array(own)].sum())

    def attribute_shares(self, node: int, code: int) -> dict[str, float]:
        """What each attribute of a node adds to the lead of a class, by the regression on own attributes."""
        game = next((one.game for one in self.experts if one.name == OWN_ATTRIBUTES), None)
        if self.attributes is None or not isinstance(game, SubspaceRegression) or not self.labels:
            return {}
        means = game.posterior.means
        rival = next(c for c in np.argsort(-self.judge(node)[1]).tolist() if c != code)
        return self.attributes.shares(node, means[:, code] - means[:, rival])

    def note(self) -> str:
        """Whom the mixture trusts, and whether the graph says much about the labels, in one clause.

        It says the same of every node, and is kept until a label is learnt.
        """
        if self._note is None:
            self._note = self._noted()
        return self._note

    def _noted(self) -> str:
        total = self.labels
        if total < ENOUGH:
            return "of its experts only those whose work is local speak" if self.local else ""
        trusted = self.trusted()
        name, weight = max(trusted.items(), key=lambda item: item[1])
        blind = float(self.mixing.losses[len(self.experts)])  # class frequencies
        mistakes = int(self.mixing.mistakes[0])
        said = [f"it trusts {name} most ({weight:.0%})"]
        if self.local:
            said.append("only experts whose work is local speak")
        if self.attributes is not None:
            said.append(f"{self.acquainted():.0%} of its trust is in those who use attributes")
        if self.asking is not None and self.asking.error is not None and self.asking.limit > 0:
            said.append(f"about {self.asking.error:.1%} of the nodes go out wrong unasked")
        if mistakes > 0.5 * blind:
            said.append(
                f"the graph carries little signal about these labels ({mistakes / total:.0%} wrong so far, "
                f"{blind / total:.0%} by the most frequent class)"
            )
        return ", ".join(said)

    def explain(self, node: int, code: int) -> list[tuple[int, float]]:
        """What each label adds to the lead of a class, by the most trusted kernel expert that agrees.

        Its shares are scaled to add up to the lead in the mixture. Where all of them point the other way, as
        they may where neighbours differ, the combinations have learnt to read them backwards: then the shares
        of the most trusted one count the other way round.
        """
        winner, chances = self.judge(node)
        others = [c for c in np.argsort(-chances).tolist() if c != code]
        margins = np.zeros(self.problems)
        leads(winner, chances, margins)
        lead = float(margins[code] if self.problems > 1 else margins[0] * (1 if code else -1))
        trust, backwards = self.mixing.trust, list[tuple[int, float]]()
        for k in sorted(range(len(self.experts)), key=lambda k: -trust[k]):
            shares = self.experts[k].shares(node, code, others[0]) if self.experts[k].is_kernel else {}
            total = math.fsum(shares.values())
            if total == 0 or lead == 0 or (total * lead < 0 and backwards):
                continue
            scaled = [(other, share * lead / total) for other, share in shares.items()]
            scaled.sort(key=lambda share: -abs(share[1]))
            if total * lead > 0:
                return scaled
            backwards = scaled
        return backwards


def _learn_reversibly(expert: Expert, node: int, code: int) -> Undo | None:
    """Let an expert learn, on a twin of its game where that knows no other way back."""
    undo, game = expert.game.learn_reversibly(node, code), expert.game
    if undo is None and (twin := game.twin()) is not None:
        undo = Undo()
        undo.then(partial(setattr, expert, "game", game))
        twin.learn(node, code)
        expert.game = twin
    return undo


def _behind(game: Game, learnt: list[tuple[Ints, Ints]]) -> Game:
    """A kept game that is to learn answers when it is made again."""
    if not learnt:
        return game
    return BehindGame(game, *(np.concatenate(part) for part in zip(*learnt, strict=True)))


def first_gaussian(experts: Sequence[Expert]) -> GaussianGame:
    """The game that answers for variance and value: the first regression."""
    return next(game for one in experts if isinstance(game := one.game, GaussianGame))


@kernel
def leads(winner: int, chances: Any, margins: Any) -> None:
    """The lead of every class: the mixture decides who leads, the probabilities by how much.

    Where the two disagree the lead is next to nothing, so that such nodes are the first to be asked for.
    """
    agreed = np.empty(len(chances))
    for c in range(len(chances)):
        agreed[c] = chances[c]
    if first_largest(chances) != winner:
        agreed[winner] = largest(chances) + 4.0 * DEAD_ZONE
    to_margins(agreed, margins)


@kernel
def all_leads(winners: Any, chances: Any, margins: Any) -> None:
    """`leads` of every row: winners (nodes,) and chances (nodes, classes) give margins (nodes, columns)."""
    for k in range(len(winners)):
        leads(winners[k], chances[k], margins[k])

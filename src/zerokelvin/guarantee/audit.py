"""Random checks of a labelling that is still being learnt, and what they prove of the labels not asked for.

Some nodes are answered because their label is worth most, others because a coin chose them: these are the
checks. From time to time the predictions for all nodes are *held*. Answers that come later are compared with
what was held, so the number w of held predictions that are wrong is fixed, and the checks are draws from them
without replacement (`WrongCount`). Predictions change meanwhile, so for those of today

    wrong today ≤ wrong among what was held and is unanswered today + predictions changed since, unanswered,

where the changes are counted, not estimated. Every held labelling gives such a limit; the k-th one is allowed
α/(k(k + 1)) of the risk, which sums to α, so that all limits hold at all times together with probability
1 − α, and the lowest is the guarantee. Nothing is assumed of the graph, the learner, the order of the other
answers, or how labels came about. Assumed is that checks are drawn by the audit, and that answers are true.

A check that is passed over counts as wrong, or else leaving out the difficult ones would lower the limit.
One check is drawn at a time, and what it says is weighed with what was left when it was drawn, so that
answers for other nodes may come in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.array_types import Bools, Ints
from zerokelvin.asking.coin_hash import coins
from zerokelvin.errors import ParameterError, SessionError
from zerokelvin.guarantee.wrong_count import WrongCount

__all__ = ["Audit", "Guarantee"]


@dataclass(frozen=True)
class Guarantee:
    """A limit on the wrong labels among those that go out unasked, valid at any time one looks.

    Attributes
    ----------
    confidence
        With at least this probability no such limit of the audit is ever below the truth.
    unasked
        How many labels go out unasked.
    wrong_at_most, error_at_most
        The limit on the wrong ones among them, and as a share.
    checks
        The answers drawn at random that it rests on.
    changed
        The labels counted against it because the prediction is another than when the checks began.
    """

    confidence: float
    unasked: int
    wrong_at_most: int
    checks: int
    changed: int

    @property
    def error_at_most(self) -> float:
        """The limit as a share of the labels that go out unasked; 0 when none does."""
        return self.wrong_at_most / self.unasked if self.unasked else 0.0

    def __str__(self) -> str:
        if not self.unasked:
            return "every label has been asked for"
        return (
            f"with {self.confidence:.4g} confidence at most {self.error_at_most:.1%} of the {self.unasked:,} "
            f"labels that go out unasked are wrong ({self.checks:,} random checks)"
        )


class _Held:
    """A labelling that was held: its predictions, and how many of them are wrong as far as is known."""

    def __init__(self, codes: Ints, unanswered: int) -> None:
        self.codes = codes.copy()
        self.wrong = WrongCount(unanswered)
        self.checks = 0


class Audit:
    """Draws the checks, holds predictions, compares answers with them.

    Parameters
    ----------
    nodes
        How many there are.
    seed
        Decides which nodes are drawn.

    Examples
    --------
    >>> audit = Audit(500, seed=1)
    >>> guesses = np.zeros(500, dtype=np.int64)
    >>> audit.hold(guesses)
    >>> for _ in range(150):
    ...     audit.reveal(audit.draw(), 0)  # the answer is what was predicted
    >>> print(audit.guarantee(guesses))
    with 0.95 confidence at most 3.7% of the 350 labels that go out unasked are wrong (150 random checks)
    """

    def __init__(self, nodes: int, seed: int = 0) -> None:
        self.answered: Bools = np.zeros(nodes, dtype=np.bool_)
        self.seed, self.draws = seed, 0
        self.drawn: int | None = None
        self._held: list[_Held] = []

    @property
    def held(self) -> int:
        """How many labellings have been held."""
        return len(self._held)

    def hold(self, codes: Ints) -> None:
        """Hold the predictions of this moment, a class number for every node."""
        if len(codes) != len(self.answered):
            raise ParameterError(f"codes has {len(codes)} entries for {len(self.answered)} nodes.")
        if self.drawn is not None:
            raise SessionError(f"node {self.drawn} is drawn already; answer it before predictions are held.")
        self._held.append(_Held(np.asarray(codes), int((~self.answered).sum())))

    def draw(self) -> int:
        """A node drawn uniformly from those unanswered; the same until it is answered or passed over."""
        if self.drawn is None:
            waiting = np.flatnonzero(~self.answered)
            if not len(waiting):
                raise SessionError("every node is answered; none is left to draw.")
            coin = coins(self.seed, np.array([self.draws]))[0]
            self.drawn = int(waiting[int(coin * len(waiting))])
            self.draws += 1
            for held in self._held:
                held.wrong.draw()
        return self.drawn

    def reveal(self, node: int, code: int) -> None:
        """The answer for a node, whether it was drawn or not; a second answer for it tells nothing new."""
        self._take(node, code)

    def pass_over(self) -> None:
        """The node drawn gets no answer: it counts as one that every held labelling had wrong."""
        if self.drawn is None:
            raise SessionError("no node is drawn; draw one before passing it over.")
        self._take(self.drawn, None)

    def guarantee(self, codes: Ints, confidence: float = 0.95) -> Guarantee:
        """The limit on the wrong ones among these predictions, for the nodes not answered.

        Parameters
        ----------
        codes
            The predictions that go out, a class number for every node.
        confidence
            Above 0 and below 1.
        """
        if not 0.0 < confidence < 1.0:
            raise ParameterError(f"confidence={confidence!r} must be above 0 and below 1; 0.95 is usual.")
        waiting = ~self.answered
        unasked = int(waiting.sum())
        best = Guarantee(confidence, unasked, unasked, 0, 0)
        for k, held in enumerate(self._held, start=1):
            changed = int((held.codes[waiting] != codes[waiting]).sum())
            most = held.wrong.most_left((1.0 - confidence) / (k * (k + 1))) + changed
            if most < best.wrong_at_most:
                best = Guarantee(confidence, unasked, most, held.checks, changed)
        return best

    def checks_until(self, error: float, confidence: float = 0.95, rate: float = 0.0) -> int | None:
        """About how many checks a limit of `error` takes from now; None where all nodes would not be enough.

        Parameters
        ----------
        error, confidence
            The share of wrong labels, and how sure.
        rate
            The share of checks to come that find a wrong prediction.
        """
        k = len(self._held) + 1
        trial = WrongCount(int((~self.answered).sum()))
        for done in range(1, trial.left + 1):
            trial.draw()
            trial.see_drawn(wrong=int(done * rate) > int((done - 1) * rate))
            if trial.most_left((1.0 - confidence) / (k * (k + 1))) <= error * trial.left:
                return done
        return None

    def _take(self, node: int, code: int | None) -> None:
        if self.answered[node]:
            return
        drawn = node == self.drawn
        for held in self._held:
            see = held.wrong.see_drawn if drawn else held.wrong.see
            see(wrong=code is None or bool(held.codes[node] != code))
            held.checks += drawn
        self.answered[node] = True
        if drawn:
            self.drawn = None

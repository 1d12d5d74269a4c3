"""The mixture of `auto` at work: all experts of one game, whom to trust, when to ask, and why."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zerokelvin.learners.diffusion import to_margins
from zerokelvin.learners.experts import LocalExpert, Prepared, start_experts
from zerokelvin.learners.influence import Influence
from zerokelvin.learners.mixing import Mixing
from zerokelvin.learners.target import ENOUGH, Target

__all__ = ["Mixture"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Mixture:
    """All experts of one game, and who is trusted."""

    def __init__(
        self, prepared: Prepared, problems: int, tol: float, target: float | None, seed: int
    ) -> None:
        classes = max(2, problems)
        self.problems = problems
        self.experts = start_experts(prepared, classes, tol, seed)
        self.names = [expert.name for expert in self.experts]
        self.names += ["class frequencies", "combination of kernels", "combination of all"]
        floors = [expert.floor for expert in self.experts]
        self.mixing = Mixing(floors, [expert.is_kernel for expert in self.experts], classes)
        self.first = next(expert for expert in self.experts if isinstance(expert, LocalExpert))
        self.influence = Influence(self.first.diffusion)
        self.asking = None if target is None else Target(target, seed)
        self._last: tuple[int, int, tuple[int, Floats]] | None = None

    @property
    def labels(self) -> int:
        """Labels learnt so far."""
        return int(self.mixing.counts.sum())

    def judge(self, node: int) -> tuple[int, Floats]:
        """The class predicted and the probabilities; the last answer is kept until a label is learnt."""
        key = (node, self.labels)
        if self._last is None or self._last[:2] != key:
            values = np.stack([expert.values(node) for expert in self.experts])
            self._last = (*key, self.mixing.judge(values))
        return self._last[2]

    def margins(self, node: int) -> Floats:
        """The lead of every problem's class, 0 before any label."""
        margins = np.zeros(self.problems)
        if self.labels:
            leads(*self.judge(node), margins)
        return margins

    def risk(self, node: int) -> float:
        """The probability that the class predicted is wrong."""
        winner, chances = self.judge(node)
        return float(1.0 - chances[winner])

    def learn(self, node: int, code: int) -> None:
        """Reveal a class to everyone."""
        winner, chances = self.judge(node)
        if self.asking is not None:
            self.asking.count(node, float(1.0 - chances[winner]), winner != code)
        self.mixing.learn(code)
        for expert in self.experts:
            expert.learn(node, code)
        self._last = None

    def foresee(self, nodes: Ints, codes: Ints, margins: Floats) -> None:
        """Judge and learn over trials whose labels are all revealed, expert by expert."""
        values = np.stack([expert.foresee(nodes, codes) for expert in self.experts], axis=1)
        fresh = self.labels == 0
        winners, chances = self.mixing.play(values, codes)
        for t in range(len(nodes)):
            leads(int(winners[t]), chances[t], margins[t])
        if fresh:
            margins[0] = 0.0
        self._last = None

    def trusted(self) -> dict[str, float]:
        """The weight of every expert."""
        return dict(zip(self.names, self.mixing.trust.tolist(), strict=True))

    def note(self) -> str:
        """One sentence on whom the mixture trusts, and whether the graph says much about the labels."""
        total = self.labels
        if total < ENOUGH:
            return ""
        name, weight = max(self.trusted().items(), key=lambda item: item[1])
        blind = float(self.mixing.losses[len(self.experts)])  # class frequencies
        mistakes = int(self.mixing.mistakes[0])
        said = f"Most trusted: {name} ({weight:.0%})."
        if self.asking is not None and self.asking.limit > 0:
            said += f" About {self.asking.error:.1%} of the nodes go out wrong unasked."
        if mistakes > 0.5 * blind:
            said += (
                f" The graph carries little signal about these labels: {mistakes / total:.0%} wrong "
                f"so far, {blind / total:.0%} by the most frequent class."
            )
        return said

    def explain(self, node: int, channel: int) -> list[tuple[int, float]]:
        """What each label adds to the lead of a class, by the most trusted kernel expert that agrees.

        Its shares are scaled to add up to the lead in the mixture.
        """
        winner, chances = self.judge(node)
        others = [c for c in np.argsort(-chances).tolist() if c != channel]
        margins = np.zeros(self.problems)
        leads(winner, chances, margins)
        lead = float(margins[channel] if self.problems > 1 else margins[0] * (1 if channel else -1))
        trust = self.mixing.trust
        for k in sorted(range(len(self.experts)), key=lambda k: -trust[k]):
            shares = self.experts[k].explain(node, channel, others[0]) if self.experts[k].is_kernel else {}
            total = math.fsum(shares.values())
            if total * lead > 0:
                scaled = [(other, share * lead / total) for other, share in shares.items()]
                return sorted(scaled, key=lambda share: -abs(share[1]))
        return []


def leads(winner: int, chances: Floats, margins: Floats) -> None:
    """The lead of every class: the mixture decides who leads, the probabilities by how much.

    Where the two disagree the lead is next to nothing, so that such nodes are the first to be asked for.
    """
    if int(np.argmax(chances)) != winner:
        chances = chances.copy()
        chances[winner] = chances.max() + 1e-9
    to_margins(chances, margins)

"""The contract of keeping: a game put back where it was goes on like the one it was taken from, bit for bit.

Several ways lead to the same place, and each is compared with learning one answer after the other: a snapshot
put into a fresh game, a twin, at once or made in steps while the game learns on (`Game.keeping`), answers
learnt in one call (`Game.teach`, `Game.scores_in_order`), and other answers that were learnt and taken back
(`Game.learn_reversibly`), which must also say the same as if learnt for good. From
there all of them are told the rest of the game, and every score of every node is compared after each answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.checks.contract import CHECKS, ContractError
from zerokelvin.checks.examples import Example, examples
from zerokelvin.learners import Learner
from zerokelvin.learners.base import Game

__all__ = ["KeptGames"]

Ints = NDArray[np.int64]


class KeptGames:
    """One game of an example, learnt answer by answer, and those that are to be at the same place."""

    def __init__(self, learner: Learner, example: Example) -> None:
        self.learner, self.example = learner, example
        self.prepared = learner.prepare(example.graph)
        place = {label: code for code, label in enumerate(example.classes)}
        self.nodes: Ints = np.array(example.order, dtype=np.int64)
        self.codes: Ints = np.array([place[example.labels[node]] for node in example.order], dtype=np.int64)

    def fresh(self) -> Game:
        """Another game of the same learner and graph that has learnt nothing."""
        classes = max(2, len(self.example.classes))
        return self.learner.start_game(self.example.graph, classes, self.prepared, 5)

    def compare(self, half: int) -> None:
        """Refuse a game that differs from the plain one, the way there and from then on."""
        plain = self.fresh()
        before = [self._learn(plain, t) for t in range(half)]
        others = self._others(plain, half, np.array(before).reshape(half, plain.columns))
        for t in range(half, len(self.nodes)):
            self._same(plain, others, t)
            for game in (plain, *others.values()):
                game.learn(int(self.nodes[t]), int(self.codes[t]))
        self._same(plain, others, len(self.nodes))

    def _learn(self, game: Game, t: int) -> Any:
        score = game.score(int(self.nodes[t]))
        game.learn(int(self.nodes[t]), int(self.codes[t]))
        return score

    def _others(self, plain: Game, half: int, before: NDArray[np.float64]) -> dict[str, Game]:
        """Games brought to where the plain one is, by what brought them there."""
        ways = ("teach", "scores_in_order", "two lessons")
        others: dict[str, Game] = {name: self.fresh() for name in ways}
        others["teach"].teach(self.nodes[:half], self.codes[:half])
        for part in (slice(0, half // 2), slice(half // 2, half)):
            others["two lessons"].teach(self.nodes[part], self.codes[part])
        seen = others["scores_in_order"].scores_in_order(self.nodes[:half], self.codes[:half])
        if not np.array_equal(seen, before):
            self._refuse("scores_in_order gives other scores than score and learn")
        twin = plain.twin()
        if twin is not None:
            others["twin"] = twin
            packed = plain.twin(kept=True)
            again = None if packed is None else packed.twin()
            if again is None:
                self._refuse("a game with a twin has none that is kept")
            else:
                others["kept twin"] = again
        others |= self._in_steps(half)
        others |= self._taken_back(half)
        if plain.fields:
            snapshot = plain.snapshot()
            if set(snapshot) != set(plain.fields) or set(self.fresh().fields) != set(plain.fields):
                self._refuse("a snapshot does not hold its fields")
            others["restore"] = self.fresh()
            others["restore"].restore(snapshot)
        return others

    def _in_steps(self, half: int) -> dict[str, Game]:
        """A twin made in steps from the middle of the way on, where the game knows steps."""
        game = self.fresh()
        for t in range(half // 2):
            self._learn(game, t)
        steps = game.keeping()
        if steps is None:
            return {}
        found = next(steps, game)
        for t in range(half // 2, half):
            self._learn(game, t)
            found = next(steps, game) if found is None else found
        if found is not None:  # it was done before the game was: begin again at the end
            steps = game.keeping() or steps
            found = None
        while found is None:
            found = next(steps, game)
        again = None if found is game else found.twin()
        return {} if again is None else {"twin in steps": again}

    def _taken_back(self, half: int) -> dict[str, Game]:
        """A game that on its way, and at its end, has learnt other answers and taken them back."""
        game, beside, count = self.fresh(), self.fresh(), len(self.nodes)
        for t in range(half + 1):
            done = []
            for step in (1, 2) if count else ():  # two answers, wrong ones among them, the last back first
                place = (t + step * (count // 3 + 1)) % count
                node, code = int(self.nodes[place]), int(self.codes[(place + step) % count])
                undo = game.learn_reversibly(node, code)
                if undo is None:
                    return {}
                done.append((undo, node, code))
            if t == half:
                supposed = {"learning reversibly": game}
                for _, node, code in done:
                    beside.learn(node, code)
                self._same(beside, supposed, half + len(done))
            for undo, _, _ in reversed(done):
                undo.back()
            if t < half:
                self._learn(game, t)
                self._learn(beside, t)
        return {"taking back": game}

    def _same(self, plain: Game, others: dict[str, Game], t: int) -> None:
        nodes = np.arange(self.example.graph.num_nodes)
        scores = plain.scores(nodes)
        for name, game in others.items():
            if not np.array_equal(game.scores(nodes), scores):
                self._refuse(f"after {t} answers a game by {name} has other scores than the one it equals")

    def _refuse(self, fault: str) -> None:
        raise ContractError(f"learner '{self.learner.name}': {fault} on {self.example.name}.")


@CHECKS.add("a game that is put back goes on like the one it was taken from")
def _kept(learner: Learner) -> None:
    for example in examples(learner):
        games = KeptGames(learner, example)
        for half in {0, 1, len(games.nodes) // 2}:
            games.compare(min(half, len(games.nodes)))

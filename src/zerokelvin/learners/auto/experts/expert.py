"""What an expert is: a game with a name and a floor, and the kinds of experts that there are.

All weights are first scaled to a mean degree of 4, so that experts mean the same whatever the unit of the
weights. An expert says how much evidence there is for each class at a node, learns classes, and, where the
whole order is known beforehand, does both for all trials at once at the speed of its own compiled game: all
of it is its game's. The floor is what the mixture adds to its evidence (`zerokelvin.learners.auto.mixing`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.graph.attributes import Attributes
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.learners.auto.settings import KERNEL_FLOOR
from zerokelvin.learners.base import Game
from zerokelvin.registry import Registry
from zerokelvin.threads import in_threads

__all__ = [
    "KINDS",
    "Acquainted",
    "Expert",
    "Kind",
    "PreparedExperts",
    "expert",
    "prepare_experts",
    "start_experts",
]


class Expert:
    """One voice in the mixture.

    `is_kernel` says that its evidence is a smooth function on the graph, which can be told apart into what
    each label adds; `is_estimate`, that it estimates whether a node is of a class, 0 or 1, so that the
    combination takes it as it is too; `uses_attributes`, that it speaks of more than the graph; `relearns`,
    that on a grown graph it learns all answers again, since it would see what was there before otherwise.
    """

    is_kernel: ClassVar[bool] = True
    is_estimate: ClassVar[bool] = True
    uses_attributes: ClassVar[bool] = False
    relearns: bool = False

    def __init__(self, name: str, game: Game, floor: float = KERNEL_FLOOR) -> None:
        self.name = name
        self.game = game
        self.floor = floor

    def evidence(self, nodes: Any) -> Floats:
        """How much speaks for each class, (nodes, classes)."""
        return self.game.evidence(nodes)

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in how much speaks for each class at one node."""
        self.game.tell(node, evidence)

    def learn(self, node: int, code: int) -> None:
        """Take the class of a node."""
        self.game.learn(node, code)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Take the classes of nodes one after the other: the evidence before each, (nodes, classes)."""
        return self.game.learn_in_order(nodes, codes)

    def shares(self, node: int, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to the lead of a class over a rival; empty where unknown."""
        return self.game.shares(node, code, rival)


class Acquainted(Expert):
    """A voice that knows attributes of the nodes, of which the combination of the others takes nothing."""

    uses_attributes = True
    relearns = True


class Kind(ABC):
    """A kind of experts: what it prepares on a graph once, and the experts it starts in every game.

    Kinds speak in the order of their `rank`.
    """

    rank: ClassVar[int]

    @abstractmethod
    def prepare(self, graph: Graph, scaled: Graph) -> Any:
        """The work on the graph alone; `scaled` has the common mean degree. Shared, so never changed."""

    def prepare_local(self, graph: Graph) -> Any:
        """What `start` needs to work around each label only; None where this kind cannot."""
        return None

    @abstractmethod
    def start(self, ready: Any, classes: int, tol: float, seed: int) -> list[Expert]:
        """The experts of one game, with nothing learnt."""


KINDS: Registry[Kind] = Registry(
    "kind of experts", room="zerokelvin.learners.auto.experts", decorator="expert"
)
K = TypeVar("K", bound=type[Kind])

MANY = 1 << 12
"""Nodes from which on kinds prepare in several threads: for fewer, these take longer to start."""


def expert(name: str) -> Callable[[K], K]:
    """Class decorator that makes a kind of experts part of `auto`."""

    def register(cls: K) -> K:
        KINDS.add(name)(cls())
        return cls

    return register


@dataclass(frozen=True, eq=False)
class PreparedExperts:
    """What depends on the graph alone: what every kind has prepared, and the attributes of its nodes."""

    ready: dict[str, Any]
    local: bool
    attributes: Attributes | None = None


def prepare_experts(graph: Graph, local: bool = False) -> PreparedExperts:
    """The kernels and trees of a graph, shared by all classes and shuffles; if `local`, only local work."""
    if local:
        kinds = {name: KINDS[name].prepare_local(graph) for name in KINDS}
        ready = {name: found for name, found in kinds.items() if found is not None}
        return PreparedExperts(ready, True, graph.attributes)
    scaled = at_mean_degree(graph)
    tasks = [partial(KINDS[name].prepare, graph, scaled) for name in KINDS]
    ready = dict(zip(KINDS, in_threads(tasks, worth=graph.num_nodes >= MANY), strict=True))
    return PreparedExperts(ready, False, graph.attributes)


def start_experts(prepared: PreparedExperts, classes: int, tol: float, seed: int) -> list[Expert]:
    """All experts of one game, with nothing learnt."""
    ranked = sorted(prepared.ready, key=lambda name: KINDS[name].rank)
    started = (KINDS[name].start(prepared.ready[name], classes, tol, seed) for name in ranked)
    return [one for experts in started for one in experts]

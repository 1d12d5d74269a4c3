"""The game: predict, reveal, learn, over a whole labelling.

`play` shows the nodes to a learner one at a time. Each trial it predicts the class, asks for the
label if its policy says so, and learns from the answer. `play_shuffles` repeats that over several
random orders. Both are exact functions of their arguments: the same seed gives the same run.

``label_noise``, ``concept_noise``, ``repeats`` and ``drift`` change what is shown
(`zerokelvin.games.showing`); ``delay`` lets a label reach the learner that many trials late; ``forget`` lets
the learner predict from its latest answers only.

Above 300 lines: two functions with all their parameters explained, and what they share.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.array_types import Ints
from zerokelvin.asking import names_policies
from zerokelvin.asking.class_prior import follow_prior
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.costs import priced_policy
from zerokelvin.bound import Bound
from zerokelvin.errors import LabelError
from zerokelvin.games.counts import LARGEST, require_whole
from zerokelvin.games.game_bound import game_bound
from zerokelvin.games.labels import Labelling, decide, encode_labels, to_signs
from zerokelvin.games.run_result import Run, Runs
from zerokelvin.games.showing import Disturbance, Shown, show_labels
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Domain, Graph, with_attributes
from zerokelvin.graph.features import Features
from zerokelvin.jit import compilation_seconds
from zerokelvin.learners import Always, Game, Learner, Policy, Trace, Trials, parse_policy
from zerokelvin.learners.base import Progress

__all__ = ["play", "play_shuffles"]


@names_policies
def play(
    graph: Graph | Features,
    labels: Any,
    learner: str | Learner = "auto",
    *,
    order: Any = None,
    seed: int = 0,
    classes: Sequence[Hashable] | None = None,
    policy: Policy | str | None = None,
    budget: int | None = None,
    costs: Any = None,
    label_noise: float = 0.0,
    concept_noise: float = 0.0,
    repeats: int = 1,
    delay: int = 0,
    drift: int = 0,
    forget: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    prepared: Any = None,
    attributes: Any = None,
    **params: Any,
) -> Run:
    """Play one game over all labelled nodes and return what happened.

    Parameters
    ----------
    graph, labels
        The graph and its labelling: an array in node order (None, NaN or masked where unknown) or a
        mapping from node names.
    learner, params
        A registered name with its parameters, or a learner object.
    order
        Node names in the order to play, repeats allowed; by default all labelled nodes, shuffled.
    seed
        Decides the shuffle, the noise and every coin.
    classes
        The classes in order; by default the distinct labels, sorted.
    policy, budget
        When to ask ({policies}; see `zerokelvin.asking`) and how often at most.
    costs
        What mistakes and questions cost, ``{"miss": 20, "alarm": 1, "ask": 0.5}``: they decide what is
        predicted and when to ask, in the place of a policy (`zerokelvin.asking.costs`). The class that may be
        missed is the rarest, or named as ``"class"``.
    label_noise, concept_noise, repeats, delay, drift
        See the module and `zerokelvin.games.showing`.
    forget
        Predict from at least this many and below twice as many of the latest answers; see
        `zerokelvin.learners.wrappers.forgetting`.
    progress
        Called with (trials done, trials in all) as the game goes on.
    prepared
        What ``learner.prepare(graph)`` gave earlier, to save doing it again.
    attributes
        What is known of every node beside its edges: an array, a sparse matrix or a frame with a row for
        each, as in `Graph.with_attributes`. `auto` predicts from them too.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> run = play(line, ["a", "a", "b", "b"], "perceptron", order=[0, 3, 1, 2])
    >>> run.predictions.tolist(), run.mistakes
    (['b', 'a', 'a', 'b'], 2)
    """
    graph = with_attributes(graph, attributes)
    asking = parse_policy(priced_policy(policy, costs))
    chosen = wrapped(learners.make(learner, **params), asking, forget)
    chosen.check_domain(graph)
    disturbance = Disturbance(label_noise, concept_noise, repeats, drift)
    delay, seed = require_whole("delay", delay), require_whole("seed", seed)
    limit = LARGEST if budget is None else require_whole("budget", budget)
    labelling = encode_labels(graph, labels, classes)
    _require_playable(chosen, labelling)
    shown = show_labels(graph, labelling, order, disturbance, np.random.default_rng(seed))
    total = len(shown.nodes)
    signs = to_signs(shown.codes, len(labelling.classes))
    trials = make_trials(graph, shown.nodes, signs, asking, seed, min(delay, total), limit)
    report = None if progress is None else (lambda done: progress(done, total))
    named = chosen.named(labelling.classes)
    played = _play_timed(named, graph, trials, prepared, seed, report)
    restricted = budget is not None or not isinstance(asking, Always)
    held_back = delay > 0 or (restricted and not played.trace.asked.all())
    return _run(graph, chosen, seed, shown, trials, played, held_back)


def play_shuffles(
    graph: Graph | Features,
    labels: Any,
    learner: str | Learner = "auto",
    *,
    shuffles: int = 20,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    classes: Sequence[Hashable] | None = None,
    policy: Policy | str | None = None,
    budget: int | None = None,
    costs: Any = None,
    label_noise: float = 0.0,
    concept_noise: float = 0.0,
    repeats: int = 1,
    delay: int = 0,
    drift: int = 0,
    forget: int | None = None,
    attributes: Any = None,
    **params: Any,
) -> Runs:
    """Play `shuffles` games in different random orders; game i is ``play(..., seed=seed + i)``.

    The work on the graph alone is done once for all. `progress` is called with (trials, trials in
    all) over all games; the other parameters are those of `play`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> runs = play_shuffles(line, ["a", "a", "b", "b"], "perceptron", shuffles=3)
    >>> len(runs.runs), round(runs.mean("mistakes"), 3)
    (3, 1.667)
    """
    graph = with_attributes(graph, attributes)
    shuffles = require_whole("shuffles", shuffles, 1)
    require_whole("seed + shuffles", (seed := require_whole("seed", seed)) + shuffles)
    policy = parse_policy(priced_policy(policy, costs))
    chosen = wrapped(learners.make(learner, **params), policy, forget)
    chosen.check_domain(graph)
    labelling = encode_labels(graph, labels, classes)
    began = time.perf_counter()
    with compilation_seconds() as compiling:
        prepared = chosen.prepare(graph)
    preparing = time.perf_counter() - began - compiling.seconds
    runs = []
    for i in range(shuffles):
        report = None
        if progress is not None:

            def report(done: int, total: int, played: int = i) -> None:
                progress(played * total + done, shuffles * total)

        runs.append(
            play(
                graph,
                labelling,
                chosen,
                seed=seed + i,
                policy=policy,
                budget=budget,
                label_noise=label_noise,
                concept_noise=concept_noise,
                repeats=repeats,
                delay=delay,
                drift=drift,
                progress=report,
                prepared=prepared,
            )
        )
    return Runs(tuple(runs), preparing)


def _require_playable(learner: Learner, labelling: Labelling) -> None:
    """Refuse a labelling in which there is nothing to play, or that the learner cannot take."""
    if len(labelling.known) == 0:
        raise LabelError("no node has a label; a game needs at least one.")
    if not learner.multiclass and len(labelling.classes) > 2:
        raise LabelError(f"learner '{learner.name}' takes two classes, not {len(labelling.classes)}.")


class _Played(NamedTuple):
    """The game after its last trial, what happened in it, and the seconds it took as `Run` has them."""

    game: Game
    trace: Trace
    seconds: float
    processor_seconds: float
    compile_seconds: float


def _play_timed(
    learner: Learner,
    graph: Graph | Features,
    trials: Trials,
    prepared: Any,
    seed: int,
    report: Progress | None,
) -> _Played:
    """Let a learner play trials from a fresh start."""
    with compilation_seconds() as compiling:
        began, worked = time.perf_counter(), time.thread_time()
        if prepared is None:
            prepared = learner.prepare(graph)
        game = learner.start_game(graph, max(2, trials.signs.shape[1]), prepared, seed)
        trace = game.play(trials, report)
        worked = time.thread_time() - worked
        seconds = time.perf_counter() - began - compiling.seconds
    return _Played(game, trace, seconds, worked, compiling.seconds)


def _run(
    graph: Graph | Features,
    learner: Learner,
    seed: int,
    shown: Shown,
    trials: Trials,
    played: _Played,
    held_back: bool,
) -> Run:
    """What a game leaves behind; `held_back` says that a policy, a budget or a delay kept labels from it."""
    trace, classes = played.trace, shown.concept.classes
    by_margin = decide(trace.margins, len(classes))
    predicted = by_margin.copy()
    asked = np.asarray(trace.asked.any(axis=1))
    if not played.game.decides_alone:
        follow_prior(
            shown.nodes, shown.codes, asked, trials.delay, graph.label_components, len(classes), predicted
        )
    guessed = predicted != by_margin

    def bound() -> Bound:
        return game_bound(
            graph, played.game, shown.concept, by_prior=bool(guessed.any()), held_back=held_back
        )

    return Run(
        graph=graph,
        learner=learner,
        classes=classes,
        seed=seed,
        nodes=shown.nodes,
        codes=shown.codes,
        predicted=predicted,
        guessed=guessed,
        margins=trace.margins,
        asked=trace.asked,
        seconds=played.seconds,
        processor_seconds=played.processor_seconds,
        compile_seconds=played.compile_seconds,
        make_bound=bound,
    )


def make_trials(
    graph: Domain,
    nodes: Ints,
    signs: NDArray[np.int8],
    policy: Policy,
    seed: int,
    delay: int = 0,
    budget: int | None = None,
) -> Trials:
    """The trials of a game in which these nodes are shown with these signs, one column per problem."""
    numbers = np.arange(len(nodes))
    return Trials(
        nodes=nodes,
        signs=signs,
        limits=policy.limits(coins(seed, numbers)),
        delay=delay,
        budget=LARGEST if budget is None else budget,
        gains=policy.gains(numbers) if policy.needs_spread else None,
        floors=policy.floors(numbers, coins(seed, numbers)) if policy.needs_spread else None,
        by_value=policy.needs_value,
        num_nodes=graph.num_nodes,
    )

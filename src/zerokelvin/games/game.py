"""The game: predict, reveal, learn, over a whole labelling.

`play` shows the nodes to a learner one at a time. Each trial it predicts the class, asks for the
label if its policy says so, and learns from the answer. `play_shuffles` repeats that over several
random orders. Both are exact functions of their arguments: the same seed gives the same run.

Noise: ``label_noise`` is the probability that a revealed label is replaced by another class,
independently per trial; ``concept_noise`` the share of nodes whose label is changed for good before
the game; ``repeats`` plays the order several times; ``delay`` lets a label reach the learner that
many trials late. Drift: ``drift`` times, evenly spread over the game, two classes drawn at random change
places, so that the nodes of the one have the label of the other from then on; every cut stays as it was.
``forget`` lets the learner predict from its latest answers only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin import learners
from zerokelvin.asking.policies import coins
from zerokelvin.bound import Bound
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games.counts import LARGEST, require_share, require_whole
from zerokelvin.games.game_bound import game_bound
from zerokelvin.games.labels import Labelling, decide, encode_labels, num_problems, to_signs
from zerokelvin.games.run_result import Run, Runs
from zerokelvin.games.wrapping import wrapped
from zerokelvin.graph import Domain, Graph, as_graph
from zerokelvin.graph.features import Features
from zerokelvin.jit import compilation_seconds, kernel
from zerokelvin.learners import Always, Learner, Policy, Trials, parse_policy

__all__ = ["play", "play_shuffles"]

Ints = NDArray[np.int64]

MOST_TRIALS = 2**34
"""More than any memory holds."""


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
    label_noise: float = 0.0,
    concept_noise: float = 0.0,
    repeats: int = 1,
    delay: int = 0,
    drift: int = 0,
    forget: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    prepared: Any = None,
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
        When to ask (``"always"``, ``"random:RATE"``, ``"margin:SCALE"``, ``"variance:KAPPA"``,
        ``"doubt:SCALE"``, ``"value:SCALE"``; see `zerokelvin.asking.policies`) and how often at most.
    label_noise, concept_noise, repeats, delay, drift
        See the module.
    forget
        Predict from at least this many and below twice as many of the latest answers; see
        `zerokelvin.learners.wrappers.forgetting`.
    progress
        Called with (trials done, trials in all) as the game goes on.
    prepared
        What ``learner.prepare(graph)`` gave earlier, to save doing it again.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> run = play(line, ["a", "a", "b", "b"], "perceptron", order=[0, 3, 1, 2])
    >>> run.predictions.tolist(), run.mistakes
    (['b', 'a', 'a', 'b'], 2)
    """
    graph = as_graph(graph)
    asking = parse_policy(policy)
    chosen = wrapped(learners.make(learner, **params), asking, forget)
    chosen.check_domain(graph)
    label_noise = require_share("label_noise", label_noise)
    concept_noise = require_share("concept_noise", concept_noise)
    repeats = require_whole("repeats", repeats, 1)
    delay, drift, seed = (
        require_whole(name, count) for name, count in (("delay", delay), ("drift", drift), ("seed", seed))
    )
    limit = LARGEST if budget is None else require_whole("budget", budget)
    labelling = encode_labels(graph, labels, classes)
    if len(labelling.known) == 0:
        raise LabelError("no node has a label; a game needs at least one.")
    if not chosen.multiclass and len(labelling.classes) > 2:
        raise LabelError(f"learner '{chosen.name}' takes two classes, not {len(labelling.classes)}.")
    rng = np.random.default_rng(seed)
    known = graph.name_order[labelling.codes[graph.name_order] >= 0]  # by name: so are noise and shuffle
    concept = _flipped(labelling, known, concept_noise, rng)
    nodes = rng.permutation(known) if order is None else _order(graph, concept, order)
    for name, count in (("repeats", repeats), ("drift", drift)):
        if count * len(nodes) > MOST_TRIALS:
            raise ParameterError(f"{name}={count} is too large for {len(nodes)} labels; give a smaller one.")
    nodes = np.tile(nodes, repeats)
    shown = _flipped(
        Labelling(concept.codes[nodes], concept.classes), np.arange(len(nodes)), label_noise, rng
    ).codes
    shown = _drifted(shown, len(labelling.classes), drift, rng)
    signs = to_signs(shown, len(labelling.classes))
    trials = make_trials(graph, nodes, signs, asking, seed, min(delay, len(nodes)), limit)
    report = None if progress is None else (lambda done: progress(done, len(nodes)))
    with compilation_seconds() as compiling:
        began, worked = time.perf_counter(), time.thread_time()
        if prepared is None:
            prepared = chosen.prepare(graph)
        problems = chosen.start_problems(graph, num_problems(len(labelling.classes)), prepared, seed)
        trace = problems.play(trials, report)
        worked = time.thread_time() - worked
        seconds = time.perf_counter() - began - compiling.seconds
    asked = np.asarray(trace.asked.any(axis=1))
    codes = decide(trace.margins, len(labelling.classes))
    by_margin = codes.copy()
    _guess_prior(nodes, shown, asked, trials.delay, graph.components, len(labelling.classes), codes)

    restricted = budget is not None or not isinstance(asking, Always)
    held_back = delay > 0 or (restricted and not trace.asked.all())

    def bound() -> Bound:
        by_prior = not np.array_equal(codes, by_margin)
        return game_bound(graph, problems, concept, by_prior=by_prior, held_back=held_back)

    return Run(
        graph=graph,
        learner=chosen,
        classes=labelling.classes,
        seed=seed,
        nodes=nodes,
        codes=shown,
        predicted=codes,
        guessed=codes != by_margin,
        margins=trace.margins,
        asked=trace.asked,
        seconds=seconds,
        processor_seconds=worked,
        compile_seconds=compiling.seconds,
        make_bound=bound,
    )


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
    label_noise: float = 0.0,
    concept_noise: float = 0.0,
    repeats: int = 1,
    delay: int = 0,
    drift: int = 0,
    forget: int | None = None,
    **params: Any,
) -> Runs:
    """Play `shuffles` games in different random orders; game i is ``play(..., seed=seed + i)``.

    The work on the graph alone is done once for all. `progress` is called with (trials, trials in
    all) over all games.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> runs = play_shuffles(line, ["a", "a", "b", "b"], "perceptron", shuffles=3)
    >>> len(runs.runs), round(runs.mean("mistakes"), 3)
    (3, 1.667)
    """
    graph = as_graph(graph)
    shuffles = require_whole("shuffles", shuffles, 1)
    require_whole("seed + shuffles", (seed := require_whole("seed", seed)) + shuffles)
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
        floors=policy.floors(numbers) if policy.needs_spread else None,
        by_value=policy.needs_value,
        num_nodes=graph.num_nodes,
    )


def _order(graph: Domain, labelling: Labelling, order: Any) -> Ints:
    nodes = np.array([graph.index(_scalar(name)) for name in order], dtype=np.int64)
    unlabelled = nodes[labelling.codes[nodes] < 0]
    if len(unlabelled):
        raise LabelError(f"node {graph.name(unlabelled[0])!r} is in the order but has no label; drop it.")
    return nodes


def _scalar(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name


def _flipped(labelling: Labelling, where: Ints, share: float, rng: np.random.Generator) -> Labelling:
    """Replace the code by another class with probability `share`, independently at each place."""
    count = len(labelling.classes)
    if share == 0 or count < 2:
        return labelling
    codes = labelling.codes.copy()
    hit = where[rng.random(len(where)) < share]
    codes[hit] = (codes[hit] + rng.integers(1, count, len(hit))) % count
    return Labelling(codes, labelling.classes)


def _drifted(codes: Ints, count: int, drift: int, rng: np.random.Generator) -> Ints:
    """Let two classes change places `drift` times, evenly spread over the trials."""
    if drift == 0 or count < 2:
        return codes
    moved = codes.copy()
    place = np.arange(count)
    for moment in np.linspace(0, len(codes), drift + 2)[1:-1].astype(np.int64):
        pair = rng.choice(count, 2, replace=False)
        place[pair] = place[pair[::-1]]
        moved[moment:] = place[codes[moment:]]
    return moved


@kernel
def _guess_prior(
    nodes: Ints,
    codes: Ints,
    asked: NDArray[np.bool_],
    delay: int,
    component: Ints,
    num_classes: int,
    predicted: Ints,
) -> None:
    """Predict the most frequent class so far where a node's component has no label yet."""
    counts = np.zeros(num_classes, dtype=np.int64)
    labelled = np.zeros(component.max() + 1, dtype=np.bool_)
    any_label = False
    for t in range(len(nodes)):
        due = t - delay - 1
        if due >= 0 and asked[due]:
            counts[codes[due]] += 1
            labelled[component[nodes[due]]] = True
            any_label = True
        if any_label and not labelled[component[nodes[t]]]:
            predicted[t] = np.argmax(counts)

"""How good predictions would be on a graph some of whose labels are known: held out, and one at a time.

*Held out*: the known labels are dealt into folds; each fold is hidden in turn, a session is taught the others
and predicts the hidden ones. That is what `predict` would do with nearly as many labels. *One at a time*: all
known labels in random orders, each predicted before it is told, from the first on, as a review queue lives
through it. Both stand beside the majority guess (`zerokelvin.games.class_figures`).

The probabilities of the held-out predictions are judged too: by how far the mean probability of the predicted
class is from the share of right predictions, over ten groups of like probability weighed by their sizes
(expected calibration error, Naeini, Cooper and Hauskrecht 2015), and by the errors among those that the
policy would not ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking import names_policies, parse_policy
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.experiments.predictions.prediction_columns import predict_columns
from zerokelvin.games import play_shuffles
from zerokelvin.games.class_figures import ClassFigures, class_figures
from zerokelvin.games.labels import Labelling, encode_labels
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner, make
from zerokelvin.session import Session, start

__all__ = ["Evaluation", "HeldOut", "calibration_error", "evaluate", "taught_session"]

GROUPS = 10
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out predictions of all folds: what was true, what was predicted and how probable it was."""

    codes: Ints
    predicted: Ints
    shares: Floats
    asks: Bools
    figures: ClassFigures

    @property
    def unasked_error(self) -> float | None:
        """Of the predictions that the policy would not ask about, those wrong; None where there are none."""
        quiet = ~self.asks
        return float((self.predicted != self.codes)[quiet].mean()) if quiet.any() else None

    @property
    def calibration_error(self) -> float:
        """How far probabilities are from frequencies; see the module."""
        rows = np.arange(len(self.codes))
        return calibration_error(self.shares[rows, self.predicted], self.predicted == self.codes)

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return {
            "nodes": len(self.codes),
            "error": self.figures.error,
            "asked": int(self.asks.sum()),
            "unasked_error": self.unasked_error,
            "calibration_error": self.calibration_error,
            **self.figures.as_dict(),
        }


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What came of `evaluate`: held out, and the error over games one at a time (mean and deviation)."""

    nodes: int
    edges: int
    labels: int
    classes: tuple[Hashable, ...]
    learner: str
    folds: int
    shuffles: int
    seed: int
    held_out: HeldOut
    online_error: float
    online_error_std: float

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        plain = ("nodes", "edges", "labels", "learner", "folds", "shuffles", "seed")
        return {name: getattr(self, name) for name in plain} | {
            "classes": list(self.classes),
            "held_out": self.held_out.as_dict(),
            "online": {"error": self.online_error, "error_std": self.online_error_std},
        }


@names_policies
def evaluate(
    graph: Graph,
    labels: Any,
    learner: str | Learner = "auto",
    *,
    params: Mapping[str, Any] | None = None,
    policy: str = "value",
    folds: int = 5,
    shuffles: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure how good predictions would be.

    Parameters
    ----------
    graph, labels
        As for `zerokelvin.play`; nodes without a label are not judged.
    learner, params, policy
        The learner, its parameters, and when it asks ({policies}).
    folds, shuffles
        Into how many parts labels are dealt, and how many random orders are played.
    seed
        Decides folds, orders and coins.
    progress
        Called with (what is being done, steps done, steps in all).

    Examples
    --------
    >>> from zerokelvin import generators
    >>> barbell = generators.barbell(20)
    >>> found = evaluate(barbell.graph, barbell.labels, "nearest", folds=4)
    >>> found.held_out.figures.error, found.held_out.figures.majority_error
    (0.0, 0.5)
    """
    if folds < 2:
        raise ParameterError(f"folds={folds} must be at least 2: one part is hidden, the others are taught.")
    parse_policy(policy)
    labelling = encode_labels(graph, labels)
    known = len(labelling.known)
    if known < folds:
        raise LabelError(f"{known} known labels cannot be dealt into {folds} parts; give more labels.")
    chosen = make(learner, **(params or {}))
    report = progress or (lambda *_: None)
    held_out = _held_out(graph, labelling, chosen, policy, folds, seed, report)
    runs = play_shuffles(
        graph,
        labelling,
        chosen,
        shuffles=shuffles,
        seed=seed,
        progress=lambda done, total: report("Playing", done, total),
    )
    return Evaluation(
        nodes=graph.num_nodes,
        edges=graph.num_edges,
        labels=known,
        classes=labelling.classes,
        learner=chosen.name,
        folds=folds,
        shuffles=shuffles,
        seed=seed,
        held_out=held_out,
        online_error=runs.mean("error_multiclass"),
        online_error_std=runs.std("error_multiclass"),
    )


def taught_session(
    graph: Graph, labelling: Labelling, known: Ints, learner: Learner, policy: str | None, seed: int
) -> Session:
    """A session that was taught the labels of the nodes `known`, in an order that the seed decides.

    The order matters to learners that only learn from mistakes, and a file sorted by class is a bad one.
    """
    session = start(graph, learner, classes=labelling.classes, policy=policy, seed=seed)
    by_name = known[np.argsort(graph.name_ranks[known])]
    order = np.random.default_rng(seed).permutation(by_name)
    labels = (labelling.classes[code] for code in labelling.codes[order].tolist())
    session.teach([(graph.name(node), label) for node, label in zip(order.tolist(), labels, strict=True)])
    return session


def calibration_error(chances: Floats, right: Bools) -> float:
    """How far the probabilities of predictions are from the shares of right ones; see the module.

    >>> calibration_error(np.array([0.75, 0.75, 0.75, 0.75]), np.array([True, True, True, False]))
    0.0
    """
    group = np.minimum((chances * GROUPS).astype(np.int64), GROUPS - 1)
    gaps = np.bincount(group, weights=chances - right, minlength=GROUPS)
    return float(np.abs(gaps).sum() / len(chances))


def _held_out(
    graph: Graph,
    labelling: Labelling,
    learner: Learner,
    policy: str,
    folds: int,
    seed: int,
    report: Progress,
) -> HeldOut:
    known = labelling.known
    by_name = known[np.argsort(graph.name_ranks[known])]
    dealt = np.random.default_rng(seed).permutation(by_name)
    codes, guesses, shares, asks = [], [], [], []
    for fold in range(folds):
        report("Holding out", fold, folds)
        hidden = np.zeros(graph.num_nodes, dtype=np.bool_)
        hidden[dealt[fold::folds]] = True
        session = taught_session(graph, labelling, known[~hidden[known]], learner, policy, seed)
        for part in predict_columns(session, known[hidden[known]]):
            codes.append(labelling.codes[part.nodes])
            guesses.append(part.codes)
            shares.append(part.shares)
            asks.append(part.asks)
    report("Holding out", folds, folds)
    true, chances = np.concatenate(codes), np.concatenate(shares)
    predicted = np.concatenate(guesses)
    margins = chances[:, 1] - chances[:, 0] if len(labelling.classes) == 2 else None
    figures = class_figures(labelling.classes, true, predicted, margins)
    return HeldOut(true, predicted, chances, np.concatenate(asks), figures)

"""How good predictions are class by class, and beside the guess that needs no learner.

Where 2 % of the nodes are of a class, "1.9 % wrong" says nothing: whoever always names the other class is
wrong 2 % of the time. With TP the predictions of a class that were right,

    precision = TP / predictions of the class,    recall = TP / nodes of the class,
    F1 = 2 TP / (predictions + nodes of the class),    macro-F1 = the mean over the classes that occur,

where 0/0 is 0. The majority error is that of always naming the most frequent class, known in hindsight. Of
two classes the rarer one is looked for (of equally many the second), and the margins order the nodes:

    AUC = the chance that a node of it stands before one of the other class, ties counting half;
    average precision = Σₖ (Rₖ − Rₖ₋₁) Pₖ, precision and recall of the first nodes up to each distinct margin.

A random order has AUC ½ and an average precision of the share of the class.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints

__all__ = ["ClassFigures", "class_figures"]


@dataclass(frozen=True)
class ClassFigures:
    """Figures of predictions class by class, in the order of `classes`; see the module.

    `confusion` counts nodes, a row per true class and a column per predicted one. `auc` and
    `average_precision` are None unless two classes occur, `sought` is then the class they look for.
    """

    classes: tuple[Hashable, ...]
    confusion: Ints
    precision: Floats
    recall: Floats
    f1: Floats
    macro_f1: float
    error: float
    majority_error: float
    sought: Hashable | None
    auc: float | None
    average_precision: float | None

    @property
    def counts(self) -> Ints:
        """How many nodes of each class there are."""
        return np.asarray(self.confusion.sum(axis=1))

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return {
            "majority_error": self.majority_error,
            "macro_f1": self.macro_f1,
            "auc": self.auc,
            "average_precision": self.average_precision,
            "sought": self.sought,
            "per_class": [
                {"label": label, "count": count, "precision": precision, "recall": recall, "f1": f1}
                for label, count, precision, recall, f1 in zip(
                    self.classes,
                    self.counts.tolist(),
                    self.precision.tolist(),
                    self.recall.tolist(),
                    self.f1.tolist(),
                    strict=True,
                )
            ],
        }


def class_figures(
    classes: Sequence[Hashable], codes: Ints, predicted: Ints, margins: Floats | None = None
) -> ClassFigures:
    """The figures of predictions against the truth, both as codes of `classes`.

    `margins`, one per node, are larger the more speaks for the second of two classes; without them nothing is
    said about the order.

    Examples
    --------
    >>> found = class_figures(["ok", "bad"], np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    >>> found.precision.tolist(), found.recall.round(2).tolist(), round(found.macro_f1, 2)
    ([1.0, 0.5], [0.67, 1.0], 0.73)
    >>> found.error, found.majority_error
    (0.25, 0.25)
    """
    count, total = len(classes), len(codes)
    confusion = np.bincount(codes * count + predicted, minlength=count * count).reshape(count, count)
    right, shown, named = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    f1 = _ratio(2 * right, shown + named)
    occurring = shown + named > 0
    sought = auc = average = None
    if count == 2 and margins is not None and shown.all():
        rare = 1 if shown[1] <= shown[0] else 0
        sought, scores, wanted = classes[rare], margins if rare else -margins, codes == rare
        auc, average = _area(scores, wanted), _average_precision(scores, wanted)
    return ClassFigures(
        classes=tuple(classes),
        confusion=confusion,
        precision=_ratio(right, named),
        recall=_ratio(right, shown),
        f1=f1,
        macro_f1=float(f1[occurring].mean()) if total else 0.0,
        error=1.0 - float(right.sum()) / total if total else 0.0,
        majority_error=1.0 - float(shown.max()) / total if total else 0.0,
        sought=sought,
        auc=auc,
        average_precision=average,
    )


def _ratio(part: Ints, whole: Ints) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), 0.0)


def _area(scores: Floats, wanted: Any) -> float:
    """The area under the curve of true against false positives, by the ranks of the wanted (Mann–Whitney)."""
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - 0.5 * (sizes - 1))[place]  # the mean rank of equal scores, from 1 on
    inside = int(wanted.sum())
    outside = len(scores) - inside
    return float((ranks[wanted].sum() - 0.5 * inside * (inside + 1)) / (inside * outside))


def _average_precision(scores: Floats, wanted: Any) -> float:
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(wanted[order])
    last = np.append(np.diff(scores[order]) != 0, True)  # of each run of equal scores
    found, seen = hits[last], np.flatnonzero(last) + 1
    steps = np.diff(found, prepend=0)
    return float((steps * found / seen).sum() / hits[-1])

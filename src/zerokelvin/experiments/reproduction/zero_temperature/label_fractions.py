"""The experiments that the appendix promises: error against the share of nodes whose label is known."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import zerokelvin as zk
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.games.labels import encode_labels

__all__ = ["LabelFractions"]

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "longest-path": ("longest-path", {}),
    "label propagation (p = 2)": ("interpolation", {}),
    "one random spanning tree": ("spanning-tree", {"trees": 1}),
    "17 random spanning trees": ("spanning-tree", {"trees": 17}),
    "perceptron": ("perceptron", {}),
    "nearest": ("nearest", {}),
    "auto": ("auto", {}),
}


@claim("zero-temperature/label-fractions")
class LabelFractions(Claim):
    """Error on the rest after a share of the labels."""

    title: ClassVar[str] = "Error on the rest, at several label fractions"
    place: ClassVar[str] = (
        "Introduction: “preliminary experimental results” in the appendix, which the text leaves out"
    )
    says: ClassVar[str] = "The appendix is not part of the published text, so no figure can be compared."
    tolerance: ClassVar[str] = "Measured only."
    data: ClassVar[tuple[str, ...]] = ("cora", "polblogs")
    cost: ClassVar[float] = 90.0

    def measure(self, lab: Laboratory) -> Found:
        """Labels of a random share are told; the rest is predicted at once."""
        charts, rows = [], []
        for data in lab.pick(("cora", "polblogs"), ("polblogs",)):
            problem = lab.problem(data)
            codes = encode_labels(problem.graph, problem.labels).codes
            known = np.flatnonzero(codes >= 0)
            series: dict[str, list[tuple[float, float]]] = {name: [] for name in LEARNERS}
            for share in lab.pick((0.01, 0.02, 0.05, 0.1, 0.2, 0.4), (0.05, 0.2)):
                for name, (learner, params) in LEARNERS.items():
                    errors = [
                        _error(problem.graph, codes, known, share, seed, learner, params)
                        for seed in lab.seeds(3, 1)
                    ]
                    series[name].append((share, float(np.mean(errors))))
                    rows.append({"data": data, "learner": name, "share": share, "error": series[name][-1][1]})
            title = f"{data}: wrong among the nodes that were not told"
            charts.append(curves(title, "share of labels told", "share wrong", series, log_x=True))
        shown = Check.shown(
            "error at the largest share",
            "–",
            "; ".join(f"{r['data']}, {r['learner']}: {r['error']:.3f}" for r in rows[-7:]),
        )
        return Found((shown,), tuple(charts), rows=tuple(rows))


def _error(
    graph: zk.Graph, codes: Any, known: Any, share: float, seed: int, learner: str, params: dict[str, Any]
) -> float:
    """The share of wrong labels among the nodes not told."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(known)
    told, rest = order[: max(2, round(share * len(order)))], order[max(2, round(share * len(order))) :]
    names = graph.names
    session = zk.start(graph, learner, classes=sorted(set(codes[known].tolist())), **params)
    session.teach({(int(i) if names is None else names[i]): int(codes[i]) for i in told})
    predicted = np.asarray(session.predict_all())
    return float((predicted[rest] != codes[rest]).mean())

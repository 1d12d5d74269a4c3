"""The papers of the report, in the order shown."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAPERS", "Paper"]


class Paper(NamedTuple):
    """What a paper is called, and in one sentence what it is about."""

    title: str
    source: str
    about: str


PAPERS: dict[str, Paper] = {
    "graph-perceptron": Paper(
        "Prediction on a graph with a perceptron",
        "Mark Herbster, Massimiliano Pontil, NIPS 2006",
        "The kernel perceptron on G⁺ + b·11ᵀ + c·I: mistakes bounded by cut and diameter.",
    ),
    "second-order": Paper(
        "A second-order perceptron algorithm",
        "Nicolò Cesa-Bianchi, Alex Conconi, Claudio Gentile, SIAM Journal on Computing 2005",
        "The perceptron in a space warped by what it has seen, and its bound by the spectrum.",
    ),
    "pounce": Paper(
        "Exploiting cluster-structure to predict the labeling of a graph",
        "Mark Herbster, ALT 2008",
        "Projection on the nearest mistake: mistakes bounded by a cover of the graph.",
    ),
    "ollgc-sslgc": Paper(
        "Selective sampling on graphs for classification",
        "Quanquan Gu, Charu Aggarwal, Jialu Liu, Jiawei Han, KDD 2013",
        "Online ridge regression on a spectral embedding, asking by variance.",
    ),
    "zero-temperature": Paper(
        "Online prediction at the limit of zero temperature",
        "Mark Herbster, Stephen Pasteris, Shaona Ghosh, NIPS 2015",
        "Longest paths in the graph of all minimum cuts, with a bound per cluster.",
    ),
    "beyond": Paper(
        "Beyond the papers",
        "this library",
        "What the same graphs allow when every label is learnt from and learners are mixed.",
    ),
}

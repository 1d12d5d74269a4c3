"""What the weights of the combination are before any label: as they were on many other graphs.

A combination has three dozen weights (`learners.auto.mixing`), and to find them anew costs mistakes on every
graph. So the weights of a game are taken to be drawn from a normal distribution,

    θ ~ N(m, V + B Bᵀ),    V diagonal, six columns in B,

whose m, V and B were learnt from hindsight on games of many graphs ("empirical Bayes": Efron and Morris 1973;
by expectation and maximisation, every game's posterior taken as normal, then by factor analysis). Below stand
m, v and the six numbers of B for every row, by the names of the experts. The covariance is a fifth of what
was learnt: with less doubt about the weights there were fewer mistakes.

Learnt on 188 games: graphs drawn at random (``bench default-learner --drawn``, seeds 100 … 126 and
300 … 383), Markov random fields (``--fields``, seeds 0 … 23 and 100 … 147), four orders of Cora (20 … 23) and
two of PubMed (5, 6), by ``benchmarks/choices/combination.py``, which prints the table. Where an expert is
silent, the others keep what was learnt of them.

Two more tables are for nodes with attributes, learnt on the same graphs without PubMed, each played twice
with attributes drawn by another rule, some of which say nothing (``--attributes``); of their covariance half
is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.learners.auto.settings import ROUNDED, UNKNOWN

__all__ = ["FREQUENCIES", "LEARNT", "LEARNT_OF_ATTRIBUTES", "LEARNT_OF_EVERYTHING", "learnt_weights"]

FREQUENCIES = "class frequencies"
"""The name of those who go by the class frequencies so far."""

LEARNT = """
gaussian regularized:0.1 mu=0.3, log = -0.01 0.050 -0.02 0.03 -0.01 -0.01 -0.02 -0.07
gaussian regularized:0.5 mu=1, log = 0.07 0.049 0.00 0.01 -0.04 -0.06 0.07 0.06
gaussian regularized:0.3 mu=0.01, log = 0.11 0.038 -0.01 -0.01 -0.03 -0.06 -0.02 0.05
gaussian regularized:0.03 mu=3, log = 0.00 0.029 -0.02 -0.01 0.01 0.00 0.03 0.02
gaussian regularized:0.01 mu=10, log = 0.15 0.032 0.00 0.04 0.01 -0.02 -0.04 -0.06
gaussian normalized:0.03 mu=0.3, log = -0.05 0.039 0.04 0.01 0.06 -0.01 -0.04 -0.02
gaussian normalized:0.1 mu=1, log = -0.08 0.036 -0.01 0.00 0.03 0.03 -0.05 0.03
propagation normalized:0.1, log = -0.08 0.013 0.01 -0.01 0.01 0.00 0.00 0.02
gaussian walk-squared:0.1 mu=1, log = 0.39 0.059 0.04 -0.02 0.02 -0.07 0.21 0.12
gaussian squared:0.3 mu=0.3, log = -0.18 0.046 -0.02 0.00 -0.02 0.05 -0.15 -0.11
gaussian squared:1 mu=0.03, log = 0.07 0.022 -0.02 0.00 -0.04 -0.01 0.03 0.04
gaussian squared:3 mu=0.001, log = 0.07 0.052 -0.02 -0.01 -0.02 -0.10 -0.07 0.13
gaussian normalized-squared:0.3 mu=0.01, log = 0.01 0.024 0.00 0.01 0.02 -0.03 -0.07 0.07
gaussian normalized-squared:1 mu=0.1, log = -0.54 0.073 0.04 -0.05 0.02 -0.11 -0.16 -0.07
8 smoothest directions, log = 0.02 0.005 0.02 0.06 0.00 0.00 -0.01 0.02
32 smoothest directions, log = 0.03 0.003 0.00 -0.01 0.02 -0.02 0.02 0.00
labels two steps away, log = 0.36 0.071 0.00 0.06 -0.02 0.47 0.46 -0.29
longest-path, log = 0.06 0.002 0.00 0.00 0.00 0.00 -0.01 -0.02
spanning-tree 9 nearest, log = 0.03 0.002 0.00 0.00 0.00 -0.01 0.00 -0.01
class frequencies, log = -0.42 0.052 -0.07 -0.04 0.01 -0.01 0.00 -0.09
gaussian regularized:0.1 mu=0.3, estimate = -0.15 0.067 0.03 -0.03 0.02 -0.04 -0.01 -0.15
gaussian regularized:0.5 mu=1, estimate = 0.33 0.076 0.00 0.00 0.12 -0.02 0.09 0.11
gaussian regularized:0.3 mu=0.01, estimate = -0.13 0.048 0.02 -0.03 0.00 -0.02 -0.02 0.00
gaussian regularized:0.03 mu=3, estimate = -0.24 0.060 0.02 -0.01 -0.05 -0.01 -0.03 -0.13
gaussian regularized:0.01 mu=10, estimate = -0.18 0.043 -0.01 0.02 0.00 0.00 0.03 -0.05
gaussian normalized:0.03 mu=0.3, estimate = 0.91 0.111 -0.11 0.00 0.03 0.10 -0.08 0.30
gaussian normalized:0.1 mu=1, estimate = 0.50 0.066 -0.03 0.02 0.00 0.03 -0.03 0.18
propagation normalized:0.1, estimate = 0.02 0.001 0.00 0.00 0.00 0.00 0.00 0.00
gaussian walk-squared:0.1 mu=1, estimate = -0.01 0.087 0.05 0.01 -0.15 -0.12 0.20 -0.07
gaussian squared:0.3 mu=0.3, estimate = -0.08 0.057 -0.04 0.00 0.06 0.06 -0.07 -0.13
gaussian squared:1 mu=0.03, estimate = -0.05 0.044 0.05 0.02 0.08 0.02 0.01 0.08
gaussian squared:3 mu=0.001, estimate = 0.37 0.044 -0.09 0.00 -0.03 0.00 -0.10 0.08
gaussian normalized-squared:0.3 mu=0.01, estimate = 0.18 0.045 0.04 0.01 -0.03 0.00 -0.06 0.16
gaussian normalized-squared:1 mu=0.1, estimate = -0.67 0.073 0.08 -0.04 -0.06 -0.05 -0.09 -0.16
8 smoothest directions, estimate = 0.09 0.004 0.02 -0.05 -0.01 0.03 -0.01 0.02
32 smoothest directions, estimate = 0.04 0.002 0.02 0.01 -0.02 0.03 -0.02 0.03
"""
"""Who, as logarithms of shares (log) or as an estimate (estimate), with m, v and B."""

LEARNT_OF_ATTRIBUTES = """
own attributes, log = 0.02 0.016 0.01 0.04 -0.03 -0.03 0.00 -0.01
attributes around, restart 0.2, log = -0.09 0.011 -0.10 0.05 -0.02 0.12 -0.13 0.12
attributes around, restart 0.1, log = 0.04 0.049 -0.00 -0.01 0.10 0.00 0.09 -0.10
like attributes, log = 0.06 0.029 -0.09 0.02 0.12 -0.14 -0.08 -0.03
class frequencies, log = -0.34 0.289 0.00 0.24 0.17 0.22 0.11 -0.07
own attributes, estimate = 0.75 1.427 -0.16 0.22 -0.12 -0.19 -0.04 -1.03
attributes around, restart 0.2, estimate = -1.32 0.417 0.26 -0.09 0.38 -0.79 0.86 3.59
attributes around, restart 0.1, estimate = 1.97 3.025 0.08 -0.52 -0.32 0.51 -0.61 -1.90
like attributes, estimate = 0.06 0.018 -0.11 -0.01 -0.07 0.01 0.13 -0.00
"""
"""The same in the combination of those who use attributes."""

LEARNT_OF_EVERYTHING = """
gaussian regularized:0.1 mu=0.3, log = -0.05 0.123 0.01 0.02 0.00 0.04 -0.03 -0.08
gaussian regularized:0.5 mu=1, log = -0.01 0.117 0.03 0.03 0.06 -0.04 0.07 0.06
gaussian regularized:0.3 mu=0.01, log = 0.08 0.104 0.02 -0.05 0.07 0.03 0.01 0.11
gaussian regularized:0.03 mu=3, log = 0.02 0.080 -0.02 -0.02 0.02 -0.04 0.03 0.02
gaussian regularized:0.01 mu=10, log = 0.16 0.089 0.01 0.03 0.01 0.07 -0.04 -0.07
gaussian normalized:0.03 mu=0.3, log = -0.04 0.103 -0.02 0.10 -0.02 0.06 -0.07 0.00
gaussian normalized:0.1 mu=1, log = -0.01 0.098 -0.01 0.00 -0.02 0.02 -0.01 0.05
propagation normalized:0.1, log = -0.05 0.036 -0.03 0.01 -0.00 -0.01 -0.02 0.03
gaussian walk-squared:0.1 mu=1, log = 0.23 0.108 0.04 0.07 0.08 -0.06 0.21 0.06
gaussian squared:0.3 mu=0.3, log = -0.14 0.082 -0.02 -0.08 -0.04 0.07 -0.12 -0.08
gaussian squared:1 mu=0.03, log = 0.06 0.065 0.01 -0.02 0.02 -0.03 0.02 0.04
gaussian squared:3 mu=0.001, log = 0.05 0.133 0.00 -0.01 0.10 0.01 -0.07 0.21
gaussian normalized-squared:0.3 mu=0.01, log = 0.01 0.063 -0.01 0.02 0.01 0.04 -0.04 0.12
gaussian normalized-squared:1 mu=0.1, log = -0.37 0.174 0.05 0.04 0.09 0.06 -0.24 0.00
8 smoothest directions, log = -0.02 0.025 0.00 0.02 -0.02 0.03 0.02 0.03
32 smoothest directions, log = 0.01 0.009 -0.03 0.00 0.03 0.02 0.01 -0.01
labels two steps away, log = 0.30 0.021 -0.22 -0.09 -0.51 -0.33 0.51 -0.68
longest-path, log = 0.05 0.008 0.01 0.00 -0.00 0.03 -0.00 -0.02
spanning-tree 9 nearest, log = 0.00 0.007 0.01 -0.01 0.01 0.02 0.01 -0.01
own attributes, log = 0.05 0.017 0.01 0.00 0.01 -0.01 0.00 -0.01
attributes around, restart 0.2, log = 0.03 0.027 -0.02 0.01 0.01 -0.02 -0.04 0.04
attributes around, restart 0.1, log = -0.00 0.027 0.02 0.01 0.02 0.02 0.03 -0.02
like attributes, log = 0.18 0.093 0.00 0.03 0.02 -0.07 -0.05 -0.04
class frequencies, log = -0.71 0.169 0.05 -0.12 0.01 0.14 0.10 -0.12
gaussian regularized:0.1 mu=0.3, estimate = -0.15 0.143 0.03 -0.02 0.02 0.03 -0.08 -0.14
gaussian regularized:0.5 mu=1, estimate = 0.14 0.145 -0.01 0.10 0.00 0.05 0.09 0.05
gaussian regularized:0.3 mu=0.01, estimate = -0.09 0.121 0.01 0.01 0.03 -0.02 -0.04 0.03
gaussian regularized:0.03 mu=3, estimate = -0.15 0.133 0.01 -0.04 0.01 -0.00 -0.08 -0.13
gaussian regularized:0.01 mu=10, estimate = -0.11 0.115 -0.01 0.04 -0.00 -0.04 -0.04 -0.08
gaussian normalized:0.03 mu=0.3, estimate = 0.59 0.221 -0.11 -0.07 -0.10 0.07 0.04 0.33
gaussian normalized:0.1 mu=1, estimate = 0.35 0.147 -0.05 -0.01 -0.04 0.03 0.06 0.21
propagation normalized:0.1, estimate = 0.02 0.007 0.01 0.00 -0.00 0.00 0.01 -0.01
gaussian walk-squared:0.1 mu=1, estimate = 0.00 0.180 0.12 -0.06 0.16 -0.09 0.14 -0.11
gaussian squared:0.3 mu=0.3, estimate = -0.13 0.134 -0.01 -0.01 -0.06 0.07 -0.07 -0.14
gaussian squared:1 mu=0.03, estimate = -0.02 0.110 -0.01 0.15 -0.04 0.02 0.03 0.07
gaussian squared:3 mu=0.001, estimate = 0.26 0.112 -0.04 -0.10 -0.00 0.05 -0.04 0.15
gaussian normalized-squared:0.3 mu=0.01, estimate = 0.14 0.106 0.00 -0.01 -0.02 -0.01 -0.02 0.20
gaussian normalized-squared:1 mu=0.1, estimate = -0.30 0.142 0.06 -0.02 0.04 -0.05 -0.16 -0.08
8 smoothest directions, estimate = 0.09 0.021 0.01 -0.01 -0.02 -0.03 -0.02 0.02
32 smoothest directions, estimate = 0.04 0.000 0.07 -0.01 -0.07 -0.02 -0.01 0.04
own attributes, estimate = 0.33 0.105 -0.01 0.07 0.02 -0.13 -0.10 -0.09
attributes around, restart 0.2, estimate = 0.25 0.119 -0.05 -0.03 0.01 -0.16 -0.08 0.12
attributes around, restart 0.1, estimate = 0.23 0.081 0.01 0.09 -0.02 0.05 -0.02 -0.02
like attributes, estimate = 0.05 0.051 0.03 0.03 0.03 -0.02 -0.01 -0.07
"""
"""The same in the combination of everybody, where nodes have attributes."""


def learnt_weights(
    logs: Sequence[str], estimates: Sequence[str], learnt: str = LEARNT
) -> tuple[Floats, Floats]:
    """Mean and covariance of the weights of some rows, by a table: those of logarithms, then estimates.

    A name of which nothing was learnt has a weight around 0, and with nobody else's.

    >>> mean, covariance = learnt_weights([FREQUENCIES, "someone new"], [])
    >>> mean[1], covariance[:, 1].tolist()
    (np.float64(0.0), [0.0, 0.1])
    """
    table = _table(learnt)
    heard = [(name, "log") for name in logs] + [(name, "estimate") for name in estimates]
    keys = [(name.removesuffix(ROUNDED), kind) for name, kind in heard]
    width = len(next(iter(table.values())))
    unknown = np.array([0.0, UNKNOWN, *[0.0] * (width - 2)])
    rows = np.array([table.get(key, unknown) for key in keys]).reshape(-1, width)
    factors = rows[:, 2:]
    covariance: Floats = np.diag(rows[:, 1]) + factors @ factors.T
    return rows[:, 0].copy(), covariance


@cache
def _table(learnt: str) -> dict[tuple[str, str], Floats]:
    """The numbers of every row by the name and the kind of it."""
    lines = (line.partition(" = ") for line in learnt.strip().splitlines())
    parts = ((head.rpartition(", "), numbers) for head, _, numbers in lines)
    return {(name, kind): np.array(numbers.split(), float) for (name, _, kind), numbers in parts}

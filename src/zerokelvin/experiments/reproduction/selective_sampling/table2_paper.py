"""Table 2 of "Selective sampling on graphs for classification" (Gu, Aggarwal, Liu, Han 2013) as printed.

Errors are one-vs-rest errors, mean over the classes; queried labels are per one-vs-rest problem; times
are seconds in Matlab on a 3.2 GHz Core i5. Every figure is the mean over 20 random orders with its
standard deviation. The row `perceptron` is the paper's GPA.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPER", "SAME_GRAPH", "Printed"]


@dataclass(frozen=True)
class Printed:
    """One printed row: means and deviations; where `queries` is None, every label is asked for."""

    error: float
    error_std: float
    queries: float | None
    queries_std: float
    seconds: float
    seconds_std: float


PAPER: dict[str, dict[str, Printed]] = {
    "coauthor": {
        "perceptron": Printed(0.2326, 0.0048, None, 0.0, 0.0104, 0.0012),
        "ollgc": Printed(0.1838, 0.0032, None, 0.0, 0.1273, 0.0087),
        "sslgc": Printed(0.1854, 0.0031, 1275.30, 21.91, 0.1215, 0.0181),
    },
    "cora": {
        "perceptron": Printed(0.1169, 0.0022, None, 0.0, 0.0135, 0.0009),
        "ollgc": Printed(0.0758, 0.0013, None, 0.0, 0.0929, 0.0035),
        "sslgc": Printed(0.0832, 0.0019, 1525.48, 19.32, 0.0821, 0.0061),
    },
    "imdb_wiki": {
        "perceptron": Printed(0.3362, 0.0025, None, 0.0, 0.1228, 0.0048),
        "ollgc": Printed(0.2735, 0.0038, None, 0.0, 1.7451, 0.1141),
        "sslgc": Printed(0.2709, 0.0064, 3453.55, 91.32, 0.6072, 0.0153),
    },
    "pubmed": {
        "perceptron": Printed(0.2256, 0.0025, None, 0.0, 0.1363, 0.0128),
        "ollgc": Printed(0.1804, 0.0014, None, 0.0, 1.4813, 0.1104),
        "sslgc": Printed(0.1720, 0.0050, 5298.55, 186.91, 0.7646, 0.0197),
    },
}

SAME_GRAPH = ("coauthor", "cora", "pubmed")  # the paper's IMDB graph was never published; ours stands in

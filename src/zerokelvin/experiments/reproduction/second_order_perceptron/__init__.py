"""Table 5.1 and Figure 5.1 of the second-order perceptron (Cesa-Bianchi, Conconi, Gentile 2005)."""

from zerokelvin.experiments.reproduction.second_order_perceptron import table51

__all__ = ["table51"]

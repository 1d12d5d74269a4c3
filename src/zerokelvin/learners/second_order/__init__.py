"""The second-order perceptron and its variants (Cesa-Bianchi, Conconi, Gentile 2005)."""

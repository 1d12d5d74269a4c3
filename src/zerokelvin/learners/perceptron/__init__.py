"""The kernel perceptron on a graph and on feature vectors (Herbster and Pontil 2006)."""

"""Claims of "Prediction on a graph with a perceptron" (Herbster, Pontil 2006)."""

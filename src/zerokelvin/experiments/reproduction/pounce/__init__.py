"""Claims of "Exploiting cluster-structure to predict the labeling of a graph" (Herbster 2008)."""

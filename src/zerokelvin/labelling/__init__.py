"""Data sets as people label them: items and how they are shown, and the graph that joins alike ones."""

"""From some labels to the rest: predictions for all other nodes, what to review next, how good that is."""

"""Commands from tables to tables: labels for the rest, what to review next, how good that would be."""

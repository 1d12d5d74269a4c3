"""Checks that a store loses nothing: power cuts, killed processes, changes of the writer."""

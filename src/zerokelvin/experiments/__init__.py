"""Data sets, comparisons and the papers' tables."""

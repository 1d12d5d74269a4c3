"""Minimum p-seminorm interpolation (Herbster and Lever 2009)."""

"""Laplacians, solvers, kernel columns, resistances."""

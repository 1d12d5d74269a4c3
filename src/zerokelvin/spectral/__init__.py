"""Eigenpairs of Laplacians, remembered between runs, and the coordinates made of them."""

"""The direct engine: a fill-reducing order, supernodes, a Cholesky factor, entries of the inverse."""

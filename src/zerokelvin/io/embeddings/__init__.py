"""Embeddings on disk: a manifest, the rows of all nodes in one mapped file, and their names."""

"""Gaussian-process regression and propagation on graph kernels: one relaxation for all classes."""

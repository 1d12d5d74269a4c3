"""Prediction on spanning trees, and what regular learners guarantee per cluster."""

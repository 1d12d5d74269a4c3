"""Blocked and lane-wise code, the same on every machine to the last bit; touch it only with a benchmark."""

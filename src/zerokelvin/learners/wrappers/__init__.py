"""Learners around a learner: forgetting, random querying, asking guided by another."""

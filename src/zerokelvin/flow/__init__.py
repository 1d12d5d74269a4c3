"""Minimum cuts."""

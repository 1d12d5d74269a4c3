"""Minimum cuts where all labels are known at once: flow, all minimum cuts, their counts and bounds."""

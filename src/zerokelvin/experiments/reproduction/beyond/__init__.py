"""What goes beyond the papers: the frontier, asking, every learner on many graphs, bounds, calibration."""

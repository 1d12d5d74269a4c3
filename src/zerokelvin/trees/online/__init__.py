"""Labelled forests while labels arrive: hinges, minimum cuts, the rules of prediction, bounds per cluster."""

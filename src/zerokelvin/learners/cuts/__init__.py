"""Prediction at zero temperature from minimum cuts (Herbster, Pasteris and Ghosh 2015)."""

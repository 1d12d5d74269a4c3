"""Figure 2 and the five bounds of zero temperature (Herbster, Pasteris and Ghosh 2015)."""

from zerokelvin.experiments.reproduction.zero_temperature import zero_temperature_bounds

__all__ = ["zero_temperature_bounds"]

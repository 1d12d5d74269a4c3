"""Figure 2 and the five bounds of zero temperature (Herbster, Pasteris and Ghosh 2015)."""

"""Table 2 and Figures 1–3 of selective sampling on graphs (Gu, Aggarwal, Liu, Han 2013)."""

from zerokelvin.experiments.reproduction.selective_sampling import table2

__all__ = ["table2"]

"""Table 2 and Figures 1–3 of selective sampling on graphs (Gu, Aggarwal, Liu, Han 2013)."""

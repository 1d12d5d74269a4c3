"""The halving algorithm on labelings of small cut (Herbster and Pontil 2006)."""

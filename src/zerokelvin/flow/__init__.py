"""Minimum cuts: maximum flow, the Picard–Queyranne graph of all minimum cuts, and both online."""

from zerokelvin.flow.minimum_cut import MinimumCut, minimum_cut

__all__ = ["MinimumCut", "minimum_cut"]

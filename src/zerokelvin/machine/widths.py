"""How much is worked on at once, for the definitions of this room and for their instructions."""

from __future__ import annotations

__all__ = ["AHEAD", "LANES"]

AHEAD = 128
"""How many entries of a matrix before its turn a row is fetched by `rows.set_row_ahead`."""

LANES = 32
"""How many vectors stand side by side in a block."""

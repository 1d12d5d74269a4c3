"""Products with a panel, a few columns of a sparse factor, for one vector at a time.

A panel is a dense matrix of `wide` columns, row by row, whose row r belongs to entry rows[r] of a vector. Its
rows are too short for the loop vectoriser, which checks at every row whether memory overlaps. Here eight
columns are one vector, whatever `wide` is: the last one reads on into the next row, so `panels` must have
`PAST` numbers to spare at its end, all of them finite, and `own` a multiple of eight.

Each function is defined here in NumPy; inside kernels the same steps are emitted as vector instructions
(`zerokelvin.machine.panel_code`), which gives the same bits.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit.lazy_instructions import before_compiling
from zerokelvin.machine.lanes import across, use

__all__ = ["PAST", "gather_rows", "scatter_rows", "take_row", "use_panel_instructions"]


PAST = 8
"""How many numbers beyond its last row a panel may be read."""


def gather_rows(
    panels: Floats, start: int, wide: int, rows: Ints, first: int, last: int, value: Floats, own: Floats
) -> None:
    """Subtract from own[:wide] the panel's transpose times the entries of `value` that its rows belong to.

    The panel starts at panels[start]; its rows belong to value[rows[first:last]]. Entries of `own` from
    `wide` on, to the next multiple of 8, become anything.
    """
    for column in range(0, wide, 8):
        sums = [own[column : column + 8].copy(), np.zeros(8)]
        for r in range(first, last):
            at = start + (r - first) * wide + column
            sums[(r - first) % 2] -= panels[at : at + 8] * value[rows[r]]
        own[column : column + 8] = sums[0] + sums[1]


def scatter_rows(
    panels: Floats, start: int, wide: int, rows: Ints, first: int, last: int, value: Floats, own: Floats
) -> None:
    """Subtract the panel times own[:wide] from the entries of `value` that its rows belong to.

    As in `gather_rows`; entries of `own` from `wide` on, to the next multiple of 8, must be 0.
    """
    for r in range(first, last):
        sums = np.zeros(8)
        for column in range(0, wide, 8):
            at = start + (r - first) * wide + column
            sums += panels[at : at + 8] * own[column : column + 8]
        value[rows[r]] -= float(across(sums[None])[0])


def take_row(panels: Floats, start: int, wide: int, known: float, own: Floats) -> None:
    """Subtract `known` times a row that starts at panels[start] from own[:wide].

    Entries of `own` from `wide` on, to the next multiple of 8, become anything.
    """
    for column in range(0, wide, 8):
        at = start + column
        own[column : column + 8] -= panels[at : at + 8] * known


@before_compiling
def use_panel_instructions() -> None:
    """Have the functions of this module compiled as the instructions of `panel_code`."""
    from zerokelvin.machine import panel_code

    use(gather_rows, panel_code.gather_rows)
    use(scatter_rows, panel_code.scatter_rows)
    use(take_row, panel_code.take_row)

"""A structural quantity together with whether it is exact or a proven upper bound."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Measured"]


@dataclass(frozen=True)
class Measured:
    """A number that says how it was obtained; ``float(m)`` is the number itself.

    Parameters
    ----------
    value
        The quantity where `exact`, otherwise a proven upper bound on it.
    exact
        Whether `value` is the quantity itself (up to rounding).
    method
        How it was computed, in words.

    Examples
    --------
    >>> diameter = Measured(3.0, exact=True, method="tree sweep")
    >>> float(diameter), str(diameter)
    (3.0, '3 (tree sweep)')
    >>> str(Measured(12.5, exact=False, method="twice the eccentricity of a centre"))
    'at most 12.5 (twice the eccentricity of a centre)'
    """

    value: float
    exact: bool
    method: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{'' if self.exact else 'at most '}{self.value:g} ({self.method})"

"""How far people agree beyond chance: Cohen's kappa for two of them, Krippendorff's alpha for any number.

With the share of items on which two agree p and the share expected from how often each gives each label e,
κ = (p − e)/(1 − e) (Cohen 1960). Alpha compares the disagreement within items with that of all answers thrown
together, α = 1 − D_o/D_e, and allows items that not everybody answered (Krippendorff 2011, nominal data).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

__all__ = ["cohen_kappa", "krippendorff_alpha"]


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Kappa of two people's labels for the same items; None where there are none or chance explains all.

    >>> cohen_kappa([("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15)
    0.4
    """
    if not pairs:
        return None
    count = len(pairs)
    same = sum(one == other for one, other in pairs) / count
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(first[label] * second[label] for label in first) / count**2
    return None if chance >= 1 else round((same - chance) / (1 - chance), 12)


def krippendorff_alpha(items: Sequence[Mapping[str, Hashable]]) -> float | None:
    """Alpha of items, each a mapping from people to their labels; None where no item has two answers.

    >>> krippendorff_alpha([{"x": 1, "y": 1}, {"x": 2, "y": 2}, {"x": 1, "y": 2}])
    0.444444444444
    """
    units = [Counter(item.values()) for item in items if len(item) > 1]
    total = sum(sum(unit.values()) for unit in units)
    if not total:
        return None
    margins: Counter[Hashable] = Counter()
    observed = 0.0
    for unit in units:
        size = sum(unit.values())
        margins.update(unit)
        observed += (size * size - sum(n * n for n in unit.values())) / (size - 1)
    expected = (total * total - sum(n * n for n in margins.values())) / (total - 1)
    return None if expected <= 0 else round(1 - observed / expected, 12)

"""Words that tell a text from the others: those in few other texts, the rarest that are not unique first.

They are highlighted in the page. How many texts hold a word is counted once, over at most 50,000 texts.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from zerokelvin.labelling.items import ItemFile

__all__ = ["TellingTerms"]

WORD = re.compile(r"[^\W\d_]{3,40}")
SHOWN = 8
COUNTED = 50_000
LONGEST = 20_000
"""Characters of a text that are looked at."""


class TellingTerms:
    """Per class, the words that tell its texts from the others."""

    def __init__(self, items: ItemFile | None) -> None:
        self._items = items if items is not None and items.kind == "text" else None

    @cached_property
    def _counts(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        if self._items is not None:
            for place in range(min(len(self._items), COUNTED)):
                counts.update(_words(self._items.text(place) or ""))
        return counts

    def of(self, place: int) -> list[str]:
        """The words of a text that are in two to a tenth of all texts, the rarest first."""
        if self._items is None or place >= len(self._items):
            return []
        most = max(len(self._items) // 10, 2)
        words = [word for word in _words(self._items.text(place) or "") if 2 <= self._counts[word] <= most]
        return sorted(words, key=lambda word: (self._counts[word], word))[:SHOWN]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text[:LONGEST])}

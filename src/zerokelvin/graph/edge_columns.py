"""Which columns of a table of edges are the two nodes and the weight, by their names alone.

A column is known by its name, whatever its case, blanks, underscores and hyphens: ``Source ID`` is
``source_id``. What is not plainly known is not guessed at: there is then no pair, and whoever reads the table
asks for the columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["EDGE_WORDS", "NODE_PAIRS", "WEIGHT_WORDS", "known_pair", "known_weights", "plain_name"]

NODE_PAIRS = (
    ("source", "target"),
    ("source", "destination"),
    ("sourceid", "targetid"),
    ("sourcenode", "targetnode"),
    ("src", "dst"),
    ("src", "dest"),
    ("srcid", "dstid"),
    ("from", "to"),
    ("fromid", "toid"),
    ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"),
    ("u", "v"),
    ("node1", "node2"),
    ("nodea", "nodeb"),
    ("id1", "id2"),
    ("sender", "receiver"),
)
WEIGHT_WORDS = ("weight", "weights", "w", "value")
EDGE_WORDS = frozenset(word for pair in NODE_PAIRS for word in pair) | frozenset(WEIGHT_WORDS)


def plain_name(name: object) -> str:
    """A column name in lower case without blanks, underscores and hyphens.

    >>> plain_name(" From_Node-Id ")
    'fromnodeid'
    """
    return re.sub(r"[\s_-]", "", str(name)).lower()


def known_pair(names: Sequence[object]) -> tuple[int, int] | None:
    """Positions of the two node columns, or None where no pair, or more than one, is known by name.

    ``source`` and ``target`` go before any other pair.

    >>> known_pair(["date", "From", "To"]), known_pair(["payer", "payee"])
    ((1, 2), None)
    """
    plain = [plain_name(name) for name in names]
    found = [pair for pair in NODE_PAIRS if plain.count(pair[0]) == plain.count(pair[1]) == 1]
    if NODE_PAIRS[0] not in found and len(found) != 1:
        return None
    first, second = found[0]
    return plain.index(first), plain.index(second)


def known_weights(names: Sequence[object], nodes: Sequence[int]) -> list[int]:
    """Positions of the columns beside the nodes that are known as weights; only ``weight``, if there."""
    plain = [plain_name(name) for name in names]
    known = [i for i, name in enumerate(plain) if name in WEIGHT_WORDS and i not in nodes]
    called = [i for i in known if plain[i] == "weight"]
    return called if len(called) == 1 else known

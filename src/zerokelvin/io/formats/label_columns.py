"""Which columns of a table of labels are the node and the label; what is not plain is refused, not guessed.

Columns are given by name or by position from 0. Otherwise they are plain where exactly one column is known
as the node and one as the label by their names, where one of two columns is so known, and where there are
two columns without a header: the node first, then its label.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.graph.edge_columns import plain_name
from zerokelvin.io.formats.table_columns import Column, find_column, listed
from zerokelvin.io.limits import short

__all__ = ["LABEL_WORDS", "NODE_WORDS", "label_columns"]

NODE_WORDS = frozenset({"node", "id", "name", "nodeid", "nodename", "vertex", "account"})
LABEL_WORDS = frozenset({"label", "labels", "class", "y", "category", "target", "truth"})


def label_columns(
    names: Sequence[str] | None, width: int, node: Column | None, label: Column | None, path: Path
) -> tuple[int, int]:
    """Positions of the node and the label; `names` is the header, or None."""
    if width < 2:
        raise DataError(f"'{path}' has one column only; labels need two, a node and its label.")
    header = [str(i) for i in range(width)] if names is None else names
    first = None if node is None else find_column(node, header, path)
    second = None if label is None else find_column(label, header, path)
    if first is None:
        first = _known(names, NODE_WORDS, "node", second)
    if second is None:
        second = _known(names, LABEL_WORDS, "label", first)
    if width == 2 and (first is None) != (second is None):
        first, second = (
            (1 - second if second is not None else first),
            (1 - first if first is not None else second),
        )
    if names is None and width == 2 and first is None and second is None:
        return 0, 1
    if first is None or second is None:
        raise DataError(
            f"'{path}' has {listed(names, width)}, and it is not plain which are the node and its "
            "label; name them with node= and label= (--node, --label on the command line)."
        )
    if first == second:
        raise DataError(
            f"column '{short(header[first])}' of '{path}' is both node and label; name them with "
            "node=, label=."
        )
    return first, second


def _known(names: Sequence[str] | None, words: frozenset[str], best: str, taken: int | None) -> int | None:
    """The one column known by these words, `best` before the others; None where there is not just one."""
    if names is None:
        return None
    plain = [plain_name(name) if i != taken else "" for i, name in enumerate(names)]
    found = [i for i, name in enumerate(plain) if name in words]
    called = [i for i in found if plain[i] == best]
    chosen = called or found
    return chosen[0] if len(chosen) == 1 else None

"""Projects on packed graphs: a store keeps where the pack lies and its identity, and all share one mapping.

A packed graph is not copied into the store, for it may be larger than everything else there. If the file is
gone or another one lies in its place, the project says so instead of predicting on something else.
"""

from __future__ import annotations

import json
import weakref

from zerokelvin.errors import DataError
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.io import open_graph
from zerokelvin.service.records.refusals import ConflictError, RefusedError

__all__ = ["packed_of", "reference_to", "referred_path", "refuse_growth"]

MARK = b"zerokelvin pack\n"

_OPEN: weakref.WeakValueDictionary[tuple[str, str], PackedGraph] = weakref.WeakValueDictionary()
"""The packs that some project uses, by path and identity."""


def reference_to(graph: PackedGraph) -> bytes:
    """What a store keeps of a packed graph."""
    shared = _OPEN.setdefault((graph.source, graph.content_hash), graph)
    return MARK + json.dumps({"path": shared.source, "identity": shared.content_hash}).encode()


def referred_path(data: bytes) -> str | None:
    """The path of a pack, where these bytes are a reference to one."""
    return str(json.loads(data[len(MARK) :])["path"]) if data.startswith(MARK) else None


def packed_of(data: bytes) -> PackedGraph:
    """The packed graph that bytes of `reference_to` refer to, opened once for all."""
    said = json.loads(data[len(MARK) :])
    key = (str(said["path"]), str(said["identity"]))
    graph = _OPEN.get(key)
    if graph is None:
        try:
            graph = open_graph(key[0])
        except DataError as problem:
            raise ConflictError(f"the graph of this project cannot be opened: {problem}") from None
        if graph.content_hash != key[1]:
            raise ConflictError(
                f"'{key[0]}' is not the packed graph that this project began on; put that one back."
            )
        graph = _OPEN.setdefault(key, graph)
    return graph


def refuse_growth(graph: object) -> None:
    """Refuse further nodes and edges for a packed graph."""
    if isinstance(graph, PackedGraph):
        raise RefusedError(
            "graph", graph.source, "is packed, so it cannot grow; pack it again and begin a project on it"
        )

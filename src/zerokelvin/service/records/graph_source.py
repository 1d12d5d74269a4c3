"""The graph of a new project: from edges, from a file, from a data set; and as the bytes a store keeps.

Node names are texts or whole numbers. Numbers are names too: a graph with the edge (7, 1000001) has two
nodes, numbered by size; where they are exactly 0 … n − 1, a node's name is its index.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from zerokelvin.client.messages import GraphSource, Named
from zerokelvin.errors import DataError, ZerokelvinError
from zerokelvin.graph import Graph
from zerokelvin.graph.packed import PackedGraph
from zerokelvin.graph.packed.packed_names import PackedNames
from zerokelvin.io import Limits, load_dataset, read_graph
from zerokelvin.io.formats.npz import read_npz, write_npz
from zerokelvin.service.passing_files import passing_folder
from zerokelvin.service.records.packed_reference import packed_of, reference_to, referred_path
from zerokelvin.service.records.refusals import RefusedError, TooLargeError

__all__ = [
    "GraphRules",
    "WeightedEdge",
    "check_graph",
    "file_at",
    "file_sent",
    "graph_bytes",
    "graph_from",
    "graph_of_bytes",
    "limits_of",
    "limits_sent",
    "weighted_edges",
]

T = TypeVar("T")

FORMATS = ("csv", "tsv", "txt", "parquet", "mtx", "graphml", "gml", "npz", "json")
"""Of files that are sent."""

PACKED = 10
"""How many times more nodes than another a packed graph may have, which is neither sent nor copied."""

BINARY = ("parquet", "npz")
"""Of these, those that take about the memory that they say they do."""

MOST_WEIGHT = 1e100
"""Weights above it could not be added up."""


class GraphRules(NamedTuple):
    """What a graph may be: where its file may lie (None: anywhere), how large it may be, how long its names.

    `files` says whether files may be named at all.
    """

    files: bool
    below: Path | None
    most_nodes: int
    most_name: int
    most_bytes: int
    most_text: int = 1 << 27
    """Bytes that a text may have that was sent compressed: it takes many times as much when it is read."""


class WeightedEdge(NamedTuple):
    """An edge by the names of its nodes."""

    source: Named
    target: Named
    weight: float


def graph_from(source: GraphSource, rules: GraphRules) -> Graph:
    """The graph that a request describes; refused where it is none or too large."""
    fields = ("edges", "path", "dataset", "content")
    given = [name for name in fields if getattr(source, name) is not None]
    if len(given) != 1:
        raise RefusedError("graph", ", ".join(given) or "{}", f"must have exactly one of {', '.join(fields)}")
    if source.edges is not None:
        graph = _from_edges(source.edges, source.nodes, rules)
    elif source.nodes:
        raise RefusedError("graph.nodes", len(source.nodes), "nodes only go with edges; leave them out")
    elif source.path is not None:
        kind = source.format
        graph = file_at(
            source.path,
            "graph.path",
            rules,
            lambda path: read_graph(path, format=kind, limits=limits_of(rules)),
        )
    elif source.dataset is not None:
        graph = _from_dataset(source.dataset)
    else:
        graph = file_sent(
            source.content or "",
            source.format,
            FORMATS,
            "graph",
            lambda path: read_graph(path, limits=limits_sent(source.format, rules)),
        )
    check_graph(graph, rules)
    return graph


def weighted_edges(edges: Sequence[Sequence[str | int | float]], field: str) -> list[WeightedEdge]:
    """Edges of a request with their weights, 1 where none is given."""
    found = []
    for i, edge in enumerate(edges):
        source, target = edge[0], edge[1]
        if not isinstance(source, (str, int)) or not isinstance(target, (str, int)):
            raise RefusedError(
                f"{field}[{i}]", edge, "does not begin with two nodes; nodes are texts or integers"
            )
        weight = edge[2] if len(edge) == 3 else 1.0
        if isinstance(weight, str) or not 0 <= weight <= MOST_WEIGHT:
            raise RefusedError(f"{field}[{i}]", edge, "has no weight that is a number from 0 to 1e100")
        found.append(WeightedEdge(source, target, float(weight)))
    return found


def graph_bytes(graph: Graph) -> bytes:
    """A graph as bytes, from which `graph_of_bytes` makes it again; refused where that would be another.

    Of a packed graph they say where it lies.
    """
    if isinstance(graph, PackedGraph):
        return reference_to(graph)
    with passing_folder() as folder:
        path = folder / "graph.npz"
        write_npz(graph, path)
        data = path.read_bytes()
    if graph_of_bytes(data, graph.num_nodes).content_hash != graph.content_hash:
        raise RefusedError(
            "graph", "nodes", "have names that cannot be kept; leave out characters that do not print"
        )
    return data


def graph_of_bytes(data: bytes, most_nodes: int, rules: GraphRules | None = None) -> Graph:
    """The graph in bytes that `graph_bytes` gave; `rules` where they came from somebody else."""
    packed = referred_path(data)
    if packed is not None:
        if rules is None:
            return packed_of(data)
        return file_at(packed, "graph.path", rules, lambda _: packed_of(data))
    with passing_folder() as folder:
        path = folder / "graph.npz"
        path.write_bytes(data)
        return read_npz(path, Limits(nodes=max(most_nodes, 1), bytes=1 << 40))


def _from_edges(
    edges: Sequence[Sequence[str | int | float]], nodes: Sequence[Named], rules: GraphRules
) -> Graph:
    weighted = weighted_edges(edges, "graph.edges")
    if len(weighted) > 10 * rules.most_nodes:
        raise TooLargeError(f"{len(weighted):,} edges are more than the {10 * rules.most_nodes:,} allowed.")
    names: dict[Named, int] = dict.fromkeys([n for edge in weighted for n in edge[:2]], 0)
    names.update(dict.fromkeys(nodes, 0))
    if not names:
        raise RefusedError("graph.edges", "[]", "holds no node; give at least one edge, or nodes")
    texts = sum(isinstance(name, str) for name in names)
    if texts not in (0, len(names)):
        raise RefusedError(
            "graph.edges", "[…]", "has nodes that are texts and nodes that are numbers; use one kind"
        )
    order: list[Named] = list(names) if texts else sorted(names, key=int)
    place = {name: i for i, name in enumerate(order)}
    pairs = [(place[edge.source], place[edge.target]) for edge in weighted]
    weights = [edge.weight for edge in weighted]
    if not pairs:  # a loop, which is dropped
        pairs, weights = [(0, 0)], [1.0]
    return Graph.from_edges(pairs, weights, num_nodes=len(order), names=order)


def file_at(text: str, field: str, rules: GraphRules, read: Callable[[Path], T]) -> T:
    """What is read from a file on the service's machine; refused where that may not or cannot be read."""
    if not rules.files:
        raise RefusedError(
            field, text, "cannot be read: start the service with --graphs DIR to name files in DIR"
        )
    try:
        path = Path(text).resolve()
        if rules.below is not None:
            root = rules.below.resolve(strict=True)
            path = (root / text).resolve()
            if not path.is_relative_to(root):
                raise RefusedError(field, text, "is not below the folder of graphs; give a path inside it")
        if not path.is_file():
            raise RefusedError(field, text, "is no file on the machine of the service")
        return read(path)
    except (OSError, ValueError) as problem:
        if isinstance(problem, ZerokelvinError):
            raise
        raise RefusedError(field, text, "cannot be read by the service") from None


def _from_dataset(name: str) -> Graph:
    if "/" in name or "\\" in name or "." in name:
        raise RefusedError(
            "graph.dataset", name, "is no name of a data set; 'zerokelvin datasets' lists them"
        )
    data = load_dataset(name)
    if data.graph is None:
        raise RefusedError("graph.dataset", name, "holds points and no graph")
    return data.graph


def file_sent(
    content: str, kind: str | None, known: Sequence[str], field: str, read: Callable[[Path], T]
) -> T:
    """What is read from a file that was sent in base64, its format being one of some."""
    plain = (kind or "").removesuffix(".gz")
    if plain not in known:
        raise RefusedError(f"{field}.format", kind, f"is no format of a file; give one of {', '.join(known)}")
    try:
        data = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError(
            f"{field}.content", f"{content[:20]}…", "is no base64; encode the bytes of the file"
        ) from None
    with passing_folder() as folder:
        path = folder / f"upload.{kind}"
        path.write_bytes(data)
        try:
            return read(path)
        except ZerokelvinError as problem:
            text, trusted, _ = (
                str(problem).replace(f"{folder}/", "").partition("; if the file is to be trusted")
            )
            remedy = "; send less, or parquet or npz, or name a file on the machine of the service."
            raise DataError(text + remedy if trusted else text) from None
        except RecursionError:
            raise DataError("the file is nested too deep; give a flat one.") from None


def limits_of(rules: GraphRules) -> Limits:
    """How much a file may hold."""
    return Limits(nodes=rules.most_nodes, bytes=rules.most_bytes, rows=10 * rules.most_nodes)


def limits_sent(kind: str | None, rules: GraphRules) -> Limits:
    """How much a file may hold that was sent: as text, compressed or not, hardly more than without."""
    known = limits_of(rules)
    return known if kind in BINARY else replace(known, bytes=min(known.bytes, rules.most_text))


def check_graph(graph: Graph, rules: GraphRules) -> None:
    """Refuse a graph that is too large, or whose nodes have names that JSON or a log cannot hold."""
    most = rules.most_nodes * (PACKED if isinstance(graph, PackedGraph) else 1)
    if graph.num_nodes > most or graph.num_edges > 10 * most:
        raise TooLargeError(
            f"the graph has {graph.num_nodes:,} nodes and {graph.num_edges:,} edges, above the limit of "
            f"{most:,} nodes and ten times as many edges."
        )
    if isinstance(graph.names, PackedNames) and graph.names.are_plain(rules.most_name):
        return
    for name in graph.names or ():
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise RefusedError("graph", name, "is a node whose name is neither text nor a whole number")
        if isinstance(name, str) and len(name) > rules.most_name:
            raise RefusedError(
                "graph", name, f"is longer than the {rules.most_name} characters a name may have"
            )
        if isinstance(name, str) and "\0" in name:
            raise RefusedError("graph", name, "is a node whose name holds NUL; leave that out")
        if isinstance(name, int) and abs(name) >= 1 << 63:
            raise RefusedError("graph", name, "is a number that does not fit into 64 bits; give it as text")

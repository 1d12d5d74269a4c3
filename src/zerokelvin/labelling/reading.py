"""From a file or folder to items and their graph: the kind of input is told by its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.graph.edge_columns import known_pair
from zerokelvin.labelling.duplicates import duplicate_groups
from zerokelvin.labelling.item_vectors import neighbour_graph, unit_rows
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.origin import Origin
from zerokelvin.labelling.source import ItemOptions, ItemSource

__all__ = ["PreparedItems", "prepare", "read_items"]

GRAPHS = (".graphml", ".gml", ".mtx", ".npz", ".txt", ".edges", ".edgelist", ".json", ".gz")


@dataclass(eq=False)
class PreparedItems:
    """Items, the graph that joins them, their groups of near-duplicates, and what there is to say."""

    items: NewItems
    graph: Graph
    groups: Ints
    said: list[str]
    origin: Origin | None = None


def read_items(path: Path, options: ItemOptions) -> ItemSource:
    """What a file or a folder holds."""
    from zerokelvin.labelling.sources.table_rows import TABLES, read_columns_as_text, read_table_items

    if path.is_dir():
        from zerokelvin.labelling.sources.image_folder import read_image_items

        return read_image_items(path, options)
    if not path.is_file():
        raise DataError(f"'{path}' does not exist; give a file or a folder.")
    suffix = path.suffix.lower()
    if suffix == ".h5ad":
        from zerokelvin.labelling.sources.anndata_file import read_anndata_items

        return read_anndata_items(path, options)
    if suffix in TABLES:
        asked = options.text or options.embedding or options.columns or options.label
        said_so = options.attributes is not None or bool(options.edges)
        is_graph = said_so or (not asked and known_pair(list(read_columns_as_text(path))) is not None)
        if not is_graph:
            return read_table_items(path, options)
    elif suffix not in GRAPHS:
        known = ", ".join((*TABLES, ".h5ad", *GRAPHS))
        raise DataError(
            f"'{path}' is of no known kind; give a folder of images, or a file that ends in {known}."
        )
    from zerokelvin.labelling.sources.graph_file import read_graph_items

    return read_graph_items(path, options)


def prepare(source: ItemSource, options: ItemOptions) -> PreparedItems:
    """The graph and the groups of what was read."""
    items, vectors, cosine = source.items, source.vectors, source.cosine
    if options.embedding is not None:
        vectors, cosine = unit_rows(read_embedding(options.embedding, len(items.names))), True
    if source.graph is not None:
        graph = source.graph
    elif vectors is None:
        raise DataError(
            "there is nothing to compare the items by; give --embedding, --text or columns of numbers."
        )
    else:
        graph = neighbour_graph(vectors, items.names)
    by_text = source.doubles is not None and options.embedding is None
    compared = None if by_text else vectors
    groups = duplicate_groups(len(items.names), graph, compared, source.doubles, cosine)
    alike = len(groups) - len(np.unique(groups))
    said = [*items.said, *source.said]
    if alike:
        said.append(f"{alike} items are near-duplicates of others and are answered with them")
    return PreparedItems(items, graph, groups, said)


def read_embedding(path: Path, count: int) -> Floats:
    """A matrix with a row for each item."""
    if not path.is_file():
        raise DataError(f"embedding '{path}' does not exist; save one with numpy.save.")
    try:
        matrix = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as problem:
        raise DataError(f"embedding '{path}' cannot be read: {problem}.") from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise DataError(f"embedding '{path}' is no matrix of numbers; save one with numpy.save.")
    if len(matrix) != count:
        raise DataError(
            f"embedding '{path}' has {len(matrix):,} rows, and there are {count:,} items; give one each."
        )
    return matrix.astype(np.float64)

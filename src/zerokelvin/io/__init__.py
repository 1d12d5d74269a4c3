"""Every file format; nothing else opens files."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.io.datasets.dblp import read_dblp_four_area
    from zerokelvin.io.datasets.named_datasets import (
        DataSet,
        DataSetInfo,
        dataset_names,
        find_datasets,
        load_dataset,
    )
    from zerokelvin.io.embeddings.embedding_folder import open_embedding
    from zerokelvin.io.files import cache_folder
    from zerokelvin.io.formats.attribute_files import read_attributes
    from zerokelvin.io.formats.label_files import read_labels
    from zerokelvin.io.limits import Limits
    from zerokelvin.io.packs.pack_reader import open_graph
    from zerokelvin.io.read import read_graph, write_graph
    from zerokelvin.io.report import ReadReport

__all__ = [
    "DataSet",
    "DataSetInfo",
    "Limits",
    "ReadReport",
    "cache_folder",
    "dataset_names",
    "find_datasets",
    "load_dataset",
    "open_embedding",
    "open_graph",
    "read_attributes",
    "read_dblp_four_area",
    "read_graph",
    "read_labels",
    "write_graph",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.io.datasets.dblp": "read_dblp_four_area",
        "zerokelvin.io.datasets.named_datasets": (
            "DataSet DataSetInfo dataset_names find_datasets load_dataset"
        ),
        "zerokelvin.io.files": "cache_folder",
        "zerokelvin.io.formats.attribute_files": "read_attributes",
        "zerokelvin.io.formats.label_files": "read_labels",
        "zerokelvin.io.limits": "Limits",
        "zerokelvin.io.embeddings.embedding_folder": "open_embedding",
        "zerokelvin.io.packs.pack_reader": "open_graph",
        "zerokelvin.io.read": "read_graph write_graph",
        "zerokelvin.io.report": "ReadReport",
    },
)

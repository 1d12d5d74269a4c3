"""What joins zerokelvin to other packages: AnnData, networkx, river, scikit-activeml.

Each module needs its package, and is imported when one of its names is used.
"""

from zerokelvin.lazy import lazy_names

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from zerokelvin.ecosystems.activeml_strategy import GraphQuery
    from zerokelvin.ecosystems.cell_annotation import annotate
    from zerokelvin.ecosystems.river_classifier import NodeClassifier

__all__ = ["GraphQuery", "NodeClassifier", "annotate"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.ecosystems.activeml_strategy": "GraphQuery",
        "zerokelvin.ecosystems.cell_annotation": "annotate",
        "zerokelvin.ecosystems.river_classifier": "NodeClassifier",
    },
    extra="activeml,anndata,river",
)

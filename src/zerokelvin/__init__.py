"""Online prediction of node labels on a graph, with the proven mistake bound beside the mistakes.

Names are imported when they are first used (`zerokelvin.lazy`), so that a program, and every command, begins
at once.
"""

from zerokelvin import startup as startup  # before all that takes time

# isort: split
from zerokelvin.lazy import lazy_names

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    from zerokelvin import checks as checks
    from zerokelvin import errors as errors
    from zerokelvin import io as io
    from zerokelvin import jit as jit
    from zerokelvin import learners as learners
    from zerokelvin import plot as plot
    from zerokelvin.bound import Assumption, Bound
    from zerokelvin.client import AsyncClient, Client
    from zerokelvin.flow import (
        ClusterReport,
        MinimumCut,
        OnlineCut,
        PicardQueyranne,
        cluster_report,
        minimum_cut,
        picard_queyranne,
    )
    from zerokelvin.games import Run, Runs, play, play_shuffles
    from zerokelvin.graph import (
        ExponentialGraph,
        Graph,
        LabelledGraph,
        Measured,
        bal,
        cut,
        diameter,
        eccentricity,
        epsilon_graph,
        exponential_graph,
        generators,
        geodesic_distances,
        knn_graph,
        label_balance,
        wide_diameter,
    )
    from zerokelvin.graph.features import Features
    from zerokelvin.io import (
        DataSet,
        Limits,
        ReadReport,
        load_dataset,
        open_embedding,
        open_graph,
        read_graph,
        read_labels,
        write_graph,
    )
    from zerokelvin.resistance.effective import effective_resistance, resistance_diameter
    from zerokelvin.session import Explanation, Prediction, Session, load, start
    from zerokelvin.sweeps.grid import play_grid

__all__ = [
    "Assumption",
    "AsyncClient",
    "Bound",
    "Client",
    "ClusterReport",
    "DataSet",
    "Explanation",
    "ExponentialGraph",
    "Features",
    "Graph",
    "LabelledGraph",
    "Limits",
    "Measured",
    "MinimumCut",
    "OnlineCut",
    "PicardQueyranne",
    "Prediction",
    "ReadReport",
    "Run",
    "Runs",
    "Session",
    "bal",
    "checks",
    "cluster_report",
    "cut",
    "diameter",
    "eccentricity",
    "effective_resistance",
    "epsilon_graph",
    "exponential_graph",
    "generators",
    "geodesic_distances",
    "knn_graph",
    "label_balance",
    "learners",
    "load",
    "load_dataset",
    "minimum_cut",
    "open_embedding",
    "open_graph",
    "picard_queyranne",
    "play",
    "play_grid",
    "play_shuffles",
    "plot",
    "read_graph",
    "read_labels",
    "resistance_diameter",
    "sklearn",
    "start",
    "wide_diameter",
    "write_graph",
]
__version__ = "0.1.0"

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.bound": "Assumption Bound",
        "zerokelvin.client": "AsyncClient Client",
        "zerokelvin.flow": (
            "ClusterReport MinimumCut OnlineCut PicardQueyranne cluster_report minimum_cut picard_queyranne"
        ),
        "zerokelvin.games": "Run Runs play play_shuffles",
        "zerokelvin.graph": (
            "ExponentialGraph Graph LabelledGraph Measured bal cut diameter eccentricity epsilon_graph "
            "exponential_graph generators geodesic_distances knn_graph label_balance wide_diameter"
        ),
        "zerokelvin.graph.features": "Features",
        "zerokelvin.io": (
            "DataSet Limits ReadReport load_dataset open_embedding open_graph read_graph read_labels "
            "write_graph"
        ),
        "zerokelvin.resistance.effective": "effective_resistance resistance_diameter",
        "zerokelvin.session": "Explanation Prediction Session load start",
        "zerokelvin.sweeps.grid": "play_grid",
    },
)

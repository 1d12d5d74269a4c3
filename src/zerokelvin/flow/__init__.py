"""Minimum cuts: maximum flow, the Picard–Queyranne graph of all minimum cuts, and both online."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.flow.online.online_cut import Lengths, OnlineCut
    from zerokelvin.flow.online.paths import CutPath
    from zerokelvin.flow.static.cluster_report import Cluster, ClusterReport, cluster_report
    from zerokelvin.flow.static.cut_counts import CutCount, count_minimum_cuts_through
    from zerokelvin.flow.static.minimum_cut import MinimumCut, minimum_cut
    from zerokelvin.flow.static.path_covers import least_path_cover, most_path_cover, theorem_8
    from zerokelvin.flow.static.picard_queyranne import PicardQueyranne, picard_queyranne

__all__ = [
    "Cluster",
    "ClusterReport",
    "CutCount",
    "CutPath",
    "Lengths",
    "MinimumCut",
    "OnlineCut",
    "PicardQueyranne",
    "cluster_report",
    "count_minimum_cuts_through",
    "least_path_cover",
    "minimum_cut",
    "most_path_cover",
    "picard_queyranne",
    "theorem_8",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.flow.online.online_cut": "Lengths OnlineCut",
        "zerokelvin.flow.online.paths": "CutPath",
        "zerokelvin.flow.static.cluster_report": "Cluster ClusterReport cluster_report",
        "zerokelvin.flow.static.cut_counts": "CutCount count_minimum_cuts_through",
        "zerokelvin.flow.static.minimum_cut": "MinimumCut minimum_cut",
        "zerokelvin.flow.static.path_covers": "least_path_cover most_path_cover theorem_8",
        "zerokelvin.flow.static.picard_queyranne": "PicardQueyranne picard_queyranne",
    },
)

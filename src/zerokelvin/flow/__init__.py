"""Minimum cuts: maximum flow, the Picard–Queyranne graph of all minimum cuts, and both online."""

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

"""Spanning trees and what learners build on them: spines, hinges, minimum cuts, bounds per cluster."""

from zerokelvin.trees.expected import expected_cut, expected_tree_bound
from zerokelvin.trees.low_stretch import average_stretch
from zerokelvin.trees.spanning import KINDS, SpanningTrees, is_forest, spanning_tree
from zerokelvin.trees.spine import Spine, linearise
from zerokelvin.trees.wilson import WilsonSampler

__all__ = [
    "KINDS",
    "SpanningTrees",
    "Spine",
    "WilsonSampler",
    "average_stretch",
    "expected_cut",
    "expected_tree_bound",
    "is_forest",
    "linearise",
    "spanning_tree",
]

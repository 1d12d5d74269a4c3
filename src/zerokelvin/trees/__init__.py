"""Spanning trees and what learners build on them: spines, hinges, minimum cuts, bounds per cluster."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.trees.spanning.expected import expected_cut, expected_tree_bound
    from zerokelvin.trees.spanning.low_stretch import average_stretch
    from zerokelvin.trees.spanning.spanning_trees import KINDS, SpanningTrees, is_forest, spanning_tree
    from zerokelvin.trees.spanning.spine import Spine, linearise
    from zerokelvin.trees.spanning.wilson import WilsonSampler

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.trees.spanning.expected": "expected_cut expected_tree_bound",
        "zerokelvin.trees.spanning.low_stretch": "average_stretch",
        "zerokelvin.trees.spanning.spanning_trees": "KINDS SpanningTrees is_forest spanning_tree",
        "zerokelvin.trees.spanning.spine": "Spine linearise",
        "zerokelvin.trees.spanning.wilson": "WilsonSampler",
    },
)

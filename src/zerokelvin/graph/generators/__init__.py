"""The graphs the papers argue with, each with its natural labelling."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.graph.generators.cluster_graphs import (
        balanced_octopus,
        barbell,
        double_lollipop,
        flower,
        noisy_barbell,
        octopus,
        thick_barbell,
        three_clusters,
    )
    from zerokelvin.graph.generators.fraud import fraud_rings
    from zerokelvin.graph.generators.labelled import LabelledGraph
    from zerokelvin.graph.generators.regular import clique, grid, line, random_tree, tree
    from zerokelvin.graph.generators.sampled import path_connected_sets, planted_partition, two_moons

__all__ = [
    "LabelledGraph",
    "balanced_octopus",
    "barbell",
    "clique",
    "double_lollipop",
    "flower",
    "fraud_rings",
    "grid",
    "line",
    "noisy_barbell",
    "octopus",
    "path_connected_sets",
    "planted_partition",
    "random_tree",
    "thick_barbell",
    "three_clusters",
    "tree",
    "two_moons",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.graph.generators.cluster_graphs": (
            "balanced_octopus barbell double_lollipop flower noisy_barbell octopus thick_barbell "
            "three_clusters"
        ),
        "zerokelvin.graph.generators.fraud": "fraud_rings",
        "zerokelvin.graph.generators.labelled": "LabelledGraph",
        "zerokelvin.graph.generators.regular": "clique grid line random_tree tree",
        "zerokelvin.graph.generators.sampled": "path_connected_sets planted_partition two_moons",
    },
)

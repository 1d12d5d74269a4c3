"""The experts that `auto` mixes, a file for each kind: regressions over kernels and scales, votes, trees.

A new file with one ``@expert("name")`` line is another kind, without any other change
(`zerokelvin.registry`).
"""

from zerokelvin.learners.auto.experts.expert import (
    KINDS,
    Expert,
    Kind,
    PreparedExperts,
    expert,
    prepare_experts,
    start_experts,
)

__all__ = ["KINDS", "Expert", "Kind", "PreparedExperts", "expert", "prepare_experts", "start_experts"]

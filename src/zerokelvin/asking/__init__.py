"""When to ask for a label: policies that any learner can be combined with."""

from zerokelvin.asking.policies import (
    Always,
    Doubt,
    Margin,
    Policy,
    RandomRate,
    Value,
    Variance,
    parse_policy,
)

__all__ = ["Always", "Doubt", "Margin", "Policy", "RandomRate", "Value", "Variance", "parse_policy"]

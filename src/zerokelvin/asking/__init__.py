"""When to ask for a label: one file per policy, and the one step that decides (`decision`).

A new file with one ``@policy("name", "NUMBER")`` line is registered without any other change
(`zerokelvin.registry`).
"""

from zerokelvin.asking.always import Always
from zerokelvin.asking.costs import Costs
from zerokelvin.asking.doubt import Doubt
from zerokelvin.asking.find import Find
from zerokelvin.asking.margin import Margin
from zerokelvin.asking.policies import POLICIES, Policy, list_policies, names_policies, parse_policy
from zerokelvin.asking.random_rate import RandomRate
from zerokelvin.asking.value import Value
from zerokelvin.asking.variance import Variance

__all__ = [
    "POLICIES",
    "Always",
    "Costs",
    "Doubt",
    "Find",
    "Margin",
    "Policy",
    "RandomRate",
    "Value",
    "Variance",
    "list_policies",
    "names_policies",
    "parse_policy",
]

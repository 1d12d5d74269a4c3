"""What is known of a node beside its edges: tables of attributes, and the rules that make numbers of them."""

from zerokelvin.graph.attributes.attribute_table import Attributes

__all__ = ["Attributes"]

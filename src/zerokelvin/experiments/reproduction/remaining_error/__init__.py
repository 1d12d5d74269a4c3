"""The limit on the labels that go out wrong, against the truth in a thousand sessions."""

from zerokelvin.experiments.reproduction.remaining_error import guarantee_coverage

__all__ = ["guarantee_coverage"]

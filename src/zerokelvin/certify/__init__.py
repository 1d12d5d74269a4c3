"""The `Bound` type and validators that never call what they judge."""

from zerokelvin.certify.bound import Assumption, Bound

__all__ = ["Assumption", "Bound"]

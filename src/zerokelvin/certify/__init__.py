"""The `Bound` type, the record of what was shown, and validators that never call what they judge."""

from zerokelvin.certify.bound import Assumption, Bound
from zerokelvin.certify.record import Record

__all__ = ["Assumption", "Bound", "Record"]

"""What random checks prove of the labels that go out unasked: an upper limit valid whenever one looks."""

from zerokelvin.guarantee.audit import Audit, Guarantee
from zerokelvin.guarantee.wrong_count import WrongCount

__all__ = ["Audit", "Guarantee", "WrongCount"]

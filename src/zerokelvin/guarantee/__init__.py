"""What random checks prove of the labels that go out unasked: an upper limit valid whenever one looks."""

from zerokelvin.guarantee.audit import Audit, Draw, Held, ToldLabel
from zerokelvin.guarantee.limit import Guarantee, guarantee
from zerokelvin.guarantee.wrong_count import WrongCount

__all__ = ["Audit", "Draw", "Guarantee", "Held", "ToldLabel", "WrongCount", "guarantee"]

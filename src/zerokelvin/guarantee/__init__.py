"""What random checks prove of the labels that go out unasked: an upper limit valid whenever one looks."""

from zerokelvin.guarantee.audit import Audit, Draw, Held, ToldLabel
from zerokelvin.guarantee.drawn_checks import RandomChecks
from zerokelvin.guarantee.fixed_labels import check_fixed_labels
from zerokelvin.guarantee.limit import Guarantee, guarantee, require_confidence
from zerokelvin.guarantee.wrong_count import WrongCount

__all__ = ["Audit", "Draw", "Guarantee", "Held", "RandomChecks", "ToldLabel", "WrongCount"]
__all__ += ["check_fixed_labels", "guarantee", "require_confidence"]

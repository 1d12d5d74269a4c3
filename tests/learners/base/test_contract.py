"""Every registered learner keeps the contract."""

import dataclasses

import pytest

from zerokelvin import learners
from zerokelvin.checks import CHECKS, ContractError, check_learner
from zerokelvin.learners import LEARNERS
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.perceptron.perceptron_state import PerceptronState

LONG = "promises hold in games drawn at random"
SHORT = [
    check for check in CHECKS if CHECKS[check].__module__ == "zerokelvin.checks.contract" and check != LONG
]


@pytest.mark.kernels
@pytest.mark.parametrize("check", SHORT)
@pytest.mark.parametrize("name", learners.names())
def test_contract(name, check):
    CHECKS[check](learners.make(name))


@pytest.mark.parametrize("check", [check for check in CHECKS if check not in SHORT])
@pytest.mark.parametrize("name", learners.names())
def test_contract_at_length(name, check):
    """Games by the dozen, which take too long without compilation."""
    CHECKS[check](learners.make(name))


class Forgetful(PerceptronState):
    """Breaks purity: predicting moves the weights."""

    def margin(self, node):
        self.w[node] += 1.0
        return float(self.w[node])


class Shaky(PerceptronState):
    """Breaks saving: one field is left out of the snapshot."""

    fields = ("mistaken_nodes", "mistaken_labels", "radius")


class Overconfident(PerceptronState):
    """Breaks the bound: claims that no mistake is ever made."""

    def bound(self, labels, theorem="2.1"):
        return dataclasses.replace(super().bound(labels, theorem), value=0.0, assumptions=())


@pytest.mark.parametrize(
    ("state", "check"),
    [
        (Forgetful, "predicting is pure"),
        (Shaky, "a session survives saving and loading"),
        (Overconfident, "mistakes stay within the bound where its assumptions hold"),
    ],
)
def test_contract_catches_a_broken_learner(state, check):
    @dataclasses.dataclass(frozen=True)
    class Broken(Perceptron):
        def start(self, graph, prepared=None, rng=None):
            return state(graph, self.prepare(graph) if prepared is None else prepared, self)

    LEARNERS._values["broken"] = Broken  # registered for this test only
    Broken.name = "broken"
    try:
        with pytest.raises(ContractError, match="broken"):
            CHECKS[check](Broken())
    finally:
        del LEARNERS._values["broken"]


def test_check_learner_runs_every_check():
    check_learner(learners.make("perceptron", b=2.0, c=0.5))

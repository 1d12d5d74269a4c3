from dataclasses import dataclass

import pytest

from zerokelvin import learners
from zerokelvin.errors import ParameterError
from zerokelvin.experiments import describe_learner, list_learners, parse_parameters
from zerokelvin.learners import LEARNERS, Learner


@dataclass(frozen=True)
class Many(Learner):
    """A learner with every kind of parameter; see nowhere.

    And more about it.
    """

    rank: int = 10
    mu: float = 1.0
    every_round: bool = False
    inner: str = "pounce"
    budget: int | None = None
    tree: float | str = "auto"

    def start(self, graph, prepared=None, rng=None):
        raise NotImplementedError


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setitem(LEARNERS._values, "many", Many)
    monkeypatch.setattr(Many, "name", "many")


@pytest.mark.parametrize("name", learners.names())
def test_every_learner_explains_itself(name):
    info = describe_learner(name)
    assert info.summary
    assert "\n" not in info.summary
    assert info.text.startswith(info.text.strip()[:10])
    assert learners.make(name).params().keys() == info.parameters.keys()


def test_reference_and_summary_are_read_off_the_docstrings():
    info = describe_learner("perceptron")
    assert info.reference == 'Herbster and Pontil 2006, "Prediction on a graph with a perceptron"'
    assert info.summary == "Kernel perceptron with K = G⁺ + b·11ᵀ + c·I"
    assert info in list_learners()


def test_only_the_first_sentence_is_the_summary(many):
    assert describe_learner("many").summary == "A learner with every kind of parameter"
    assert describe_learner("many").reference == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank=3", 3),
        ("mu=3", 3.0),
        ("mu=1e-3", 0.001),
        ("mu = 2 ", 2.0),
        ("every_round=yes", True),
        ("every_round=False", False),
        ("inner=a=b", "a=b"),
        ("budget=none", None),
        ("budget=7", 7),
        ("tree=0.5", 0.5),
        ("tree=random", "random"),
    ],
)
def test_parameters_take_the_declared_type(many, text, expected):
    (value,) = parse_parameters("many", [text]).values()
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("rank=2.5", "rank=2.5 of 'many' is not a whole number"),
        ("mu=", "mu= of 'many' is not a number"),
        ("every_round=maybe", "true or false"),
        ("budget=much", "a whole number or none"),
        ("rank", "name=value"),
        ("=3", "name=value"),
    ],
)
def test_what_cannot_be_converted_is_named(many, text, named):
    with pytest.raises(ParameterError, match=named):
        parse_parameters("many", [text])


def test_an_unknown_name_is_left_for_the_learner_to_refuse(many):
    assert parse_parameters("many", ["nope=1"]) == {"nope": "1"}
    with pytest.raises(ParameterError, match="nope"):
        learners.make("many", nope="1")


def test_unknown_learner():
    with pytest.raises(ParameterError, match="did you mean 'perceptron'"):
        parse_parameters("perceptrn", [])

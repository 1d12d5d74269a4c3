"""Names, and names with numbers."""

import pytest

from zerokelvin.errors import ParameterError
from zerokelvin.registry import Registry

RULES: Registry[str] = Registry("rule")
RULES.add("always")("A")
RULES.add("rate", "RATE")("R")
RULES.add("margin", "[SCALE]")("M")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("always", ("A", None)),
        ("rate:0.5", ("R", 0.5)),
        ("margin", ("M", None)),
        ("margin:1e-3", ("M", 0.001)),
        ("margin: 2", ("M", 2.0)),
    ],
)
def test_what_is_understood(text, found):
    assert RULES.parse(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "alway",
            r"unknown rule 'alway'; did you mean 'always'\? Known: always, margin\[:SCALE\], rate:RATE\.",
        ),
        ("always:1", "rule 'always:1' takes no number; write always."),
        ("always:", "rule 'always:' takes no number; write always."),
        ("rate", "rule 'rate' needs a number; write rate:RATE."),
        ("margin:", r"rule 'margin:' needs a number; write margin\[:SCALE\]\."),
        ("rate:x", "rule 'rate:x': 'x' is no number; write rate:RATE."),
        ("rate:1:2", "'1:2' is no number"),
        ("", "unknown rule ''"),
    ],
)
def test_what_is_not(text, said):
    with pytest.raises(ParameterError, match=said):
        RULES.parse(text)


def test_a_name_is_taken_once():
    with pytest.raises(ParameterError, match="registered already"):
        RULES.add("rate")("again")

"""The page of every learner: written for people, complete, and made from the code."""

import re

import pytest

import zerokelvin as zk
from zerokelvin.experiments import describe_learner
from zerokelvin.experiments.learner_page import plain_text

NAMES = zk.learners.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_complete(name):
    info = describe_learner(name)
    headings = re.findall(r"^([A-Z][\w ]+)$", info.text, re.MULTILINE)
    wanted = ["For", "Choose it when", "Cost", "How it works", "Bound", "Parameters", "Example", "Paper"]
    assert [heading for heading in headings if heading in wanted] == wanted
    assert info.purpose
    assert info.choose
    assert info.cost
    assert info.bound != "None is stated."
    assert info.bound.endswith(".")
    assert [key for key, meaning in info.meanings.items() if not meaning] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_page_has_markup_or_leads_into_the_code(name):
    text = describe_learner(name).text
    for mark in ("`", ">>>", "----", "see the module", " .\n", "(see )"):
        assert mark not in text, mark
    assert max(map(len, text.splitlines())) <= 115


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_the_page_runs(name):
    (line,) = re.findall(r"session = (zk\.start\(.*\))", describe_learner(name).text)
    graph = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    session = eval(line, {"zk": zk, "graph": graph})  # noqa: S307
    session.learn(0, "fraud")
    assert session.learner.name == name


def test_prose_is_filled_and_formulas_keep_their_lines():
    text = "A sentence\nover lines (`learners.auto.mixing`).\n\n    x = 1\n    y = 2\n\nIt is in `zk.start`."
    assert plain_text(text) == "A sentence over lines.\n\n    x = 1\n    y = 2\n\nIt is in zk.start."

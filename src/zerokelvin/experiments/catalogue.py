"""What is known of each registered learner, read off its code: summary, reference, parameters, a page.

The summary is the first line of the class docstring, the reference the first parenthesis of the module
docstring that holds a year, the parameters the fields of the dataclass. So a learner documents itself
everywhere by being written.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import sys
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.learner_page import plain_text, read_page, write_page
from zerokelvin.experiments.summary import plain
from zerokelvin.learners import LEARNERS, Learner

__all__ = ["LearnerInfo", "describe_learner", "list_learners", "parse_grid", "parse_parameters"]

_REFERENCE = re.compile(r"\(([^()]*\b(?:19|20)\d\d\b[^()]*)\)")
_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


@dataclass(frozen=True)
class LearnerInfo:
    """A learner in words: `parameters` with defaults, `meanings` of them, and `text`, a whole page."""

    name: str
    summary: str
    reference: str
    parameters: dict[str, Any]
    multiclass: bool
    text: str
    purpose: str = ""
    choose: str = ""
    cost: str = ""
    bound: str = ""
    meanings: dict[str, str] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The same as dicts, lists and numbers, which JSON can hold."""
        return dataclasses.asdict(self)


def list_learners() -> list[LearnerInfo]:
    """What is known of every registered learner, sorted by name."""
    return [describe_learner(name) for name in LEARNERS]


def describe_learner(name: str) -> LearnerInfo:
    """What is known of one learner.

    >>> describe_learner("perceptron").parameters["b"]
    1.0
    """
    cls = LEARNERS[name]
    page = read_page(cls)
    about_class = inspect.cleandoc(cls.__doc__ or "")
    about_module = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "")
    reference = _REFERENCE.search(about_module)
    summary = plain_text(about_class.partition("\n\n")[0])
    summary = " ".join(summary.split()).partition("; see")[0].partition("; parameters as")[0].rstrip(".")
    paper = " ".join(reference.group(1).split()) if reference else ""
    parameters = {field.name: plain(_default(field)) for field in dataclasses.fields(cls)}
    return LearnerInfo(
        name=name,
        summary=summary,
        reference=paper,
        parameters=parameters,
        multiclass=cls.multiclass,
        text=write_page(name, summary, page, parameters, paper),
        purpose=page.purpose,
        choose=page.choose,
        cost=page.cost,
        bound=page.bound,
        meanings={name: page.parameters.get(name, "") for name in parameters},
    )


def parse_parameters(learner: str, assignments: Sequence[str]) -> dict[str, Any]:
    """Turn texts such as ``"b=2"`` into parameters of the types the learner declares.

    A name the learner does not know is passed on for the learner to refuse.

    >>> parse_parameters("perceptron", ["b=2", "engine=dense"])
    {'b': 2.0, 'engine': 'dense'}
    """
    cls = LEARNERS[learner]
    kinds = typing.get_type_hints(cls)
    params: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name, text = name.strip(), text.strip()
        if not equals or not name:
            raise ParameterError(f"parameter '{assignment}' has no value; write it as name=value.")
        if name in params:
            raise ParameterError(f"parameter '{name}' is given twice; keep one of them.")
        params[name] = _converted(cls, name, kinds.get(name, str), text)
    return params


def parse_grid(learner: str, assignments: Sequence[str]) -> list[dict[str, Any]]:
    """Every combination of texts such as ``"mu=0.1,1,10"``, values in the order given, the last name fastest.

    >>> parse_grid("ollgc", ["mu=0.1,1", "rank=50"])
    [{'mu': 0.1, 'rank': 50}, {'mu': 1.0, 'rank': 50}]
    """
    lists = []
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        lists.append([f"{name}={value}" if equals else name for value in text.split(",")])
    chosen = [parse_parameters(learner, combination) for combination in itertools.product(*lists)]
    for i, one in enumerate(chosen):
        if one in chosen[:i]:
            raise ParameterError(f"the grid has {_spelled(one)} twice; keep one of them.")
    return chosen


def _spelled(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _converted(cls: type[Learner], name: str, kind: Any, text: str) -> Any:
    """The text as the declared type; of a union, as the first of its types that takes it."""
    union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    choices = typing.get_args(kind) if union else (kind,)
    for choice in choices:
        if choice is type(None):
            if text.lower() == "none":
                return None
        elif choice is bool:
            if text.lower() in _WORDS:
                return _WORDS[text.lower()]
        elif choice in (int, float):
            try:
                return choice(text)
            except ValueError:
                continue
        else:
            return text
    wanted = " or ".join(_KINDS.get(choice, str(choice)) for choice in choices)
    raise ParameterError(f"parameter {name}={text} of '{cls.name}' is not {wanted}.")


_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "none",
}


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default

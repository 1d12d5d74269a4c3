"""A page for people about a learner, made from its code: purpose, how it works, cost, bound, parameters.

What it is for, when to choose it and what it costs are the learner's own words (`Learner.purpose`, `choose`,
`cost`). How it works is its module's docstring without the paragraphs that begin with "Cost" and "Bound",
which have places of their own; the meaning of parameters stands in the docstring of the class or of the class
it refines. Markup and references to other modules, which say nothing to whoever does not read code, are left
out.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from dataclasses import dataclass

from zerokelvin.learners import Learner

__all__ = ["LearnerPage", "read_page", "write_page"]

WIDTH = 96
_MODULE = r"`(?:zerokelvin\.)?[a-z_]+(?:\.[A-Za-z_]+)+`"
_ASIDES = (
    rf"\s*\((?:see )?{_MODULE}(?:,? and {_MODULE})*\)",
    rf"(?<=\.) [^.`]*(?:is in|:) {_MODULE}\.(?=\s|$)",
    rf"; see\s+{_MODULE}[^.;]*",
    r"\s*\(see the module\)",
    rf", (?:in|beginning with) {_MODULE}",
    r"; see the module[^.]*",
    r" \(see\s+docs/[a-z/]+\.md\)",
)


_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(\w[\w, ]*)\n((?:    .*\n?|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class LearnerPage:
    """What is said of a learner, in plain words; `parameters` are names with their meaning."""

    purpose: str
    choose: str
    how: str
    cost: str
    bound: str
    parameters: dict[str, str]


def read_page(cls: type[Learner]) -> LearnerPage:
    """What the code of a learner says of it.

    >>> from zerokelvin.learners import LEARNERS
    >>> read_page(LEARNERS["perceptron"]).parameters["b"]
    'Weight of the constant 11ᵀ: how strongly the balance of the classes carries over.'
    """
    paragraphs = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "").split("\n\n")
    about: list[str] = []
    own: list[str] = []
    for part in paragraphs:
        formula = part.startswith(" ") and bool(about) and not about[-1].endswith(".")
        after = bool(about) and about[-1].startswith(" ")  # what follows from the formula
        if re.match(r"Bounds?(?:[.:,]| \()", part) or formula or after:
            about.append(part)
        elif not part.startswith("Cost:"):
            own.append(part)
    bound = re.sub(r"^Bounds?\b[.:,]? ?", "", plain_text("\n\n".join(about))).lstrip(": ")
    return LearnerPage(
        purpose=cls.purpose,
        choose=cls.choose,
        how=plain_text("\n\n".join(own)),
        cost=cls.cost,
        bound=f"{bound[0].upper()}{bound[1:]}" if bound else "None is stated.",
        parameters=_parameters(cls),
    )


def write_page(name: str, summary: str, page: LearnerPage, defaults: dict[str, object], paper: str) -> str:
    """The page as text for a terminal."""
    parts = [f"{name}: {summary}."]
    for heading, text in (("For", page.purpose), ("Choose it when", page.choose), ("Cost", page.cost)):
        if text:
            sentence = f"{text[0].upper()}{text[1:]}."
            parts.append(f"{heading}\n{textwrap.indent(_filled(sentence), '  ')}")
    parts.append(f"How it works\n{textwrap.indent(page.how, '  ')}")
    parts.append(f"Bound\n{textwrap.indent(page.bound, '  ')}")
    if defaults:
        lines = [
            f"  {key} = {value}\n{_indented(page.parameters.get(key, ''))}" for key, value in defaults.items()
        ]
        parts.append("Parameters\n" + "\n".join(lines))
    else:
        parts.append("Parameters\n  It has none.")
    first = next(((k, v) for k, v in defaults.items() if isinstance(v, (int, float)) and v is not True), None)
    chosen = "" if first is None else f" --param {first[0]}={first[1]}"
    given = "" if first is None else f", {first[0]}={first[1]}"
    parts.append(
        f"Example\n  zerokelvin run edges.csv labels.csv --learner {name}{chosen}\n"
        f'  session = zk.start(graph, "{name}", classes=["fraud", "ok"]{given})'
    )
    if paper:
        parts.append(f"Paper\n{textwrap.indent(_filled(f'{paper}.'), '  ')}")
    return "\n\n".join(parts)


def plain_text(text: str) -> str:
    """A docstring without its markup and without references to modules.

    >>> plain_text("Asks by ``margin:2`` (`zerokelvin.asking.decision`); see the module.")
    'Asks by margin:2.'
    """
    for aside in _ASIDES:
        text = re.sub(aside, "", text)
    text = re.sub(r"`{1,2}([^`]+)`{1,2}", r"\1", text)
    text = re.sub(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])", r"\1", text)
    parts = (part.rstrip() for part in re.split(r"\n\n+", text))
    return "\n\n".join(_reflowed(part) for part in parts).strip()


def _reflowed(part: str) -> str:
    """A paragraph or list filled anew; formulas keep their lines."""
    lines = part.split("\n")
    if lines[0].startswith("- "):
        items = re.split(r"\n(?=- )", part)
        return "\n".join(
            textwrap.indent(_filled(" ".join(item[2:].split())), "  ").replace("  ", "- ", 1)
            for item in items
        )
    if any(line.startswith((" ", "- ")) for line in lines):
        return part
    return _filled(" ".join(lines))


def _parameters(cls: type[Learner]) -> dict[str, str]:
    """The meaning of each parameter, by the class itself first and then by those it refines."""
    found: dict[str, str] = {}
    for base in cls.__mro__:
        text = inspect.cleandoc(base.__dict__.get("__doc__") or "")
        section = _SECTION.search(text)
        entries = _ENTRY.findall(section.group(1) if section else "")
        for names, meaning in entries:
            for name in names.split(", "):
                found.setdefault(name, " ".join(plain_text(textwrap.dedent(meaning)).split()))
    return found


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _indented(text: str) -> str:
    return textwrap.indent(_filled(text), "      ")

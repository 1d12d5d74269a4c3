"""Names, names with numbers, and the names of a room, which are known before its modules are imported."""

import py_compile
import sys
import textwrap

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


ROOM = {
    "tools": """
        from zerokelvin.registry import Registry
        TOOLS = Registry("tool", room=__package__, decorator="tool")
        def tool(name, number="", **more):
            return TOOLS.add(name, number)
        """,
    "plain": """
        from {room}.tools import tool
        @tool("saw", "TEETH", sharp=True)
        @staticmethod
        class Saw:
            pass
        @tool("plane")
        def plane():
            pass
        """,
    "deep.inner": """
        from {room}.tools import tool
        @tool(
            "drill",
            "[SPEED]",
        )
        class Drill:
            pass
        """,
    "computed": """
        from {room}.tools import tool
        for size in ("small", "large"):
            tool(f"hammer-{{size}}")(size)
        """,
    "alias": """
        from {room}.tools import tool as register
        @register("vice")
        class Vice:
            pass
        """,
    "keyword": """
        from {room}.tools import tool
        @tool("file", number="GRADE")
        class File:
            pass
        """,
    "named": """
        from {room}.tools import tool
        GRADE = "GRIT"
        @tool("paper", GRADE)
        class Paper:
            pass
        """,
    "unrelated": "raise AssertionError('nobody asked for this')\n",
}


@pytest.fixture
def room(tmp_path, monkeypatch, request):
    """A package of modules that register tools, some of which do not say so in their text."""
    name = f"room_{abs(hash(request.node.name))}"
    for module, text in ROOM.items():
        path = tmp_path / name / f"{module.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(textwrap.dedent(text).replace("{room}", name).replace("{{", "{").replace("}}", "}"))
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / name


def tools_of(room):
    return __import__(f"{room.name}.tools", fromlist=["TOOLS"])


def imported(room):
    return {name.removeprefix(f"{room.name}.") for name in sys.modules if name.startswith(f"{room.name}.")}


def test_a_module_is_imported_when_its_name_is_asked_for(room):
    tools = tools_of(room).TOOLS
    assert imported(room) == {"tools"}
    assert tools["plane"].__name__ == "plane"
    assert imported(room) == {"tools", "plain"}
    assert tools.parse("drill:3")[1] == 3.0
    assert imported(room) == {"tools", "plain", "deep", "deep.inner"}


def test_names_and_forms_are_complete_without_the_plain_modules(room):
    tools = tools_of(room).TOOLS
    forms = ["drill[:SPEED]", "file:GRADE", "hammer-large", "hammer-small", "paper:GRIT", "plane"]
    assert tools.forms == [*forms, "saw:TEETH", "vice"]
    assert len(tools) == 8
    assert "vice" in tools
    assert "axe" not in tools
    assert imported(room) == {"tools", "computed", "alias", "keyword", "named"}  # what texts do not tell
    with pytest.raises(
        ParameterError, match=r"unknown tool 'drll'; did you mean 'drill'\? Known: drill\[:SPEED\], "
    ):
        tools["drll"]
    assert set(tools.values()) >= {"small", "large"}


def test_values_are_found_by_what_they_are_called_in_the_code(room):
    tools = tools_of(room).TOOLS
    assert tools.defined_as("Drill").__name__ == "Drill"
    assert tools.defined_as("Vice").__name__ == "Vice"
    assert tools.defined_as("Axe") is None
    assert "plain" not in imported(room)
    assert {"Saw", "plane", "Drill", "File"} <= tools.definitions.keys()


def test_a_name_in_a_text_is_taken_before_its_module_is_imported(room):
    tools = tools_of(room)
    with pytest.raises(ParameterError, match="tool 'saw' is registered already"):
        tools.tool("saw")(object())
    assert tools.tool("axe")("mine") == "mine"
    assert tools.TOOLS["axe"] == "mine"
    assert "axe" in list(tools.TOOLS)


def test_modules_without_text_are_imported(room):
    for path in (room / "plain.py", room / "deep" / "inner.py"):
        py_compile.compile(str(path), cfile=str(path.with_suffix(".pyc")), doraise=True)
        path.unlink()
    tools = tools_of(room).TOOLS
    assert {"saw", "plane", "drill"} <= set(tools)
    assert tools["saw"] is not None


def test_a_text_that_lies_is_told(room):
    (room / "plain.py").write_text('"""\n@tool("saw")\nclass Saw: ...\n"""\n')
    with pytest.raises(
        ParameterError, match=r"tool 'saw' stands in the text of .*plain, which has not added it"
    ):
        tools_of(room).TOOLS["saw"]

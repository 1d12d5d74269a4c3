"""The rules of the house that no linter knows (docs/adr/0004-rooms-by-family.md)."""

import ast
from collections import Counter
from pathlib import Path

import networkx as nx

import zerokelvin

HOUSE = Path(zerokelvin.__file__).parent
FILES = sorted(path for path in HOUSE.rglob("*.py") if "benchmarks" not in path.parts)
NAMED = [path for path in FILES if not path.stem.startswith("__")]
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def module_name(path):
    """`graph.features` for src/zerokelvin/graph/features.py, `graph` for its room, "" for the house."""
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def imported_by(node):
    """The modules of the house that one statement imports.

    ``from zerokelvin.a import b`` needs the module a.b if there is one, else what a/__init__.py offers. That
    Python also runs the __init__ of every room above a module is no dependency of the module.
    """
    if isinstance(node, ast.Import):
        found = {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and node.module:
        full = {f"{node.module}.{alias.name}" for alias in node.names}
        known = {name for name in full if name.removeprefix("zerokelvin.") in MODULES}
        found = known | ({node.module} if known != full else set())
    else:
        found = set()
    ours = {name.removeprefix("zerokelvin").removeprefix(".") for name in found if "zerokelvin" in name}
    return ours & MODULES.keys()


def imports_of(path, inside_functions):
    """What a module imports at its level, also under ``if TYPE_CHECKING``; or only what its functions do."""
    found, waiting = set(), [(TREES[path], False)]
    while waiting:
        node, within = waiting.pop()
        if within == inside_functions:
            found |= imported_by(node)
        inner = within or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found


def room(name):
    """The room of a module: of a learner its family, else the topmost."""
    return name.split(".")[: 2 if name.startswith("learners.") else 1]


def in_cycles(inside_functions):
    """The modules that need each other, round about; imports inside functions count within one room only.

    A function that imports from another room does so because what it needs is costly or optional; one that
    imports from its own room mostly hides a cycle.
    """
    graph = nx.DiGraph()
    for name, path in MODULES.items():
        graph.add_edges_from((name, other) for other in imports_of(path, False))
        if inside_functions:
            late = imports_of(path, True)
            graph.add_edges_from((name, other) for other in late if room(other) == room(name))
    groups = nx.strongly_connected_components(graph)
    alone = {name for name in graph if graph.has_edge(name, name)}
    return alone | {name for group in groups if len(group) > 1 for name in group}


def test_at_most_fifteen_files_in_a_folder():
    crowded = {folder: n for folder, n in Counter(path.parent for path in FILES).items() if n > 15}
    assert not crowded


def test_no_module_name_twice():
    twice = [stem for stem, n in Counter(path.stem for path in NAMED).items() if n > 1]
    assert not twice


def test_no_class_name_twice():
    nodes = [node for tree in TREES.values() for node in ast.walk(tree)]
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert not [name for name, n in names.items() if n > 1]


def test_no_import_cycle_even_for_types():
    assert not in_cycles(inside_functions=False)


def test_no_import_cycle_hidden_in_a_function():
    assert not in_cycles(inside_functions=True)


def test_every_folder_is_a_package_that_says_what_it_is():
    for folder in {path.parent for path in FILES}:
        assert ast.get_docstring(TREES[folder / "__init__.py"]), folder

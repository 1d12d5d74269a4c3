"""The rules of the house that no linter knows (docs/adr/0004-rooms-by-family.md)."""

import ast
from collections import Counter
from pathlib import Path

import networkx as nx

import zerokelvin
from conftest import LONG, ROOT

HOUSE = Path(zerokelvin.__file__).parent
TESTS = Path(__file__).parent
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


def test_at_most_fifteen_files_in_a_folder_of_benchmarks():
    """Where there is a checkout: the wheel has the benchmarks elsewhere."""
    checkout = Path(__file__).parents[1] / "benchmarks"
    crowded = {folder: n for folder, n in Counter(p.parent for p in checkout.rglob("*.py")).items() if n > 15}
    assert checkout.is_dir()
    assert not crowded


def test_at_most_fifteen_files_in_a_folder_of_tests():
    crowded = {folder: n for folder, n in Counter(p.parent for p in TESTS.rglob("*.py")).items() if n > 15}
    assert not crowded


def test_no_function_above_120_lines():
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        (path, node) for path, tree in TREES.items() for node in ast.walk(tree) if isinstance(node, functions)
    ]
    assert not [(path, n.name) for path, n in found if n.end_lineno - n.lineno >= 120]


def test_at_most_ten_types_are_ignored():
    assert sum(path.read_text(encoding="utf-8").count("# type: ignore") for path in FILES) <= 10


def test_names_with_numbers_are_parsed_in_one_place():
    """NAME:NUMBER is `Registry.parse`; what the service takes apart are keys of requests and addresses."""
    taking_apart = ('partition(":")', 'split(":")')
    found = [path for path in FILES if any(how in path.read_text(encoding="utf-8") for how in taking_apart)]
    names = {module_name(path) for path in found}
    assert {name for name in names if not name.startswith("service.")} == {"registry"}


def test_modules_above_300_lines_say_why():
    long = {path for path in FILES if len(path.read_text(encoding="utf-8").splitlines()) > 300}
    assert not {path for path in long if "Above 300 lines:" not in (ast.get_docstring(TREES[path]) or "")}


def private_attributes_of_others(tree):
    """Attributes with an underscore of an object whose class is not written in the module."""
    own, used = set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            mine = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            of_base = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            own |= {node.attr} if mine else set()
            used += [] if mine or of_base else [node]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            own.add(node.name)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
    public = {"_replace", "_asdict", "_make", "_exit"}  # of named tuples and of `os`: their documented names
    return {ast.unparse(node) for node in used if node.attr not in own | public}


def test_no_module_looks_into_objects_of_others():
    """But for those that stand between numba and its kernels, which has no public way in."""
    to_numba = ("jit.", "machine.lane_code", "experiments.rehearsal")
    ours = {name: TREES[path] for name, path in MODULES.items() if not name.startswith(to_numba)}
    found = {name: private_attributes_of_others(tree) for name, tree in ours.items()}
    assert {name: looks for name, looks in found.items() if looks} == {}


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


def test_the_tests_that_begin_first_are_there():
    assert [name for name in LONG if not (ROOT / "tests" / name).is_file()] == []

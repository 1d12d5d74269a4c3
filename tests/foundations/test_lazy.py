"""What is imported when: nothing heavy by the package, a help text or a graph; every name when used."""

import ast
import copy
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import zerokelvin as zk

HEAVY = (
    "numba",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.cluster",
    "pyarrow",
    "matplotlib",
    "sklearn",
    "pandas",
    "networkx",
    "anndata",
    "river",
    "skactiveml",
    "polars",
    "zerokelvin.checks",
    "starlette",
    "uvicorn",
    "msgspec",
    "httpx",
    "prometheus_client",
    "psycopg",
)
HELP = "from zerokelvin.cli.main import cli\ntry: cli({!r})\nexcept SystemExit: pass\n"
LAZY = [
    "zerokelvin",
    *(f"zerokelvin.{room}" for room in ("graph", "graph.generators", "io", "flow", "trees")),
]
LAZY += [
    "zerokelvin.ecosystems",
    "zerokelvin.client",
    "zerokelvin.experiments",
    "zerokelvin.plot",
    "zerokelvin.service",
]


def imported_after(script):
    """The modules that a fresh interpreter has imported after a script."""
    code = f"{script}\nimport sys\nsys.stderr.write('\\n'.join(sys.modules))\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines())


def test_nothing_comes_with_the_package():
    modules = imported_after("import zerokelvin")
    assert not modules & {*HEAVY, "numpy", "scipy", "click", "rich", "typing"}
    ours = {name for name in modules if name.startswith("zerokelvin")}
    assert ours == {"zerokelvin", "zerokelvin.startup", "zerokelvin.lazy"}


@pytest.mark.parametrize("words", [["--help"], [], ["learners", "--help"], ["warm", "--help"]])
def test_a_help_text_needs_little(words):
    modules = imported_after(HELP.format(words))
    assert not modules & {*HEAVY, "numpy", "scipy", "rich", "zerokelvin.learners"}


@pytest.mark.parametrize(
    "command",
    [
        "predict",
        "queue",
        "evaluate",
        "run",
        "compare",
        "check",
        "reproduce",
        "demo",
        "bench",
        "datasets",
        "serve",
    ],
)
def test_the_help_of_a_command_needs_no_compiler(command):
    modules = imported_after(HELP.format([command, "--help"]))
    assert not modules & {*HEAVY, "scipy", "zerokelvin.learners"}


def test_a_graph_needs_no_compiler():
    modules = imported_after(
        "import zerokelvin as zk\ngraph = zk.Graph.from_edges([('ann', 'bob'), ('bob', 'cem')])\nrepr(graph)"
    )
    assert not modules & {*HEAVY}


def test_a_learner_brings_its_own_modules_only():
    modules = imported_after("import zerokelvin as zk\nzk.learners.make('perceptron')")
    assert "zerokelvin.learners.perceptron.perceptron" in modules
    others = ("auto.auto", "cuts.longest_path", "trees.tree_opt", "pounce.pounce", "gaussian.gaussian")
    assert not modules & {f"zerokelvin.learners.{name}" for name in others}


def names_in(package):
    """A package's names: in its table, under ``if TYPE_CHECKING`` with their modules, in ``__all__``."""
    tree = ast.parse(Path(importlib.import_module(package).__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (table,) = (ast.literal_eval(call.args[1]) for call in calls if call.func.id == "lazy_names")
    blocks = (node for node in tree.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING")
    typed = {
        alias.name: statement.module
        for block in blocks
        for statement in block.body
        for alias in statement.names
        if statement.module != package
    }
    homes = {name: module for module, names in table.items() for name in names.split()}
    return homes, typed, importlib.import_module(package).__all__


@pytest.mark.parametrize("package", LAZY)
def test_table_types_and_all_say_the_same(package):
    homes, typed, listed = names_in(package)
    assert homes == typed
    module = importlib.import_module(package)
    assert homes.keys() <= set(listed) <= set(dir(module))
    for name in listed:
        value = getattr(module, name)
        if name in homes:
            assert value is getattr(importlib.import_module(homes[name]), name)


def test_every_lazy_package_is_tested():
    house = Path(zk.__file__).parent
    found = {
        ".".join(("zerokelvin", *path.parent.relative_to(house).parts))
        for path in house.rglob("__init__.py")
        if "__getattr__, __dir__ = lazy_names(" in path.read_text(encoding="utf-8")
    }
    assert found == set(LAZY)


def test_all_names_by_star():
    space = {}
    exec("from zerokelvin import *", space)  # noqa: S102
    assert set(zk.__all__) <= space.keys()
    assert set(zk.__all__) <= set(dir(zk))


@pytest.mark.parametrize(
    "name", ["learners", "checks", "generators", "errors", "io", "sklearn", "jit", "solve"]
)
def test_rooms_are_attributes(name):
    done = subprocess.run(
        [sys.executable, "-c", f"import zerokelvin as zk\nprint(zk.{name}.__name__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[0].endswith(name)


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'zerokelvin' has no attribute 'grph'"):
        zk.grph
    with pytest.raises(AttributeError, match="no attribute 'Percptron'"):
        zk.learners.Percptron
    with pytest.raises(ImportError):
        exec("from zerokelvin import grph")  # noqa: S102
    assert not hasattr(zk, "__wrapped__")


def test_classes_of_learners_are_attributes():
    script = (
        "import sys, zerokelvin as zk\nzk.learners.Pounce\n"
        "print('zerokelvin.learners.trees.tree_opt' in sys.modules, zk.learners.nearest.__name__,"
        " {'Pounce', 'TreeOpt'} <= set(dir(zk.learners)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "zerokelvin.learners.nearest", "True"]


def test_values_are_pickled_and_copied():
    graph = zk.Graph.from_edges([("ann", "bob")])
    assert pickle.loads(pickle.dumps(graph)).num_nodes == 2  # noqa: S301
    for value in (zk.Graph, zk.start, zk.learners.Perceptron, zk.learners.Perceptron(b=2.0)):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301
        assert copy.deepcopy(value) == value

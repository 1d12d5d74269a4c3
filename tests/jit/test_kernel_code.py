"""Compiled kernels: cached once, never stale, and their compilation is seen."""

import ast
import copy
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import zerokelvin
from zerokelvin.jit import compilation_seconds, kernel, module_stamp, on_compile


def test_the_cache_of_a_kernel_is_bound_to_what_its_module_imports():
    from zerokelvin.learners.perceptron.perceptron_state import _scan

    version = _scan._cache._cache_file._version
    root, module = Path(zerokelvin.__file__).parent.parent, "zerokelvin.learners.perceptron.perceptron_state"
    assert version == f"{numba.__version__} {module_stamp(root, module)}"


def test_kernels_are_copied_and_pickled_by_name():
    from zerokelvin.learners.perceptron.perceptron_state import _scan

    assert copy.deepcopy(_scan) is _scan
    assert pickle.loads(pickle.dumps(_scan)) is _scan  # noqa: S301
    assert _scan.__name__ == _scan.py_func.__name__ == "_scan"
    assert not hasattr(_scan, "__array__")


def test_an_index_of_classes_that_are_gone_is_not_read(tmp_path):
    from zerokelvin.learners.perceptron.perceptron_state import _scan

    cache = copy.copy(_scan._cache._cache_file)
    cache._index_path = str(tmp_path / "old.nbi")
    gone = b"czerokelvin.flow.online.cut_arrays\nState\n."  # pickled when the class had this name
    (tmp_path / "old.nbi").write_bytes(pickle.dumps(numba.__version__, protocol=-1) + gone)
    assert cache._load_index() == {}


def test_a_read_only_installation_without_a_home_compiles_in_memory_and_says_so(tmp_path):
    shutil.copytree(
        Path(zerokelvin.__file__).parent,
        tmp_path / "zerokelvin",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    script = (
        "import os, numba.core.caching as caching\n"
        "refuse = classmethod(lambda cls, function, file: None)\n"
        "for locator in caching.CacheImpl._locator_classes: locator.from_function = refuse\n"  # for root
        "import zerokelvin as zk\n"
        "line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])\n"
        "print(zk.play(line, [0, 0, 1, 1], 'nearest').trials)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "4"
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


def test_compilation_is_measured_and_announced(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # or an earlier run has compiled it

    @kernel
    def twice(values):
        return 2 * values

    names = []
    with compilation_seconds() as spent, on_compile(names.append):
        twice(np.arange(3))
        twice(np.arange(4))
    assert names == ["twice"]
    assert spent.kernels == 1
    assert spent.seconds > 0


def test_a_second_process_compiles_nothing():
    script = (
        "import zerokelvin as zk\n"
        "line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])\n"
        "print(zk.play(line, [0, 0, 1, 1], 'perceptron').compile_seconds)\n"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) == 0.0


COMPILED = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def kernels_of(path):
    """The functions of a module by name, and by the decorator that makes kernels of them."""
    functions = [item for item in ast.parse(path.read_text()).body if isinstance(item, ast.FunctionDef)]
    return {f.name: {getattr(d, "id", None) for d in f.decorator_list} for f in functions}


def test_only_kernels_call_an_inner_kernel():
    # else it is compiled twice, once for kernels and once for Python
    wrong, seen = [], 0
    source = Path(zerokelvin.__file__).parent
    modules = {path: kernels_of(path) for path in source.rglob("*.py")}
    inner = {
        (".".join(path.relative_to(source.parent).with_suffix("").parts), name)
        for path, kernels in modules.items()
        for name, marks in kernels.items()
        if "inner_kernel" in marks
    }
    for path, kernels in modules.items():
        module = ".".join(path.relative_to(source.parent).with_suffix("").parts)
        tree = ast.parse(path.read_text())
        here = {name: name for home, name in inner if home == module}
        for item in ast.walk(tree):
            if isinstance(item, ast.ImportFrom):
                here |= {a.asname or a.name: a.name for a in item.names if (item.module, a.name) in inner}
        for item in tree.body:
            compiled = {"kernel", "inner_kernel"} & kernels.get(getattr(item, "name", ""), set())
            used = {name.id for name in ast.walk(item) if isinstance(name, ast.Name)} & here.keys()
            seen += bool(compiled and used)
            wrong += [f"{module}: {name}" for name in used if not compiled]
    assert seen > 20
    assert wrong == []


@COMPILED
def test_an_inner_kernel_is_compiled_for_python_only_where_python_calls_it(tmp_path):
    script = (
        "import numba, numpy as np\n"
        "from zerokelvin.flow.online.repairs import new_epoch\n"
        "from zerokelvin.jit import compilations\n"
        "outer = numba.njit(lambda tally: new_epoch(tally))\n"
        "tally = np.zeros(20, dtype=np.int64)\n"
        "with compilations() as found:\n"
        "    outer(tally)\n"
        "    print(sum(one.kernel == 'new_epoch' for one in found))\n"
        "    new_epoch(tally)\n"
        "    new_epoch(tally)\n"
        "    print(sum(one.kernel == 'new_epoch' for one in found), tally.max())\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    for compiled in (["1", "2 3"], ["0", "0 3"]):  # the second process finds both on disk
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
        assert done.stdout.splitlines() == compiled
    found = sorted(path.name.partition(".py")[0] for path in tmp_path.rglob("*.nbi"))
    assert [name.split("-")[0] for name in found] == ["repairs.new_epoch"] * 2


@COMPILED
def test_kernels_call_kernels_by_type_and_not_by_value():
    from zerokelvin.flow.online.components import make_stale

    @numba.njit
    def outer(lengths, scratch, tally):
        make_stale(lengths, scratch, tally, 0, 1)
        make_stale(lengths, scratch, tally, 1, 2)
        make_stale(lengths, scratch, tally, row=1, component=len(lengths) - 1)

    def arrays():
        return np.zeros((5, 2), dtype=np.int64), np.zeros((20, 5), dtype=np.int64), np.zeros(20, np.int64)

    compiled, plain = arrays(), arrays()
    outer(*compiled)
    for row, component in ((0, 1), (1, 2), (1, 4)):
        make_stale.py_func(*plain, row, component)
    assert all((one == other).all() for one, other in zip(compiled, plain, strict=True))
    signatures = make_stale._numba_type_.dispatcher.signatures
    assert [one[3:] for one in signatures if one[0].layout == "C"] == [(numba.int64, numba.int64)]


def test_kernels_are_defined_while_another_thread_imports_numba():
    """Such a thread sees a module numba without settings, as a service does whose pages ask at once."""
    script = (
        "import sys, threading\n"
        "from zerokelvin.jit.kernel_code import switched_off\n"
        "importing = threading.Thread(target=__import__, args=('numba',))\n"
        "importing.start()\n"
        "seen = set()\n"
        "while importing.is_alive():\n"
        "    module = sys.modules.get('numba')\n"
        "    seen.add((module is not None and not hasattr(module, 'config'), switched_off()))\n"
        "print(sorted(seen))\n"
    )
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
        assert (True, disabled == "1") in ast.literal_eval(done.stdout)  # there was such a moment
        assert all(off is (disabled == "1") for _, off in ast.literal_eval(done.stdout))

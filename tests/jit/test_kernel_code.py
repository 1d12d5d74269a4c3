"""Compiled kernels: cached once, never stale, and their compilation is seen."""

import copy
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np

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

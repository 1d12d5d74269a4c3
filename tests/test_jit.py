"""Compiled kernels: cached once, never stale, and their compilation is seen."""

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np

import zerokelvin
from zerokelvin.jit import compilation_seconds, kernel, on_compile, package_stamp


def test_the_stamp_follows_every_file(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.py").write_text("y = 1\n")
    first = package_stamp(tmp_path)
    (tmp_path / "deep" / "b.py").write_text("y = 2\n")
    package_stamp.cache_clear()
    assert package_stamp(tmp_path) != first
    package_stamp.cache_clear()


def test_the_cache_of_a_kernel_is_bound_to_the_whole_package():
    from zerokelvin.learners.perceptron import _scan

    stamp = _scan._cache._cache_file._source_stamp
    assert stamp[1] == package_stamp(Path(zerokelvin.__file__).parent)


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

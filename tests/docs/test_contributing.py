"""What CONTRIBUTING.md says of one file, done: five new files in a copy of the package, used by name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import zerokelvin

PAGE = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"
FILE = re.compile(r"`src/(zerokelvin/[\w/]+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)

USE = """
import numpy as np
import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.kernels import kernel_columns
from zerokelvin.learners.auto.experts import KINDS
from zerokelvin.solve import analyse

line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (0, 2)])
labels = [0, 0, 0, 1, 1]
assert "majority" in zk.learners.names()
run = zk.play(line, labels, "majority", policy="below:0.5")
assert 0 < run.queried_nodes < 5
try:
    zk.start(line, "majority", policy="belo:1")
    raise AssertionError("an unknown policy was taken")
except ParameterError as problem:
    assert "below:LIMIT" in str(problem), problem
right = np.array([1.0, -1.0, 0.0, 0.0, 0.0])
found = analyse(line, "spectral-inverse").solve(right).value
assert np.allclose(found, np.linalg.pinv(line.laplacian().toarray()) @ right)
assert kernel_columns(line, "steps:2").column(0)[0] > 1
assert zk.play(line, labels, "perceptron", kernel="steps:2").trials == 5
ready = KINDS["nearest label"].prepare(line, line)
(expert,) = KINDS["nearest label"].start(ready, 2, 0.05, 0)
expert.learn(4, 1)
assert expert.evidence([3]).tolist() == [[0.0, 1.0]]
print("used")
"""


def test_five_new_files_are_five_new_things(tmp_path):
    copy = tmp_path / "zerokelvin"
    shutil.copytree(Path(zerokelvin.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    files = FILE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(files) == 5
    for path, text in files:
        assert not (tmp_path / path).exists()
        (tmp_path / path).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", USE],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "used\n", done.stderr

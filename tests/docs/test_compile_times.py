"""`zerokelvin bench compile-times` measures the README's example, and lists kernels."""

import ast
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "compile_times.py"


def calls(code):
    """The calls of methods in a program, in order."""
    return [ast.unparse(node.func) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]


def test_the_example_is_the_readmes():
    readme = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    assert calls(readme) == calls(runpy.run_path(str(SCRIPT))["EXAMPLE"])


def test_kernels_are_listed_with_their_seconds():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, SCRIPT, "nearest", "--nodes", "12", "--top", "3"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    total = re.search(
        r"'nearest', 12 nodes: ([\d.]+) CPU s of compilation in ([\d.]+) s, (\d+) kernels", done.stdout
    )
    assert 0 < float(total[1]) < float(total[2])
    assert int(total[3]) >= 3
    rows = re.findall(r"^ +([\d.]+) +([\d.]+) +[\d.]+% +[\d.]+% +\d+  \S+$", done.stdout, re.MULTILINE)
    assert len(rows) == 3
    assert all(float(own) <= float(every) for own, every in rows)

"""Stamps of texts: they follow imports, and a text that changed after the start has none."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import zerokelvin
from zerokelvin.jit.source_stamps import COARSE, _sources, changed_since, module_stamp


def write_package(folder, **texts):
    (folder / "zerokelvin" / "deep").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "zerokelvin" / f"{name.replace('_', '/')}.py").write_text(text)
    _sources.cache_clear()


def test_the_stamp_follows_what_a_module_imports_however_far(tmp_path):
    write_package(
        tmp_path,
        a="from zerokelvin.deep import (\n    b,\n)\n",
        deep_b="def f():\n    from zerokelvin.c import x\n",
        c="x = 1\n",
        d="y = 1\n",
    )
    names = ["zerokelvin.a", "zerokelvin.deep.b", "zerokelvin.d", "elsewhere"]
    first = [module_stamp(tmp_path, name) for name in names]
    write_package(tmp_path, c="x = 2\n")
    second = [module_stamp(tmp_path, name) for name in names]
    assert [old != new for old, new in zip(first, second, strict=True)] == [True, True, False, True]
    _sources.cache_clear()


def test_a_change_is_seen_however_far_and_whatever_time_the_file_bears(tmp_path):
    write_package(tmp_path, a="from zerokelvin.c import x\n", c="x = 1\n", d="y = 1\n")
    time.sleep(0.1)
    moment = time.time()
    assert changed_since(tmp_path, "zerokelvin.a", moment) is None
    time.sleep(0.1)
    write_package(tmp_path, c="x = 2\n")
    os.utime(tmp_path / "zerokelvin" / "c.py", (moment - 1000, moment - 1000))  # as a copy with its old time
    assert changed_since(tmp_path, "zerokelvin.a", moment) == "zerokelvin.c"
    assert changed_since(tmp_path, "zerokelvin.d", moment) is None
    assert changed_since(tmp_path, "elsewhere", moment) == "zerokelvin.c"
    _sources.cache_clear()


EDIT = """
import pathlib, sys, time
import zerokelvin as zk
from zerokelvin.asking import class_prior
from zerokelvin.jit import compilations
text = pathlib.Path(class_prior.__file__)
if "edit" in sys.argv:
    time.sleep(0.1)
    text.write_text(text.read_text() + "\\n# changed\\n")
with compilations() as done:
    assert zk.play(zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [0, 0, 1, 1], "nearest").trials == 4
print(*sorted({one.kept for one in done if one.kernel == "most_frequent"}))
"""


def test_what_is_edited_between_import_and_first_call_is_not_kept(tmp_path):
    copy = tmp_path / "zerokelvin"
    shutil.copytree(Path(zerokelvin.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    environment.pop("NUMBA_DISABLE_JIT", None)

    def told(*words):
        return subprocess.run(
            [sys.executable, "-c", EDIT, *words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert told("edit") == (
        "for this process alone, since zerokelvin.asking.class_prior was changed after it had begun"
    )
    assert told() == "once per installation"  # nothing was kept of the process before
    assert told() == ""  # now it was
    os.utime(copy / "asking" / "class_prior.py", (1e9, 1e9))  # a copy bears another time: the text counts
    time.sleep(COARSE)  # until then its entry on disk counts as changed just now
    assert told() == ""

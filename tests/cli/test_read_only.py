"""An installation that no one may write to, for a user without a home: everything still runs."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zerokelvin
from zerokelvin.io import cache_folder
from zerokelvin.io.embedding_cache import embedding_path, read_embedding, write_embedding
from zerokelvin.jit.source_stamps import COARSE

# Root may write anywhere, whatever the modes say; so every way of writing is refused in the process itself.
REFUSE = """
import os, sys
def hook(event, arguments):
    path, flags = (str(arguments[0]), arguments[2]) if event == "open" else ("", 0)
    writes = event == "open" and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    if (writes and not path.startswith("/dev/") and not path.isdigit()) or event in ("os.mkdir", "os.rename"):
        raise PermissionError(13, "Permission denied", path)
sys.addaudithook(hook)
"""


@pytest.fixture
def installation(files):
    """A copy of the package, and of what it is run on, that may only be read."""
    shutil.copytree(
        Path(zerokelvin.__file__).parent, files / "zerokelvin", ignore=shutil.ignore_patterns("__pycache__")
    )
    (files / "sitecustomize.py").write_text(REFUSE)
    for path in (*files.rglob("*"), files):
        path.chmod(0o555 if path.is_dir() else 0o444)
    time.sleep(COARSE)  # until then the files count as changed just now
    yield files
    for path in (files, *(p for p in files.rglob("*") if p.is_dir())):
        path.chmod(0o755)


def call(folder, *arguments):
    environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    environment |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "0"}
    environment |= {"ZEROKELVIN_COMPILE": "now"}
    return subprocess.run(
        [sys.executable, "-m", "zerokelvin", *arguments],
        env=environment | {"HOME": "/nonexistent", "TMPDIR": "/nonexistent"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_plain_run_writes_nothing(installation):
    done = call(installation, "run", "edges.csv", "labels.csv", "--learner", "nearest", "--shuffles", "1")
    assert done.returncode == 0, done.stderr
    assert "nearest" in done.stdout
    assert done.stderr.count("\n") <= 4  # one warning, one line on compiling, what was read
    assert "Traceback" not in done.stderr
    warned = [line for line in done.stderr.splitlines() if line.startswith("Warning: ")]
    assert len(warned) == 1
    assert "NUMBA_CACHE_DIR" in warned[0]


def test_results_are_refused_before_the_work(installation):
    done = call(
        installation, "compare", "edges.csv", "labels.csv", "--learners", "nearest", "--peers", "none"
    )
    assert done.returncode == 2
    assert "cannot be written: permission denied" in done.stderr


def test_a_user_unknown_to_the_system(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    def refuse(*_arguments, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("ZEROKELVIN_CACHE", raising=False)
    monkeypatch.setattr("pathlib.Path.home", homeless)
    assert not cache_folder().exists()
    monkeypatch.setattr(
        "pathlib.Path.mkdir", lambda *_a, **_o: (_ for _ in ()).throw(PermissionError(13, "no"))
    )
    write_embedding({"graph": "x"}, {})
    assert read_embedding({"graph": "x"}) is None


def test_a_copy_that_was_never_installed_keeps_embeddings(monkeypatch):
    from importlib import metadata

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", unknown)
    monkeypatch.delenv("ZEROKELVIN_CACHE", raising=False)
    assert embedding_path({"graph": "x"}) is not None

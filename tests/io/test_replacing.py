"""Replacing a file: mode and link stay, drafts of killed writers go, nothing else does."""

import os
import stat
import time

import pytest

import zerokelvin as zk
from zerokelvin.errors import DataError
from zerokelvin.io.files import replacing, write_bytes

PATH = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem")])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_the_mode_stays(tmp_path, mode):
    session = zk.start(PATH, "nearest", classes=["x", "y"])
    path = tmp_path / "s.zk"
    session.save(path)
    path.chmod(mode)
    session.learn("ann", "x")
    session.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert zk.load(path, PATH).trials == 1


def test_a_new_file_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").touch()
    write_bytes(tmp_path / "new", b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_draft_of_a_private_file_is_private(tmp_path):
    path = tmp_path / "s"
    path.touch(0o600)
    with replacing(path) as draft:
        draft.write_bytes(b"secret")
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600
    assert path.read_bytes() == b"secret"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "s.zk", tmp_path / "link.zk"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "far" / "later")
    write_bytes(dangling, b"born")
    assert (tmp_path / "far" / "later").read_bytes() == b"born"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(DataError):
        write_bytes(loop, b"never")
    assert sorted(p.name for p in (tmp_path / "far").iterdir()) == ["later", "s.zk"]


def test_drafts_of_killed_writers_are_swept(tmp_path):
    path = tmp_path / "s [1].zk"
    old, young, other, odd = (
        tmp_path / name
        for name in (
            ".s [1].zk.0123abcd.part",
            ".s [1].zk.0123abce.part",
            ".t.zk.0123abcd.part",
            ".s [1].zk.backup.part",
        )
    )
    for draft in (old, young, other, odd):
        draft.write_bytes(b"half")
        if draft is not young:
            os.utime(draft, (time.time() - 7200,) * 2)
    write_bytes(path, b"whole")
    assert not old.exists()
    assert young.exists()
    assert other.exists()
    assert odd.exists()


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(DataError, match="no ordinary file"):
        write_bytes(fifo, b"x")
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    path = tmp_path / "s"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as draft:
        draft.write_bytes(b"half" * (1 // 0))
    assert [p.name for p in tmp_path.iterdir()] == ["s"]
    assert path.read_bytes() == b"old"

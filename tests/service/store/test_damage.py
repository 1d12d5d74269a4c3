"""Files that are not what was written: each is refused with a sentence, and what is sound is kept."""

# ruff: noqa: S311 - damage is drawn, not secrets

import contextlib
import gc
import logging
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from zerokelvin.service.store import (
    Kept,
    LogDamaged,
    NewEvent,
    Remembered,
    SchemaTooNew,
    StoredKey,
    StoreError,
    StoreFull,
    StoreInUse,
    StoreUnavailable,
    open_store,
)
from zerokelvin.service.store.sqlite_store import SqliteStore

GRAPH = random.Random(0).randbytes(3000)


def event(number):
    return NewEvent("label", f"event {number}".encode() * 20, float(number), "ann")


def write(folder, first=2, last=40):
    """A project with two snapshots, in a store that is then closed."""
    store = open_store(folder)
    log = store.create("p", GRAPH, event(1))
    log.lead()
    for number in range(first, last + 1):
        log.append([event(number)], [Remembered(f"k{number}", b"f", 200, b"a", 0.0)])
        if number % 10 == 0:
            log.keep(Kept.of(number, log.chain(number), f"state {number}".encode() * 50))
    store.close()
    return folder / "projects" / "p"


def copy_of_running(folder, to, groups=20):
    """The folder of a project as it lies there after a kill: with a write-ahead log."""
    write(folder)
    store = open_store(folder)
    log = store.open("p")
    log.lead()
    for number in range(41, 41 + groups):
        log.append([event(number)])
    shutil.copytree(folder, to)
    store.close()
    return to / "projects" / "p"


def everything(folder):
    """What a store gives back, or the error it raises."""
    store = open_store(folder)
    try:
        log = store.open("p")
        kept = log.kept()
        return [NewEvent(*stored[1:5]) for stored in log.read()], log.graph(), kept and kept.data
    finally:
        store.close()


def flip(path, chance):
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def test_a_flipped_bit_is_seen_or_changes_nothing(tmp_path, caplog):
    whole = write(tmp_path / "whole")
    sound = everything(tmp_path / "whole")
    chance, refused = random.Random(1), 0
    for k in range(250):
        place = tmp_path / f"{k}"
        shutil.copytree(tmp_path / "whole", place)
        flip(place / "projects" / "p" / "log.sqlite", chance)
        try:
            events, graph, _ = everything(place)
        except StoreError:
            refused += 1
        else:
            assert (events, graph) == sound[:2]
        shutil.rmtree(place)
    assert refused > 40
    assert whole.is_dir()


def test_a_flipped_bit_in_the_graph_is_seen(tmp_path):
    project = write(tmp_path)
    flip(project / "graph", random.Random(2))
    with pytest.raises(
        LogDamaged, match="not the graph that project 'p' was made with; put the file back, or restore"
    ):
        everything(tmp_path)
    (project / "graph").unlink()
    with pytest.raises(LogDamaged, match="has no file"):
        everything(tmp_path)


def test_an_exchanged_graph_is_seen_even_with_its_hash(tmp_path):
    """Who changes the hash in the log as well has another beginning of the chain."""
    import hashlib

    project = write(tmp_path)
    (project / "graph").write_bytes(b"another")
    with sqlite3.connect(project / "log.sqlite") as log:
        log.execute("UPDATE about SET graph = ?", (hashlib.sha256(b"another").digest(),))
    log.close()
    with pytest.raises(LogDamaged, match="event 1 of its log is not what was written"):
        everything(tmp_path)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE events SET body = x'00' WHERE number = 17",
            "event 17 of its log is not .*the 16 before it are",
        ),
        ("UPDATE events SET at = at + 1 WHERE number = 17", "event 17"),
        ("UPDATE events SET actor = 'bob' WHERE number = 17", "event 17"),
        ("UPDATE events SET epoch = 9 WHERE number = 17", "event 17"),
        ("UPDATE events SET kind = 'skip' WHERE number = 17", "event 17"),
        ("DELETE FROM events WHERE number = 17", "event 17 is missing"),
        ("DELETE FROM events WHERE number > 30", "ends at event 30, but had reached event 40"),
        ("DELETE FROM about", "does not say which graph|closed|cannot"),
        ("DROP TABLE events", "damaged"),
    ],
)
def test_an_edited_log_is_seen(tmp_path, statement, said):
    project = write(tmp_path)
    log = sqlite3.connect(project / "log.sqlite")
    with log:
        log.execute(statement)
    log.close()
    with pytest.raises(LogDamaged, match=said) as refused:
        everything(tmp_path)
    assert "restore" in str(refused.value)


def test_a_damaged_answer_is_seen(tmp_path):
    project = write(tmp_path)
    log = sqlite3.connect(project / "log.sqlite")
    with log:
        log.execute("UPDATE answers SET answer = x'00' WHERE key = 'k7'")
    log.close()
    store = open_store(tmp_path)
    with pytest.raises(LogDamaged, match="'k7'"):
        store.open("p").remembered("k7")
    assert store.open("p").remembered("k8").answer == b"a"
    store.close()


def test_a_log_without_its_end_is_refused(tmp_path):
    """A write-ahead log that is cut or damaged takes acknowledged events with it; that is noticed."""
    project = copy_of_running(tmp_path / "data", tmp_path / "copy")
    assert len(everything(tmp_path / "copy")[0]) == 60
    shutil.rmtree(tmp_path / "copy")
    shutil.rmtree(tmp_path / "data")
    project = copy_of_running(tmp_path / "data", tmp_path / "copy")
    content = (project / "log.sqlite-wal").read_bytes()
    chance, refused = random.Random(3), 0
    for k in range(30):
        place = tmp_path / f"{k}"
        shutil.copytree(tmp_path / "copy", place)
        wal = place / "projects" / "p" / "log.sqlite-wal"
        if k == 0:
            wal.unlink()
        elif k % 2:
            wal.write_bytes(content[: chance.randrange(len(content) - 4096)])
        else:
            flip(wal, chance)
        try:
            assert len(everything(place)[0]) == 60  # what was damaged lay behind the last commit
        except LogDamaged:
            refused += 1
        else:
            assert k > 0
            assert k % 2 == 0
        shutil.rmtree(place)
    assert refused > 15


def test_the_way_out_of_a_log_without_its_end(tmp_path):
    project = copy_of_running(tmp_path / "data", tmp_path / "copy")
    (project / "log.sqlite-wal").unlink()
    with pytest.raises(LogDamaged, match=r"delete '.*end' to go on"):
        everything(tmp_path / "copy")
    (project / "end").unlink()
    assert len(everything(tmp_path / "copy")[0]) == 40


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 48, b"\0" * 48])
def test_a_damaged_end_file_refuses_nothing(tmp_path, content):
    project = write(tmp_path)
    (project / "end").write_bytes(content)
    assert len(everything(tmp_path)[0]) == 40


def test_a_damaged_snapshot_gives_way_to_the_one_before(tmp_path, caplog):
    project = write(tmp_path / "whole")
    names = sorted(path.name for path in (project / "snapshots").iterdir())
    assert [int(name.split(".")[0]) for name in names] == [30, 40]
    chance, refused = random.Random(4), 0
    for k in range(60):
        shutil.copytree(tmp_path / "whole", tmp_path / f"{k}")
        flip(tmp_path / f"{k}" / "projects" / "p" / "snapshots" / names[1], chance)
        caplog.clear()
        kept = everything(tmp_path / f"{k}")[2]
        if kept == b"state 40" * 50:  # the bit made a hexadecimal digit a capital one, which changes nothing
            assert not caplog.text
            continue
        refused += 1
        assert kept == b"state 30" * 50
        assert "is not used" in caplog.text
        assert names[1] in caplog.text
    assert refused > 50


def test_snapshots_that_are_of_something_else(tmp_path, caplog):
    caplog.set_level(logging.WARNING)
    project = write(tmp_path / "one")
    other = write(tmp_path / "two")
    for path in (other / "snapshots").iterdir():
        content = path.read_bytes()
        assert (
            project / "snapshots" / path.name
        ).read_bytes() == content  # the same events have the same chain
    store = open_store(tmp_path / "three")
    log = store.create("p", GRAPH, NewEvent("created", b"another secret", 0.0, "bob"))
    log.lead()
    log.append([event(number) for number in range(2, 41)])
    store.close()
    for path in (other / "snapshots").iterdir():
        shutil.copy(path, tmp_path / "three" / "projects" / "p" / path.name)
    (tmp_path / "three" / "projects" / "p" / "snapshots").mkdir(exist_ok=True)
    for path in (other / "snapshots").iterdir():
        shutil.copy(path, tmp_path / "three" / "projects" / "p" / "snapshots" / path.name)
    assert everything(tmp_path / "three")[2] is None
    assert caplog.text.count("does not belong to this log") == 2


def test_a_snapshot_that_is_newer_than_the_log_is_refused(tmp_path, caplog):
    project = write(tmp_path / "long")
    short = write(tmp_path / "short", last=15)
    for path in (project / "snapshots").iterdir():
        shutil.copy(path, short / "snapshots" / path.name)
    assert everything(tmp_path / "short")[2] == b"state 10" * 50
    assert caplog.text.count("does not belong to this log") == 2


def test_a_newer_schema_is_refused_and_left_alone(tmp_path):
    project = write(tmp_path)
    log = sqlite3.connect(project / "log.sqlite")
    log.execute("PRAGMA user_version = 99")
    log.close()
    before = (project / "log.sqlite").read_bytes()
    with pytest.raises(SchemaTooNew, match="schema version 99, and this zerokelvin knows versions up to 1"):
        everything(tmp_path)
    assert (project / "log.sqlite").read_bytes() == before
    service = sqlite3.connect(tmp_path / "service.sqlite")
    service.execute("PRAGMA user_version = 3")
    service.close()
    with pytest.raises(SchemaTooNew, match=r"service\.sqlite"):
        open_store(tmp_path)


def test_a_folder_of_the_first_schema_is_brought_up_to_date(tmp_path):
    """As it was before `makings`; keys and trail stay, and a restart finds nothing to do."""
    write(tmp_path)
    store = open_store(tmp_path)
    store.add_key(StoredKey("ann", b"digest", "label", ("p",), 1.0))
    store.close()
    service = sqlite3.connect(tmp_path / "service.sqlite")
    service.execute("DROP TABLE makings")
    service.execute("PRAGMA user_version = 1")
    service.close()
    for _ in range(2):
        store = open_store(tmp_path)
        assert [key.key for key in store.keys()] == ["ann"]  # noqa: SIM118 - a store is no dictionary
        assert store.names() == ["p"]
        assert store.made_with("ann:k") in (None, "p")
        store.note_making("ann:k", "p")
        assert store.made_with("ann:k") == "p"
        store.close()


def test_a_file_that_is_no_log(tmp_path):
    project = write(tmp_path)
    for content, said in (
        (b"hello" * 1000, "damaged"),
        (b"", "no such table|does not say|not what was written|damaged"),
    ):
        (project / "log.sqlite").write_bytes(content)
        with pytest.raises(LogDamaged, match=said):
            everything(tmp_path)
    (project / "log.sqlite").unlink()
    foreign = sqlite3.connect(project / "log.sqlite")
    foreign.execute("CREATE TABLE mine (x)")
    foreign.close()
    with pytest.raises(LogDamaged, match="not one of a zerokelvin service"):
        everything(tmp_path)
    (project / "log.sqlite").unlink()
    with pytest.raises(LogDamaged, match="has no file"):
        everything(tmp_path)


def test_a_damaged_project_does_not_hide_the_others(tmp_path):
    project = write(tmp_path)
    (project / "log.sqlite").write_bytes(b"hello" * 1000)
    store = open_store(tmp_path)
    store.create("q", b"", event(1)).close()
    assert store.names() == ["p", "q"]
    assert store.open("q").length() == 1
    store.close()


def test_half_a_project_is_swept_away(tmp_path):
    write(tmp_path)
    (tmp_path / "projects" / ".q.0badcafe.part").mkdir()
    (tmp_path / "projects" / ".q.0badcafe.part" / "graph").write_bytes(b"")
    store = open_store(tmp_path)
    assert store.names() == ["p"]
    assert sorted(path.name for path in (tmp_path / "projects").iterdir()) == ["p"]
    store.close()


HOLD = """
import sys, time
from zerokelvin.service.store import open_store
store = open_store(sys.argv[1])
print("has it", flush=True)
time.sleep(60)
"""


def test_a_folder_belongs_to_one_process_until_that_ends(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "has it\n"
        with pytest.raises(
            StoreInUse, match=f"in use by another zerokelvin .process {holder.pid}.; stop that one"
        ):
            open_store(tmp_path)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    open_store(tmp_path).close()


@contextlib.contextmanager
def small_disk(place, size="1m"):
    """A file system of its own, where this user may mount one."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a file system")
    try:
        yield place
    finally:
        gc.collect()
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def refuses_to_write(folder):
    with pytest.raises(StoreUnavailable, match="let the user that runs the service write to its folder"):
        open_store(folder)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write(tmp_path):
    write(tmp_path / "data")
    for path in (tmp_path / "data", *(tmp_path / "data").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    refuses_to_write(tmp_path / "data")
    for path in (tmp_path / "data", *(tmp_path / "data").rglob("*")):
        path.chmod(0o755)
    assert len(everything(tmp_path / "data")[0]) == 40


def test_a_disk_that_can_only_be_read(tmp_path):
    with small_disk(tmp_path / "disk", "4m") as disk:
        write(disk / "data")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        refuses_to_write(disk / "data")
        refuses_to_write(disk / "other")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        assert len(everything(disk / "data")[0]) == 40


# disks that fail, by the file operations of SQLite


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(tmp_path):
    apsw = pytest.importorskip("apsw")
    from faulty_disk import FaultyDisk

    disk = FaultyDisk()
    store = SqliteStore(tmp_path, disk.connect)
    log = store.create("p", GRAPH, event(1))
    log.lead()
    log.append([event(2)])
    disk.fails = lambda name, operation: (
        apsw.FullError("database or disk is full") if operation == "write" else None
    )
    for _ in range(3):
        with pytest.raises(StoreFull, match="the disk is full; nothing was written"):
            log.append([event(3)] * 5, [Remembered("k", b"", 200, b"", 0.0)])
        assert log.length() == 2
        assert log.remembered("k") is None
    with pytest.raises(StoreError):
        store.create("q", b"", event(1))
    assert store.names() == ["p"]
    disk.fails = lambda name, operation: None
    assert log.append([event(3)]) == 3
    store.close()
    assert everything(tmp_path)[0] == [event(1), event(2), event(3)]


@pytest.mark.parametrize("operation", ["write", "sync"])
def test_operations_that_fail_now_and_then(tmp_path, operation):
    """Whatever fails, what was acknowledged stays, in order and once, and nothing else is there."""
    apsw = pytest.importorskip("apsw")
    from faulty_disk import FaultyDisk

    disk, chance = FaultyDisk(), random.Random(5)
    store = SqliteStore(tmp_path, disk.connect)
    log = store.create("p", GRAPH, event(1))
    log.lead()
    acknowledged, failed = [], 0

    def fails(name, what):
        return apsw.IOError("failed") if what == operation and chance.random() < 0.15 else None

    for number in range(200):
        size = chance.choice((1, 2, 30))
        body = f"group {number} {size}".encode() * chance.choice((1, 200))
        group = [NewEvent("label", body, float(k), "ann") for k in range(size)]
        disk.fails = fails
        try:
            log.append(group)
        except StoreUnavailable:
            failed += 1
        else:
            acknowledged += group
        disk.fails = lambda name, what: None
    there = [NewEvent(*stored[1:5]) for stored in log.read(1)]
    assert failed > 20
    assert there == acknowledged
    store.close()
    events = everything(tmp_path)[0][1:]
    assert events == acknowledged
    assert len(acknowledged) > 100


def test_a_disk_that_is_really_full(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        store = open_store(disk / "data")
        log = store.create("p", b"graph", event(1))
        log.lead()
        sent = 1
        while True:
            try:
                log.append([event(sent + 1)])
            except StoreFull:
                break
            sent += 1
        assert sent > 50
        with pytest.raises(StoreFull):
            log.keep(Kept.of(2, log.chain(2), bytes(1 << 20)))
        with pytest.raises(StoreFull):
            store.create("q", bytes(1 << 20), event(1))
        assert store.names() == ["p"]
        assert log.length() == sent
        assert log.kept() is None
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        assert log.append([event(sent + 1)]) == sent + 1
        sent += 1
        store.close()
        assert everything(disk / "data") == ([event(number) for number in range(1, sent + 1)], b"graph", None)

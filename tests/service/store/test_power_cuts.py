"""Power cuts on a recorded disk, and that they would be seen if they did harm."""

import random
from pathlib import Path

import pytest

pytest.importorskip("apsw")

from zerokelvin.service.store_checks import power_cuts, recorded_disk
from zerokelvin.service.store_checks.power_cuts import play_power_cuts
from zerokelvin.service.store_checks.recorded_disk import DiskReplay, Operation, RecordingDisk


def test_nothing_acknowledged_is_lost_in_500_power_cuts():
    found = play_power_cuts(500, seed=7)
    assert found.faults == []
    assert (found.cuts, found.losing) == (500, 0)
    assert found.unsynced > 150  # in so many cuts there was something to lose


def test_without_waiting_for_the_disk_most_cuts_lose_something():
    found = play_power_cuts(200, seed=7, sync=False)
    assert found.losing > 100
    assert found.faults


def test_the_runs_have_what_can_go_wrong(tmp_path):
    """Many syncs, files made and deleted, and pages written back into the database while events come."""
    kinds = set()
    for seed in range(8):
        run = power_cuts._write(tmp_path / f"{seed}", random.Random(f"{seed}"), sync=True)  # noqa: S311
        database = run.disk.before.keys() and sorted(run.disk.before).index("log.sqlite")
        notes = [k for k, done in enumerate(run.disk.operations) if done.kind == "note"]
        kinds |= {done.kind for done in run.disk.operations}
        written_back = [
            k for k, done in enumerate(run.disk.operations) if done.kind == "write" and done.file == database
        ]
        if any(notes[0] < k < notes[-1] for k in written_back):
            kinds.add("written back")
        syncs = sum(done.kind == "sync" for done in run.disk.operations)
        assert syncs >= len(notes)
    assert kinds >= {"note", "made", "deleted", "write", "sync", "written back"}


def replay(*operations, before=None):
    played = DiskReplay({"f": b"aaaa"} if before is None else before, list(operations))
    played.advance(len(operations))
    return played


def outcomes(played, tries=300):
    return {played.cut(random.Random(seed)).files.get("f") for seed in range(tries)}  # noqa: S311


def test_what_is_synced_is_there():
    write, sync = Operation("write", 0, offset=2, data=b"bbb"), Operation("sync", 0)
    assert outcomes(replay(write, sync)) == {b"aabbb"}
    assert outcomes(replay(write)) == {b"aaaa", b"aabbb"}
    assert outcomes(replay(Operation("truncate", 0, offset=1))) == {b"aaaa", b"a"}


def test_of_what_is_not_synced_any_subset_is_there():
    writes = [Operation("write", 0, offset=k, data=b"b") for k in range(3)]
    found = outcomes(replay(*writes))
    assert {content[:3] for content in found} == {
        bytes(98 if kept >> k & 1 else 97 for k in range(3)) for kept in range(8)
    }


def test_a_write_of_several_sectors_may_be_torn():
    found = outcomes(replay(Operation("write", 0, offset=0, data=b"b" * 1536), before={"f": b"a" * 1536}))
    assert len(found) == 8
    assert b"b" * 512 + b"a" * 512 + b"b" * 512 in found


def test_files_that_were_made_or_deleted_since_the_folder_was_synced():
    made, write, sync = (
        Operation("made", 1, "f"),
        Operation("write", 1, data=b"new"),
        Operation("sync", 1),
    )
    deleted = Operation("deleted", 0, "f")
    assert outcomes(replay(deleted)) == {b"aaaa", None}
    assert outcomes(replay(deleted._replace(folder=True))) == {None}
    assert outcomes(replay(deleted, made, write, sync)) == {b"aaaa", None, b"new"}
    assert outcomes(replay(deleted, made, write, sync._replace(folder=True))) == {b"new"}


def test_what_is_recorded_leads_to_the_files_that_are_there(tmp_path):
    disk = RecordingDisk(tmp_path)
    connection = disk.connect(tmp_path / "f.sqlite")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (randomblob(100000))")
    content = {
        path.name: path.read_bytes() for path in Path(tmp_path).iterdir() if path.suffix != ".sqlite-shm"
    }
    played = replay(
        *disk.operations, Operation("sync", 0), Operation("sync", 1, folder=True), before=disk.before
    )
    numbers = {done.file for done in disk.operations}
    for number in numbers:
        disk.operations.append(Operation("sync", number, folder=True))
    played = replay(*disk.operations, before=disk.before)
    assert played.cut(random.Random(0)).files == content  # noqa: S311
    connection.close()
    disk.close()


def test_a_missing_apsw_is_named(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "apsw", None)
    with pytest.raises(ImportError, match="pip install apsw"):
        recorded_disk.RecordingDisk(tmp_path)

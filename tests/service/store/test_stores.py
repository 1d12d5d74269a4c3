"""What both stores promise."""

import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zerokelvin.errors import ParameterError
from zerokelvin.service.store import (
    ARCHIVED,
    RESTORED,
    AuditEntry,
    Kept,
    LeadLost,
    LedElsewhere,
    LogDamaged,
    NewEvent,
    NoSuchProject,
    ProjectExists,
    Remembered,
    StoredKey,
    StoreError,
    open_store,
)
from zerokelvin.service.store.event_chain import first_link, link
from zerokelvin.service.store.transfer import copy_store

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
EVENTS = st.builds(
    NewEvent, TEXTS, st.binary(max_size=300), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
ANSWERS = st.builds(
    Remembered,
    TEXTS,
    st.binary(max_size=32),
    st.integers(100, 599),
    st.binary(max_size=200),
    st.floats(allow_nan=False, allow_infinity=False),
)


def event(number, kind="label"):
    return NewEvent(kind, f"event {number}".encode(), float(number), "ann")


def contents(log, after=0):
    return [NewEvent(*stored[1:5]) for stored in log.read(after)]


def test_what_is_appended_is_read(log):
    assert log.append([event(2), event(3)]) == 3
    assert log.append([event(4)]) == 4
    assert contents(log) == [NewEvent("created", b"{}", 1.0, "ann"), event(2), event(3), event(4)]
    assert contents(log, after=3) == [event(4)]
    assert contents(log, after=4) == []
    assert [stored.number for stored in log.read()] == [1, 2, 3, 4]
    assert log.length() == 4
    assert log.graph() == b"graph"


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(groups=st.lists(st.tuples(st.lists(EVENTS, max_size=5), st.lists(ANSWERS, max_size=5)), max_size=6))
def test_any_event_and_answer_comes_back_as_it_was(store, groups):
    name = f"p{len(store.names())}"
    log = store.create(name, b"", NewEvent("created", b"", 0.0, ""))
    log.lead()
    sent, answers = [], {}
    for events, given_for in groups:
        sent += events
        assert log.append(events, given_for) == len(sent) + 1
        answers |= {answer.key: answer for answer in given_for}
    log.close()
    log = store.open(name)
    assert contents(log)[1:] == sent
    assert {key: log.remembered(key) for key in answers} == answers


def test_the_chain_is_its_definition(log):
    import hashlib
    import struct

    log.append([event(2), event(3, "skip")])
    link_before = hashlib.sha256(b"zerokelvin log 1\0" + hashlib.sha256(b"graph").digest()).digest()
    assert log.chain(0) == link_before == first_link(hashlib.sha256(b"graph").digest())
    for stored in log.read():
        said = struct.pack(">QQd", stored.number, stored.epoch, stored.at)
        for part in (stored.kind.encode(), stored.actor.encode(), stored.body):
            said += struct.pack(">I", len(part)) + part
        link_before = hashlib.sha256(link_before + said).digest()
        assert stored.chain == link_before == log.chain(stored.number)
        assert link(log.chain(stored.number - 1), stored) == stored.chain


def test_a_group_is_written_as_a_whole_or_not_at_all(log):
    with pytest.raises(ParameterError, match="cannot be stored"):
        log.append([event(2), NewEvent("la\0bel", b"", 0.0, "ann")], [Remembered("k", b"", 200, b"", 0.0)])
    with pytest.raises(ParameterError, match="must be a number"):
        log.append([event(2), NewEvent("label", b"", float("nan"), "ann")])
    assert log.length() == 1
    assert log.remembered("k") is None
    assert log.append([event(2)]) == 2


def test_answers_are_remembered_with_their_events(log):
    answer = Remembered("key", b"print", 201, b'{"events": 2}', 5.0)
    log.append([event(2)], [answer])
    assert log.remembered("key") == answer
    assert log.remembered("other") is None
    assert log.append([], [answer._replace(key="later", at=9.0)]) == 2
    assert log.forget(before=9.0) == 1
    assert log.remembered("key") is None
    assert log.remembered("later") is not None


def test_answers_that_could_not_be_given_back_are_refused(log):
    """And the log goes on."""
    answer = Remembered("key", bytearray(b"print"), 201, memoryview(b"answer"), -0.0)
    for bad in (answer._replace(key="a\0b"), answer._replace(key="\ud800"), answer._replace(at=float("nan"))):
        with pytest.raises(ParameterError):
            log.append([event(2)], [bad])
    assert log.append([event(2)], [answer]) == 2
    assert log.remembered("key") == Remembered("key", b"print", 201, b"answer", 0.0)


def test_a_created_project_remembers_its_answer(store):
    answer = Remembered("make", b"print", 201, b"{}", 5.0)
    store.create("p", b"graph", event(1), [answer]).close()
    assert store.open("p").remembered("make") == answer


def test_which_project_was_made_with_a_key(store):
    assert store.made_with("ann:k") is None
    for name in ("p", "q"):
        store.note_making("ann:k", name)
        assert store.made_with("ann:k") == name
    store.note_making("bob:k", "r")
    assert store.made_with("ann:k") == "q"


def test_the_clock_may_go_backwards(log):
    for at in (100.0, 5.0, -3.5, 99.0, -0.0):
        log.append([NewEvent("label", b"", at, "ann")])
    assert [stored.at for stored in log.read(1)] == [100.0, 5.0, -3.5, 99.0, 0.0]


def test_only_one_log_leads(store, log):
    other = store.open("p")
    with pytest.raises(LeadLost, match="call lead"):
        other.append([event(2)])
    with pytest.raises(LedElsewhere, match="this process") as refused:
        other.lead()
    assert refused.value.holder
    log.append([event(2)])
    assert contents(other) == contents(log)
    log.close()
    other.lead()
    assert other.append([event(3)]) == 3
    with pytest.raises(LeadLost):
        log.append([event(4)])


def test_every_lead_has_a_greater_epoch(store, log):
    first = log.append([event(2)]) and list(log.read())[-1].epoch
    second = log.lead()
    log.append([event(3)])
    log.close()
    third = store.open("p")
    assert third.lead() > second > first
    third.append([event(4)])
    assert [stored.epoch for stored in third.read()][1:] == [first, second, second + 1]


def test_logs_of_a_closed_store_say_so(store, log):
    store.close()
    store.close()
    log.close()
    with pytest.raises(StoreError, match=r"closed|lead"):
        log.append([event(2)])
    with pytest.raises(StoreError, match="closed"):
        log.length()
    with pytest.raises(StoreError, match="closed"):
        store.open("p")


def test_everything_is_there_after_a_restart(place):
    store = open_store(place)
    log = store.create("p", b"graph", event(1))
    log.lead()
    log.append([event(2)], [Remembered("k", b"f", 200, b"a", 0.0)])
    log.keep(Kept.of(2, log.chain(2), b"state"))
    store.add_key(StoredKey("one", b"digest", "label", ("p",), 1.0))
    store.audit(AuditEntry(1.0, "ann", "label", "p", "node 7"))
    store.close()
    store = open_store(place)
    try:
        log = store.open("p")
        assert contents(log) == [event(1), event(2)]
        assert log.remembered("k").answer == b"a"
        assert log.kept().data == b"state"
        assert store.keys()[0].key == "one"
        assert store.audited()[0].detail == "node 7"
        log.lead()
        assert log.append([event(3)]) == 3
    finally:
        store.close()


def test_names_and_archives(store):
    for name in ("b", "a", "c"):
        store.create(name, b"", event(1)).close()
    assert store.names() == ["a", "b", "c"]
    log = store.open("b")
    log.lead()
    log.append([event(2, ARCHIVED)])
    assert (store.names(), store.names(archived=True)) == (["a", "c"], ["b"])
    log.append([event(3, RESTORED), event(4, ARCHIVED), event(5, RESTORED)])
    assert store.names(archived=True) == []
    log.append([event(6, ARCHIVED)])
    log.close()
    assert (store.names(), store.names(archived=True)) == (["a", "c"], ["b"])


@pytest.mark.parametrize("name", ["", "..", ".p", "a/b", "../p", "a\0b", "ä", "a" * 101, "-p", "a b", "p\n"])
def test_names_that_are_none(store, name):
    for use in (store.open, lambda n: store.create(n, b"", event(1))):
        with pytest.raises(ParameterError, match="cannot name a project"):
            use(name)
    assert store.names() == []


def test_projects_that_are_there_or_not(store):
    with pytest.raises(NoSuchProject, match="no project 'p'"):
        store.open("p")
    store.create("p", b"one", event(1)).close()
    with pytest.raises(ProjectExists, match="'p' already"):
        store.create("p", b"two", event(1))
    assert store.open("p").graph() == b"one"


def test_snapshots_the_two_newest_stay(log):
    assert log.kept() is None
    log.append([event(k) for k in range(2, 11)])
    for number in (3, 5, 4, 10):
        log.keep(Kept.of(number, log.chain(number), f"state {number}".encode()))
    assert log.kept() == Kept.of(10, log.chain(10), b"state 10")
    log.keep(Kept.of(10, log.chain(10), b"again"))
    assert log.kept().data == b"again"


def test_a_snapshot_of_something_else_is_refused(log):
    log.append([event(2)])
    with pytest.raises(StoreError, match="not one of project 'p'"):
        log.keep(Kept.of(2, log.chain(1), b"state"))
    with pytest.raises(StoreError, match="not one of project 'p'"):
        log.keep(Kept(2, log.chain(2), b"digest", b"state"))
    with pytest.raises(StoreError, match="no event 3"):
        log.keep(Kept.of(3, b"", b"state"))
    assert log.kept() is None


def test_keys(store):
    keys = [
        StoredKey("one", b"1" * 32, "admin", (), 1.0, None, "the first"),
        StoredKey("two", b"2" * 32, "label", ("p", "q"), 2.0),
    ]
    for key in keys:
        store.add_key(key)
    assert store.keys() == keys
    assert store.revoke_key("two", 3.0)
    assert not store.revoke_key("two", 4.0)
    assert not store.revoke_key("three", 4.0)
    assert store.keys() == [keys[0], keys[1]._replace(revoked_at=3.0)]


def test_audit(store):
    for k in range(10):
        store.audit(AuditEntry(float(k), "ann", "label", "pq"[k % 2], f"node {k}"))
    entries = store.audited()
    assert [one[:5] for one in entries] == [
        (float(k), "ann", "label", "pq"[k % 2], f"node {k}") for k in reversed(range(10))
    ]
    assert store.audited(limit=3) == entries[:3]
    assert store.audited("q") == entries[::2]
    assert store.audited(before=entries[3].number) == entries[4:]
    assert store.audited("q", 2, entries[2].number) == entries[4:8:2]


@pytest.mark.parametrize("most", [1, 4, 1000])
def test_the_newest_events_come_first(log, most):
    log.append([event(k) for k in range(9)])
    events = list(log.read())[::-1]
    assert list(log.newest(most=most)) == events
    assert list(log.newest(5, most)) == [one for one in events if one.number < 5]
    assert list(log.newest(1, most)) == []
    assert list(log.newest(1 << 40, most)) == events


def test_reading_while_another_thread_writes(log):
    """A reader sees whole groups only, and never waits for a writer to end."""
    ended = threading.Event()

    def write():
        for k in range(60):
            log.append([event(k)] * 7, [Remembered(f"k{k}", b"", 200, str(k).encode(), 0.0)])
        ended.set()

    thread = threading.Thread(target=write)
    thread.start()
    seen = 0
    while not ended.is_set():
        there = sum(1 for _ in log.read())
        assert there >= seen
        assert (there - 1) % 7 == 0
        if there > 1:
            assert log.remembered(f"k{(there - 1) // 7 - 1}") is not None
        seen = there
        time.sleep(0.001)
    thread.join()
    assert log.length() == 1 + 60 * 7


def test_threads_that_append_at_once_lose_nothing(log):
    def write(name):
        for k in range(20):
            log.append([NewEvent("label", str(k).encode(), 0.0, name)])

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = list(log.read(1))
    for name in "abcd":
        assert [e.body for e in stored if e.actor == name] == [str(k).encode() for k in range(20)]


def filled(store):
    for name in ("p", "q"):
        log = store.create(name, name.encode() * 1000, event(1))
        log.lead()
        log.append([event(k) for k in range(2, 1500)], [Remembered("k", b"f", 200, b"a", 0.0)])
        log.keep(Kept.of(700, log.chain(700), b"state"))
    log.append([event(1500, ARCHIVED)])
    store.add_key(StoredKey("one", b"digest", "label", ("p",), 1.0))
    store.audit(AuditEntry(1.0, "ann", "label", "p", "node 7"))


def same(one, other):
    assert (one.names(), one.names(True)) == (other.names(), other.names(True)) == (["p"], ["q"])
    for name in ("p", "q"):
        here, there = one.open(name), other.open(name)
        assert list(here.read()) == list(there.read())
        assert here.graph() == there.graph()
        assert here.remembered("k") == there.remembered("k") != None  # noqa: E711
        assert here.kept() == there.kept() != None  # noqa: E711
        here.close()
        there.close()
    assert one.keys() == other.keys()
    assert one.audited() == other.audited()


def test_a_backup_is_a_store_with_everything(store, tmp_path):
    filled(store)
    store.backup(tmp_path / "backup")
    copy = open_store(tmp_path / "backup")
    try:
        same(store, copy)
        log = copy.open("p")
        log.lead()
        assert log.append([event(1500)]) == 1500
        assert contents(log, 1499) == [event(1500)]
    finally:
        copy.close()


def test_from_one_store_into_another(place, tmp_path, database):
    source = open_store(place)
    filled(source)
    for target in (open_store(tmp_path / "other"), open_store(database)):
        copy_store(source, target)
        same(source, target)
        with pytest.raises(ProjectExists):
            target.receive(source.copy("p"))
        target.close()
    source.close()


def test_a_copy_that_is_not_sound_is_not_received(store, tmp_path):
    filled(store)
    target = open_store(tmp_path / "other")
    copied = store.copy("p")
    events = list(copied.events)
    events[77] = events[77]._replace(body=b"something else")
    with pytest.raises(LogDamaged, match="event 78"):
        target.receive(copied._replace(events=iter(events)))
    with pytest.raises(LogDamaged, match="event 1 "):
        target.receive(store.copy("p")._replace(graph=b"another"))
    assert target.names() == []
    target.close()


def test_a_backup_is_made_while_events_come(store, log, tmp_path):
    """All that was acknowledged before the backup began is in it."""
    stop = threading.Event()

    def write():
        k = 2
        while not stop.is_set():
            log.append([event(k)], [Remembered(f"k{k}", b"", 200, b"", 0.0)])
            if k % 50 == 0:
                log.keep(Kept.of(k, log.chain(k), b"state"))
            k += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for k in range(3):
            time.sleep(0.05)
            before = log.length()
            store.backup(tmp_path / f"backup-{k}")
            copy = open_store(tmp_path / f"backup-{k}")
            there = contents(copy.open("p"))
            kept = copy.open("p").kept()
            copy.close()
            assert len(there) >= before
            assert there[1:] == [event(n) for n in range(2, len(there) + 1)]
            assert kept is None or kept.events <= len(there)
    finally:
        stop.set()
        thread.join()


def test_a_backup_goes_to_a_new_place_only(store, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("mine")
    with pytest.raises(ValueError, match="is there already"):
        store.backup(tmp_path / "there")
    with pytest.raises(ValueError, match="no folder"):
        store.backup(tmp_path / "none" / "backup")
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


def test_beside_a_service_that_runs(place, log, store, tmp_path):
    """Keys and backups come from other processes; writing to a project does not."""
    log.append([event(2)], [Remembered("k", b"", 200, b"", 0.0)])
    other = open_store(place, beside=True)
    try:
        other.add_key(StoredKey("one", b"digest", "label", (), 1.0))
        assert store.keys()[0].key == "one"
        assert store.revoke_key("one", 2.0)
        assert other.keys()[0].revoked_at == 2.0
        assert other.names() == ["p"]
        reading = other.open("p")
        assert contents(reading) == contents(log)
        with pytest.raises(LedElsewhere):
            reading.lead()
        other.backup(tmp_path / "backup")
        assert log.append([event(3)]) == 3
        assert contents(reading, 2) == [event(3)]
    finally:
        other.close()
    copy = open_store(tmp_path / "backup")
    assert copy.open("p").length() == 2
    copy.close()


def test_a_log_is_opened_while_another_writes(store, log):
    """What the small file beside a log says is compared with a log that goes on growing."""
    stop = threading.Event()

    def write():
        while not stop.is_set():
            log.append([event(2)])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(50):
            store.open("p").close()
    finally:
        stop.set()
        thread.join()


def test_a_new_folder_is_nobody_elses(tmp_path):
    open_store(tmp_path / "new" / "data").close()
    assert (tmp_path / "new" / "data").stat().st_mode & 0o077 == 0
    given = tmp_path / "given"
    given.mkdir(0o750)
    open_store(given).close()
    assert given.stat().st_mode & 0o777 == 0o750

"""Who writes where several instances share a PostgreSQL server."""

import threading
import time

import pytest

pytest.importorskip("psycopg")

from zerokelvin.errors import ParameterError
from zerokelvin.service.store import (
    LeadLost,
    LedElsewhere,
    LogDamaged,
    NewEvent,
    Remembered,
    SchemaTooNew,
    StoreError,
    StoreUnavailable,
    open_store,
)
from zerokelvin.service.store.postgres import postgres_connections, postgres_leading, postgres_log
from zerokelvin.service.store.postgres.postgres_connections import connect_postgres
from zerokelvin.service.store_checks.named_checks import run_check
from zerokelvin.service.store_checks.takeovers import play_takeovers


def event(number):
    return NewEvent("label", f"event {number}".encode(), float(number), "ann")


@pytest.fixture
def server(database):
    connection = connect_postgres(database)
    yield connection
    connection.close()


@pytest.fixture
def stores(database):
    """Two instances in this process: their connections are their own."""
    opened = [open_store(database), open_store(database)]
    opened[0].create("p", b"graph", event(1)).close()
    yield opened
    for store in opened:
        store.close()


def test_leaders_that_are_killed_stopped_and_cut_off(database):
    found = play_takeovers(database, rounds=6, seed=6)
    assert found.faults == []
    assert found.rounds == 6
    assert max(found.longest.values()) <= 5.0
    assert found.epochs > 6
    assert found.events > 50


def test_another_instance_is_refused_while_the_leader_lives(stores):
    leader, other = (store.open("p") for store in stores)
    leader.lead()
    with pytest.raises(LedElsewhere, match=r"process \d+; send the request there"):
        other.lead()
    leader.append([event(2)])
    assert [stored.number for stored in other.read()] == [1, 2]
    leader.close()
    other.lead()
    assert other.append([event(3)]) == 3


def end_lock(server):
    """End the connection that holds the lock of the project, as an administrator might."""
    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks"
        " WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
    )


def test_a_lock_alone_would_not_do(stores, server):
    """The leader's lock is gone without its knowledge: the epoch keeps it from writing."""
    leader, other = (store.open("p") for store in stores)
    first = leader.lead()
    leader.append([event(2)])
    end_lock(server)
    deadline = time.monotonic() + 5
    while True:
        try:
            assert other.lead() > first
            break
        except LedElsewhere:
            assert time.monotonic() < deadline
    with pytest.raises(
        LeadLost, match="led by another instance since epoch 2, this one had epoch 1; nothing was"
    ):
        leader.append([event(3)], [Remembered("k", b"", 200, b"", 0.0)])
    assert other.remembered("k") is None
    assert other.append([event(3)]) == 3
    with pytest.raises(LeadLost, match="call lead"):
        leader.append([event(4)])
    assert [stored.epoch for stored in other.read()] == [0, 1, 2]


def test_an_append_that_was_sent_before_the_takeover_and_arrives_after_it(stores, server):
    """The statement waits for the row that the new leader is changing, and then finds another epoch."""
    leader, other = (store.open("p") for store in stores)
    leader.lead()
    leader.append([event(2)])
    failed = []

    def late():
        try:
            leader.append([event(3)])
        except LeadLost as problem:
            failed.append(problem)

    with server.transaction():
        server.execute("UPDATE projects SET epoch = epoch + 1")  # as lead() does; not committed yet
        thread = threading.Thread(target=late)
        thread.start()
        time.sleep(0.3)
        assert thread.is_alive()
    thread.join()
    assert failed
    assert other.length() == 2


def test_a_silent_leader_gives_way_within_five_seconds(stores, monkeypatch):
    leader, other = (store.open("p") for store in stores)
    leader.lead()
    monkeypatch.setattr(stores[0]._leadership, "_alive", lambda: True)  # it says nothing any more
    began = time.monotonic()
    while True:
        try:
            other.lead()
            break
        except LedElsewhere:
            time.sleep(0.2)
    assert time.monotonic() - began < 5.0
    other.append([event(2)])
    with pytest.raises(LeadLost):
        leader.append([event(2)])


def test_a_leader_that_writes_is_heard_though_it_does_not_say_that_it_lives(stores, monkeypatch):
    """A busy instance whose thread for that comes late keeps its project."""
    leader, other = (store.open("p") for store in stores)
    leader.lead()
    monkeypatch.setattr(stores[0]._leadership, "_alive", lambda: True)
    end = time.monotonic() + 1.5 * postgres_leading.SILENT
    while time.monotonic() < end:
        leader.append([event(2)])
        with pytest.raises(LedElsewhere):
            other.lead()
        time.sleep(0.1)


def test_connections_that_end_lose_no_append(stores, server, monkeypatch):
    """Whatever the server ends, an append is carried out once."""
    log = stores[0].open("p")
    log.lead()
    for number in range(2, 30):
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND application_name LIKE 'zerokelvin%' AND datname = current_database()"
            if number % 3 == 0
            else "SELECT 1"
        )
        assert log.append([event(number)]) == number
    assert [stored.body for stored in log.read()] == [event(number).body for number in range(1, 30)]


def test_an_answer_of_the_server_that_is_lost(stores, monkeypatch):
    """The append was carried out, but the connection broke before this was told: it is not written twice."""
    log = stores[0].open("p")
    log.lead()
    use = log._connections.use
    broken = []

    class Breaking:
        def __init__(self, connection):
            self.connection = connection

        def execute(self, sql, *rest, **options):
            done = self.connection.execute(sql, *rest, **options)
            if sql is postgres_log.APPEND and len(broken) < 2:
                broken.append(sql)
                self.connection.close()
                raise StoreUnavailable("the connection broke.")
            return done

    import contextlib

    @contextlib.contextmanager
    def breaking():
        with use() as connection:
            yield Breaking(connection)

    monkeypatch.setattr(log._connections, "use", breaking)
    assert log.append([event(2), event(3)], [Remembered("k", b"", 200, b"", 0.0)]) == 3
    assert len(broken) == 2
    assert log.append([event(4)]) == 4
    assert [stored.body for stored in log.read(1)] == [event(k).body for k in (2, 3, 4)]


def test_a_server_that_is_gone(stores, monkeypatch):
    monkeypatch.setattr(postgres_log, "PATIENCE", 0.3)
    log = stores[0].open("p")
    log.lead()
    log._connections.drop_idle()

    def connect(url):
        raise StoreUnavailable("the database server cannot be used.")

    monkeypatch.setattr(log._connections, "_connect", connect)
    with pytest.raises(
        StoreUnavailable, match="Whether the last 2 events of project 'p' were written is not known"
    ):
        log.append([event(2), event(3)])
    monkeypatch.undo()
    with pytest.raises(LeadLost):
        log.append([event(2)])
    log.lead()
    assert log.append([event(2)]) == 2


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET body = 'x' WHERE number = 7", "event 7 of its log is not what was written"),
        ("DELETE FROM events WHERE number = 7", "event 7 is missing"),
        ("DELETE FROM events WHERE number > 15", "ends at event 15, but 20 were written"),
        ("UPDATE projects SET chain = 'x'", "the end of its log"),
        ("UPDATE projects SET graph = 'x'", "the graph of project 'p' is not what was written"),
        ("UPDATE projects SET digest = 'x'", "event 1 of its log"),
        ("UPDATE answers SET status = 500", "answer remembered for key 'k'"),
    ],
)
def test_an_edited_database_is_seen(stores, server, statement, said):
    log = stores[0].open("p")
    log.lead()
    log.append([event(number) for number in range(2, 21)], [Remembered("k", b"", 200, b"", 0.0)])
    server.execute(statement)

    def everything():
        list(log.read())
        log.graph()
        log.remembered("k")

    with pytest.raises(LogDamaged, match=said):
        everything()


def test_a_damaged_snapshot_gives_way_to_the_one_before(stores, server, caplog):
    from zerokelvin.service.store import Kept

    log = stores[0].open("p")
    log.lead()
    log.append([event(number) for number in range(2, 21)])
    for number in (10, 20):
        log.keep(Kept.of(number, log.chain(number), b"state"))
    server.execute("UPDATE snapshots SET data = 'other' WHERE events = 20")
    assert log.kept().events == 10
    assert "its data are not what was written" in caplog.text
    server.execute("UPDATE snapshots SET chain = 'other' WHERE events = 10")
    assert log.kept() is None
    assert "does not belong to this log" in caplog.text


def test_a_newer_schema_is_refused(stores, server, database):
    server.execute("UPDATE schema_version SET version = 7")
    with pytest.raises(SchemaTooNew, match="schema version 7"):
        open_store(database)


def test_a_database_of_the_first_schema_is_brought_up_to_date(database):
    import psycopg

    store = open_store(database)
    store.create("p", b"graph", NewEvent("created", b"{}", 0.0, "ann")).close()
    store.close()
    with psycopg.connect(database, autocommit=True) as server:
        server.execute("DROP TABLE zerokelvin.makings")
        server.execute("UPDATE zerokelvin.schema_version SET version = 1")
    for _ in range(2):
        store = open_store(database)
        assert store.names() == ["p"]
        store.note_making("ann:k", "p")
        assert store.made_with("ann:k") == "p"
        store.close()


def test_a_server_that_does_not_sync_is_refused(database, monkeypatch):
    shown = postgres_connections._shown
    monkeypatch.setattr(
        postgres_connections, "_shown", lambda c, name: "off" if name == "fsync" else shown(c, name)
    )
    with pytest.raises(StoreError, match="set fsync = on"):
        open_store(database)


def test_commits_are_durable_whatever_the_role_says(database, server):
    server.execute("ALTER ROLE CURRENT_USER SET synchronous_commit = off")
    try:
        with connect_postgres(database) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    finally:
        server.execute("ALTER ROLE CURRENT_USER RESET synchronous_commit")


def test_no_server():
    with pytest.raises(StoreUnavailable, match="check that it runs, and the URL"):
        open_store("postgresql://localhost:1/none")
    with pytest.raises(ParameterError, match="takeovers need a PostgreSQL server"):
        run_check("takeovers", 1, 0, "/some/folder")


def test_two_instances_that_start_at_once(database):
    opened, problems = [], []

    def start():
        try:
            opened.append(open_store(database))
        except Exception as problem:  # noqa: BLE001 - any is a fault
            problems.append(problem)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    for store in opened:
        store.close()


def test_the_lock_numbers_are_64_bit_numbers_of_their_own():
    numbers = {postgres_leading._number(f"p{k}") for k in range(1000)}
    assert len(numbers) == 1000
    assert all(-(2**63) <= number < 2**63 for number in numbers)
    assert min(numbers) < 0 < max(numbers)

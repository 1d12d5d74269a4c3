"""Processes that are killed while they append, and that faults of a log would be seen."""

import pytest

from zerokelvin.service.store import LeadLost, NewEvent, open_store
from zerokelvin.service.store_checks.instance_watch import Acknowledged, log_faults
from zerokelvin.service.store_checks.kills import play_kills
from zerokelvin.service.store_checks.named_checks import run_check
from zerokelvin.service.store_checks.writing_instance import GroupWriter, group_answer, group_events


def test_what_killed_processes_were_told_is_there(tmp_path):
    found = play_kills(str(tmp_path / "data"), kills=50, seed=1)
    assert found.faults == []
    assert found.kills == 50
    assert found.acknowledged >= 50
    assert found.events > found.acknowledged


def test_and_on_postgresql(database):
    found = play_kills(database, kills=5, seed=2)
    assert found.faults == []
    assert found.acknowledged >= 5


def test_by_name():
    found = run_check("kills", 1, 0, None)
    assert found.faults == []
    assert found.as_dict()["acknowledged"] >= 1
    assert "events" in found.summary


@pytest.fixture
def log(tmp_path):
    store = open_store(tmp_path)
    made = store.create("p", b"graph", NewEvent("created", b"", 0.0, "check"))
    made.lead()
    yield made
    store.close()


def write(log, *groups, answers=True):
    numbers = [
        log.append(group_events("a", group), [group_answer("a", group)] if answers else [])
        for group in groups
    ]
    return [Acknowledged("a", group, number) for group, number in zip(groups, numbers, strict=True)]


def test_a_sound_log_has_no_faults(log):
    told = write(log, *range(30))
    assert log_faults(log, told) == []
    assert log_faults(log, told[:-3]) == []  # what nobody was told may be there


def test_faults_are_seen(log):
    told = write(log, 0, 1, 2)
    assert "was acknowledged as event 99, and is not there" in log_faults(log, [Acknowledged("a", 2, 99)])[0]
    assert "and is not there" in log_faults(log, [*told, Acknowledged("a", 3, 4)])[0]
    write(log, 1)
    assert any("more than once" in fault for fault in log_faults(log, told))


def test_torn_groups_and_missing_answers_are_seen(log):
    large = next(group for group in range(100) if len(group_events("a", group)) > 2)
    log.append(group_events("a", large)[:-1], [group_answer("a", large)])
    assert any("not whole" in fault for fault in log_faults(log, []))
    after = log.length()
    told = write(log, 0, answers=False)
    assert any("without its answer" in fault for fault in log_faults(log, told, after))


def test_an_old_epoch_is_seen(log):
    told = write(log, 0, 1)
    stored = list(log.read(1))
    stored[0] = stored[0]._replace(epoch=5)

    class Changed:
        def read(self, after):
            return iter(stored)

        def remembered(self, key):
            return log.remembered(key)

    assert "behind epoch 5" in log_faults(Changed(), told)[0]


def test_a_process_that_writes_stops_when_another_leads(tmp_path, monkeypatch, capfd):
    store = open_store(tmp_path)
    log = store.create("p", b"graph", NewEvent("created", b"", 0.0, "check"))
    log.lead()
    appended = log.append

    def append(events, answers):
        if log.length() > 20:
            raise LeadLost("another leads.")
        return appended(events, answers)

    monkeypatch.setattr(log, "append", append)
    writer = GroupWriter(log, "a")
    with pytest.raises(LeadLost):
        writer.append_on()
    said = capfd.readouterr().out.splitlines()
    told = [Acknowledged("a", int(group), int(number)) for _, group, number in map(str.split, said)]
    assert [one.group for one in told] == list(range(writer.group - 1))
    assert log_faults(log, told) == []
    store.close()

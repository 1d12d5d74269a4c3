"""Reading a project: in the event loop where that is quick, else in a thread; and work that is stopped."""

import threading

import pytest

from serving import app_client, label, make_project
from zerokelvin.stopping import StoppedError, stop_if_wanted, stop_when


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path) as client:
        yield client


def thread_of(client, project, kind, work=lambda: None):
    """The thread in which a reading of this kind is done."""

    def look(_):
        work()
        return threading.get_ident()

    return client.call(project.read(kind, look))


def project_of(client, name="p"):
    async def using():
        async with client.hall.using(name) as project:
            return project

    return client.call(using())


def test_what_was_quick_is_done_in_the_event_loop_and_what_was_stopped_is_not(client):
    make_project(client)
    project, loop = project_of(client), client._thread.ident
    assert thread_of(client, project, "a") != loop  # nobody knows yet how long it takes
    assert thread_of(client, project, "a") == loop

    def stopped():
        raise StoppedError("somebody waits")

    for _ in range(3):  # how long it would have taken is not known: it must not hold up the loop
        with pytest.raises(StoppedError):
            thread_of(client, project, "b", stopped)
    assert thread_of(client, project, "b") != loop


def test_who_waits_for_the_session_stops_work_that_may_be_stopped(client):
    path = make_project(client)
    project, begun = project_of(client), threading.Event()

    def look(_):
        begun.set()
        with stop_when(project.learning.lock.wanted):
            while True:
                stop_if_wanted()

    def read():
        with pytest.raises(StoppedError):
            client.call(project.read("long", look))

    reading = threading.Thread(target=read)
    reading.start()
    assert begun.wait(10)
    assert label(client, path, "a", "fraud").status_code == 200
    assert client.get(f"{path}/state").json()["events"] == 1  # which waits until it is learnt
    reading.join(10)
    assert not reading.is_alive()

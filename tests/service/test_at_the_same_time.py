"""What is asked while others write: answered from one state or another, never with a server error."""

import sys
import threading

import pytest

from serving import app_client, make_project

COUNT = 8_000


@pytest.fixture
def restless():
    """Threads give way to each other all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def ask_meanwhile(client, requests, work):
    """Ask again and again while `work` runs; the codes of all answers, and their texts by code."""
    seen, going = {}, threading.Event()

    def ask(method, path, more):
        while not going.is_set():
            answer = client.request(method, path, headers={"zerokelvin-events": "0"}, **more)
            seen.setdefault(answer.status_code, answer.text)

    threads = [threading.Thread(target=ask, args=one) for one in requests]
    for thread in threads:
        thread.start()
    try:
        work()
    finally:
        going.set()
        for thread in threads:
            thread.join(60)
    return seen


def test_states_and_turns_while_labels_come(tmp_path, restless):
    with app_client(tmp_path) as client:
        path = make_project(client, edges=[[i, i + 1] for i in range(COUNT)])
        requests = [("GET", f"{path}/state", {})] * 2
        requests += [("POST", f"{path}/turn", {"json": {"reviewer": "eve"}})]
        requests += [("GET", f"{path}/review?show=answered", {}), ("GET", f"{path}/export?format=csv", {})]

        def label():
            for start in range(0, COUNT, 400):
                given = [{"node": node, "label": "ok"} for node in range(start, start + 400)]
                answer = client.post(f"{path}/labels", json={"labels": given})
                assert answer.status_code == 200, answer.text

        seen = ask_meanwhile(client, requests, label)
        assert 200 in seen
        assert set(seen) <= {200, 503}, seen  # 503: learning is behind
        state = client.get(f"{path}/state", headers={"zerokelvin-events": "0"})
        assert state.json()["answers"] == COUNT


def test_nodes_are_there_for_all_readers_or_for_none(tmp_path, restless):
    with app_client(tmp_path) as client:
        path = make_project(client, edges=[[i, i + 1] for i in range(2000)])
        new = 2001
        requests = [
            ("POST", f"{path}/predict", {"json": {"nodes": [new]}}),
            ("GET", f"{path}/items?node={new}", {}),
            ("GET", f"{path}/map/node?index={new}", {}),
            ("GET", f"{path}/explain?node={new}", {}),
        ]

        def grow():
            nonlocal new
            for new_one in range(new, new + 20):
                added = client.post(f"{path}/nodes", json={"nodes": [new_one], "edges": [[new_one, 0]]})
                assert added.status_code == 200, added.text
                assert client.post(f"{path}/predict", json={"nodes": [new_one]}).status_code == 200

        seen = ask_meanwhile(client, requests, grow)
        assert set(seen) == {200, 422}, seen  # 422: not there yet


def test_a_growth_that_could_not_be_written_shows_no_node(tmp_path, monkeypatch):
    from zerokelvin.service.store import StoreFull

    with app_client(tmp_path) as client:
        path = make_project(client)
        client.get(f"{path}/state")
        project = client.hall.awake[0]

        def full(*_):
            raise StoreFull("the disk is full.")

        with monkeypatch.context() as patched:
            patched.setattr(type(project.log), "append", full)
            assert client.post(f"{path}/nodes", json={"nodes": ["z"]}).status_code == 503
        assert client.post(f"{path}/predict", json={"nodes": ["z"]}).status_code == 422
        assert client.post(f"{path}/nodes", json={"nodes": ["z"]}).status_code == 200
        assert client.post(f"{path}/predict", json={"nodes": ["z"]}).status_code == 200


def test_bounds_that_take_long_keep_no_reader_waiting(tmp_path, monkeypatch):
    """Of eight projects at once, as a dashboard asks for them; before, they had all threads for reading."""
    import zerokelvin.service.routes.project_state as routes

    go_on = threading.Event()
    monkeypatch.setattr(routes, "_bound", lambda _: go_on.wait(60) and None)
    monkeypatch.setattr(routes, "PATIENCE", 0.5)
    with app_client(tmp_path, most_time=5.0) as client:
        paths = [make_project(client, f"p{i}") for i in range(8)]
        try:
            for path in paths:
                state = client.get(f"{path}/state").json()
                assert state["bound"] is None
                assert state["guarantee"]["checks"] == 0
            for path in paths:
                assert client.get(f"{path}/labels").status_code == 200
                assert client.get(f"{path}/next").json()["questions"]
        finally:
            go_on.set()


def test_a_bound_that_takes_long_is_left_out_until_it_is_there(tmp_path, monkeypatch):
    import zerokelvin.service.routes.project_state as routes

    go_on, begun = threading.Event(), []

    def slow(session, real=routes._bound):
        begun.append(session)
        assert go_on.wait(60)
        return real(session)

    with app_client(tmp_path) as client:
        path = make_project(client)
        monkeypatch.setattr(routes, "_bound", slow)
        monkeypatch.setattr(routes, "PATIENCE", 0.05)
        for _ in range(3):
            state = client.get(f"{path}/state").json()
            assert state["bound"] is None
            assert state["guarantee"]["checks"] == 0
        assert len(begun) == 1  # it is computed once
        go_on.set()
        monkeypatch.setattr(routes, "PATIENCE", 60.0)
        assert client.get(f"{path}/state").json()["bound"]["theorem"]
        assert len(begun) == 1
        client.post(f"{path}/labels", json={"labels": [{"node": "a", "label": "ok"}]})
        assert client.get(f"{path}/state").json()["bound"]["theorem"]
        assert len(begun) == 2

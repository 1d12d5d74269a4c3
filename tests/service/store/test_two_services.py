"""Two services on one PostgreSQL server: one writes to a project, the other takes over when it is gone."""

import signal
import time

import httpx
import pytest

pytest.importorskip("psycopg")

from serving import LINE, Served


def label(url, node, given, key):
    """Send a label as clients do: again where the service is busy or gone, with the same key; the answer."""
    body = {"labels": [{"node": node, "label": given}]}
    return httpx.post(f"{url}/v1/projects/p/labels", json=body, headers={"idempotency-key": key}, timeout=30)


def until(done, seconds):
    """Try until an answer is 200; how long it took."""
    began = time.monotonic()
    while (answer := done()).status_code != 200:
        assert answer.status_code == 503, answer.text
        assert "retry-after" in answer.headers
        assert time.monotonic() - began < seconds, answer.text
        time.sleep(0.1)
    return time.monotonic() - began


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_other_takes_over(database, number):
    with Served(database) as first, Served(database) as second:
        body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
        assert httpx.post(f"{first.url}/v1/projects", json=body, timeout=30).status_code == 201
        assert label(first.url, "a", "x", "one").status_code == 200
        refused = label(second.url, "b", "y", "two")
        assert refused.status_code == 503
        assert f"process {first.process.pid}" in refused.json()["detail"]
        first.process.send_signal(number)
        assert until(lambda: label(second.url, "b", "y", "two"), 8.0) < 5.0
        if number == signal.SIGSTOP:
            first.process.send_signal(signal.SIGCONT)
            late = label(first.url, "c", "x", "three")  # it believes that it leads, and may not write
            assert late.status_code == 503, late.text
        again = label(second.url, "a", "x", "one")  # sent to the first before: answered, not learnt twice
        assert again.status_code == 200
        state = httpx.get(f"{second.url}/v1/projects/p/state", timeout=30).json()
        assert state["events"] == 2
        if number != signal.SIGSTOP:
            first.process.wait()
        else:
            first.process.kill()
